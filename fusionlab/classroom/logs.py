"""One line of JSON for each thing worth knowing later, without anything personal.

No names, addresses, tokens, PINs or answers: a room is its random id, people are a count. The
logger is ``fusionlab.classroom``; whoever runs the server may attach handlers of their own.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

_LOGGER = logging.getLogger("fusionlab.classroom")


class _Line(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields = getattr(record, "fields", {})
        line = {"at": at, "level": record.levelname.lower(), "event": record.getMessage(), **fields}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def start() -> None:
    """Write to standard error, unless somebody has already said where to."""
    if _LOGGER.handlers:
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Line())
    _LOGGER.addHandler(handler)
    _LOGGER.setLevel(logging.INFO)
    _LOGGER.propagate = False


def note(event: str, **fields: object) -> None:
    """Something happened."""
    _LOGGER.info(event, extra={"fields": fields})


def warn(event: str, **fields: object) -> None:
    """Something needs attention."""
    _LOGGER.warning(event, extra={"fields": fields})


def failed(event: str, problem: BaseException, **fields: object) -> None:
    """Our own bug, with where it happened."""
    _LOGGER.error(event, exc_info=problem, extra={"fields": fields})
