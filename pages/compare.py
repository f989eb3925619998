"""Compare: one thing changed, or two programs, side by side."""

from fusionlab.ui.compare import screen
from fusionlab.ui.frame import frame
from fusionlab.ui.guard import show

show(screen.draw, frame("compare"))
