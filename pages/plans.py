"""Plans: what a run has stored, under which key, and how often it was found again."""

from fusionlab.ui import plans
from fusionlab.ui.frame import frame
from fusionlab.ui.guard import show

show(plans.draw, frame("plans"))
