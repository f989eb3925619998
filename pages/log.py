"""Burn log: paste what the real burn printed, and step through the run behind it."""

from fusionlab.ui import log
from fusionlab.ui.frame import frame
from fusionlab.ui.guard import show

show(log.draw, frame("log"))
