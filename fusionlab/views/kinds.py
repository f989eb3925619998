"""What kinds of steps there are: how important, in which tone, with which icon.

A kind is a name that the catalog knows (``kind.merge``) and a row here. ``level`` is the coarsest
level at which such a step is a stop: 1 a decision, 2 a single answer. Level 0, "the op is done",
is given by ``levels`` to the last decision of each request.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of step.

    ``tone`` colours the badge: hit, miss, defer, explore or execute. ``icon`` is the tick on the
    scrub bar and the group that "next event" jumps to.
    """

    name: str
    level: int
    tone: str
    icon: str


_TABLE = """
new         1  execute  new
accept      1  execute  accept
forced      1  execute  accept
dependent   1  execute  new
merge       1  execute  merge
refused     1  miss     miss
dropped     1  miss     miss
stopped     1  miss     miss
settled     1  explore  ask
head        1  execute  ask
holes       1  explore  ask
repaired    1  execute  ask
won         1  execute  ask
lost_all    1  miss     ask
miss        1  miss     miss
explores    1  explore  ask
defer       1  defer    defer
hit         1  hit      hit
store       1  execute  store
trigger     1  execute  store
unfit       1  miss     miss
capped      1  miss     miss
execute     1  execute  execute
drain       1  execute  ask
read        1  execute  ask
failed      1  miss     miss
queued      2  execute  ask
relative    2  execute  ask
stream      2  execute  ask
candidates  2  hit      ask
none        2  miss     ask
compared    2  hit      ask
lost        2  miss     miss
matched     2  hit      ask
triggered   2  hit      ask
action      2  explore  ask
explore     2  explore  ask
left        2  defer    ask
completed   2  explore  ask
settling    2  explore  ask
whole       2  execute  ask
selected    2  explore  ask
tried       2  explore  ask
judged      2  execute  ask
apart       2  miss     ask
answer      2  execute  ask
closes      2  miss     ask
scored      2  execute  ask
starts      2  execute  ask
built       2  execute  ask
launched    2  execute  ask
ran         2  execute  ask
freed       2  execute  ask
"""


def _kind(row: str) -> Kind:
    name, level, tone, icon = row.split()
    return Kind(name, int(level), tone, icon)


KINDS = MappingProxyType({kind.name: kind for kind in map(_kind, _TABLE.strip().splitlines())})
"""Every kind by its name."""
