"""A measurement in a process of its own: ``python -m fusionlab.bench.worker``.

Out: one JSON object a line: ``machine``, then ``progress`` and ``row`` in turn, ``end`` at last.
The app reads them. A process of its own keeps its threads on its own processor, holds nobody's
interpreter lock, and can be stopped at any moment.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict

from fusionlab.bench.pinning import pin

_NICENESS = 5
"""People who step through a run come first."""


def main() -> None:
    """Measure the plan of the benchmark page."""
    pinned = pin(1)
    os.nice(_NICENESS)
    # Loads NumPy: only after the threads are settled.
    from fusionlab.bench.model import Row  # noqa: PLC0415
    from fusionlab.bench.run import machine, page_plan, run  # noqa: PLC0415

    _tell("machine", asdict(machine(1, pinned)))
    for step in run(page_plan()):
        _tell("row" if isinstance(step, Row) else "progress", asdict(step))
    _tell("end", {})


def _tell(kind: str, value: object) -> None:
    sys.stdout.write(json.dumps({kind: value}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
