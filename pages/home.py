"""The first screen: what this is, and one button."""

from fusionlab.ui import home
from fusionlab.ui.frame import frame
from fusionlab.ui.guard import show

show(home.draw, frame("home"))
