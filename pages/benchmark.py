"""Benchmark: what fusing is worth on this machine, and where it loses."""

from fusionlab.ui.benchmark import screen
from fusionlab.ui.frame import frame
from fusionlab.ui.guard import show

show(screen.draw, frame("benchmark"))
