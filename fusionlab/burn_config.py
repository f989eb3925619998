"""The settings that burn itself would read here: ``burn.toml`` and the environment.

In: a folder and the environment. Out: a ``FusionConfig`` and a log level. The first ``burn.toml``
or ``Burn.toml`` of the folder or one of its parents counts; the environment goes over it.

Source: burn-std, config/{base,fusion}.rs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fusionlab.config import FusionConfig
from fusionlab.errors import ContentError

_LEVELS = {
    **dict.fromkeys(("disabled", "off", "0"), "disabled"),
    "basic": "basic",
    "medium": "medium",
    **dict.fromkeys(("full", "1"), "full"),
}


@dataclass(frozen=True, slots=True)
class BurnSettings:
    """What was found: the search settings, and the log level when one is set."""

    config: FusionConfig
    log_level: str | None


def find_burn_toml(folder: Path) -> Path | None:
    """The configuration file that burn would read from ``folder``."""
    for place in (folder, *folder.parents):
        for name in ("burn.toml", "Burn.toml"):
            if (place / name).is_file():
                return place / name
    return None


def burn_settings(folder: Path, environment: Mapping[str, str]) -> BurnSettings:
    """The settings in force in ``folder``.

    Raises:
        ContentError: The file is no TOML, or a value has the wrong type.
    """
    path = find_burn_toml(folder)
    fusion = {} if path is None else _fusion_section(path)
    search, logger = _section(fusion, "beam_search", path), _section(fusion, "logger", path)
    max_blocks = _whole(search, "max_blocks", 5, path)
    explorations = _whole(search, "max_explorations", None, path)
    wanted = environment.get("BURN_FUSION_MAX_EXPLORATIONS", "")
    if wanted.isdecimal():
        explorations = int(wanted)
    level = logger.get("level")
    named = _LEVELS.get(environment.get("BURN_FUSION_LOG", "").lower())
    return BurnSettings(
        FusionConfig(max_blocks=max_blocks, max_explorations=explorations),
        named or (_LEVELS.get(level) if isinstance(level, str) else None),
    )


def _fusion_section(path: Path) -> Mapping[str, Any]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ContentError("burn_toml", file=str(path), reason=str(error)) from error
    return _section(document, "fusion", path)


def _section(table: Mapping[str, Any], name: str, path: Path | None) -> Mapping[str, Any]:
    section = table.get(name, {})
    if not isinstance(section, Mapping):
        raise ContentError("burn_toml", file=str(path), reason=f"{name} is no table")
    return section


def _whole(
    section: Mapping[str, Any], name: str, default: int | None, path: Path | None
) -> int | None:
    value = section.get(name, default)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    raise ContentError("burn_toml", file=str(path), reason=f"{name} is no whole number: {value!r}")
