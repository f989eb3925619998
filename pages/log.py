"""Burn log: paste what the real burn printed, and step through the run behind it."""

from fusionlab.ui import log
from fusionlab.ui.frame import frame

log.draw(frame("log"))
