"""Single rules of the engine, each with a way to get it wrong.

A mutant is the engine with one rule changed, as a piece of source text and what takes its place.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mutant:
    """``old`` must stand in ``module`` exactly once."""

    rule: str
    module: str
    old: str
    new: str


MUTANTS = (
    # What a fusion is worth.
    Mutant("an access is worth 100", "fusers/scoring", "ACCESS_POINTS = 100", "ACCESS_POINTS = 90"),
    Mutant(
        "the first launch is not saved",
        "fusers/scoring",
        "max(0, terms.ops - 1) * LAUNCH_POINTS",
        "terms.ops * LAUNCH_POINTS",
    ),
    Mutant("a view costs 50", "fusers/scoring", "VIEW_POINTS = 50", "VIEW_POINTS = 0"),
    Mutant("a relayout is worth 100", "fusers/nhwc_relayout", "BONUS = 100", "BONUS = 50"),
    Mutant(
        "a tie goes to the earlier fuser",
        "engine/block",
        "if score > best_score:",
        "if score >= best_score:",
    ),
    # What a kernel can hold.
    Mutant(
        "the 65th op fits",
        "fusers/fuse_trace",
        "if count > MAX_COMPUTE_OPS:",
        "if count >= MAX_COMPUTE_OPS:",
    ),
    Mutant(
        "as many buffers as the limit fit",
        "fusers/fuse_trace",
        "if count > self.max_bindings:",
        "if count >= self.max_bindings:",
    ),
    Mutant(
        "a value used up inside needs no write",
        "fusers/fuse_trace",
        "if status[tensor] is not _READ_WRITE:",
        "if True:",
    ),
    Mutant(
        "a view is taken only of an input that was read before",
        "fusers/fuse_trace",
        "if not known or tensor.id in self.output_status:",
        "if tensor.id in self.output_status:",
    ),
    Mutant(
        "a block may grow where its extent is 1",
        "fusers/fuse_trace",
        "ELEMENTWISE_SETTINGS = FuseSettings(broadcast=True, shape_updates=True)",
        "ELEMENTWISE_SETTINGS = FuseSettings(broadcast=True, shape_updates=False)",
    ),
    Mutant("no kernel holds a tangent", "fusers/recipes", "Cos Sin Tanh", "Cos Sin Tan Tanh"),
    Mutant(
        "nothing is broadcast back behind a reduction",
        "fusers/reduce",
        "WRITE_SETTINGS = FuseSettings(broadcast=False",
        "WRITE_SETTINGS = FuseSettings(broadcast=True",
    ),
    Mutant(
        "the product is one of the ops covered",
        "fusers/matmul",
        "return self.trace.num_ops + 1",
        "return self.trace.num_ops",
    ),
    Mutant(
        "a step of the broadcasted reduction is tried twice",
        "fusers/reduce_broadcasted",
        "closings * 2",
        "closings",
    ),
    # What is the same.
    Mutant(
        "extent 1 has an id of its own",
        "engine/relative",
        "self.shape_ids: dict[int, int] = {1: 0}",
        "self.shape_ids: dict[int, int] = {-1: 0}",
    ),
    Mutant(
        "names start again after every execution",
        "engine/queue",
        "        self.converter.clear()\n",
        "",
    ),
    # When something runs.
    Mutant(
        "a drain asks for the exact length",
        "engine/policy",
        "if available.size == length:\n                return available.plan",
        "if available.size <= length:\n                return available.plan",
    ),
    Mutant(
        "a trigger begins behind the plan's own last op",
        "engine/policy",
        "            self.checked = 0\n            return\n",
        "            self.checked = 0\n",
    ),
    Mutant(
        "lazy waits at the exact length of a plan",
        "engine/policy",
        "if available.size == length or available.is_waiting:",
        "if available.is_waiting:",
    ),
    Mutant(
        "ops behind a plan become its trigger",
        "engine/processor",
        "return OnOperations(behind) if behind else Always()",
        "return Always()",
    ),
    Mutant(
        "a hit by a drain adds its trigger",
        "engine/processor",
        "            self.store.add_trigger(plan, _ON_SYNC, self.recorder)\n",
        "            pass\n",
    ),
    Mutant(
        "an unfit plan runs un-fused",
        "engine/execution",
        "if needs < assigned:",
        "if needs <= assigned:",
    ),
    Mutant(
        "the cap counts explorations",
        "engine/explorer",
        "self.num_explorations >= self.max_explorations",
        "self.num_explorations > self.max_explorations",
    ),
    Mutant(
        "a drain covers the tail",
        "engine/explorer",
        "optimization = include_trailing(optimization, len(operations))",
        "pass",
    ),
    Mutant(
        "a stream ends with its last tensor",
        "engine/server",
        "if not home.queue.variables:",
        "if False:",
    ),
    # Which blocks there are, and in which order.
    Mutant(
        "max_blocks blocks are a full set",
        "engine/optimizer",
        "len(self.blocks) >= self.max_blocks",
        "len(self.blocks) > self.max_blocks",
    ),
    Mutant(
        "a merge is kept while a fuser is open",
        "engine/merging",
        "_KEPT = (MergeVerdict.KEPT_OPEN, MergeVerdict.KEPT_NEWLY_READY)",
        "_KEPT = (MergeVerdict.KEPT_NEWLY_READY,)",
    ),
    Mutant(
        "a merge must not hide a fusion",
        "engine/merging",
        "if not was_ready and merged.is_ready:",
        "if merged.is_ready:",
    ),
    Mutant(
        "the first block is tried as the base first",
        "engine/merging",
        "for base, other in ((one, two), (two, one)):",
        "for base, other in ((two, one), (one, two)):",
    ),
    Mutant(
        "nothing may lie between two merged blocks",
        "engine/dag",
        "return not above & below & ~together",
        "return True",
    ),
    Mutant(
        "a last use comes behind every reader",
        "engine/dag",
        "and not (node.read.isdisjoint(other.produced) and node.freed.isdisjoint(other.read))",
        "and not node.read.isdisjoint(other.produced)",
    ),
    Mutant(
        "the earlier start goes first",
        "engine/dag",
        "ready = [(nodes[i].start, i)",
        "ready = [(-nodes[i].start, i)",
    ),
    Mutant(
        "the head ends where a new search could start",
        "engine/block",
        "while settled < total and not self._is_wanted(settled, fresh):",
        "while settled < total:",
    ),
    Mutant(
        "un-fused units are split when they must be",
        "engine/repair",
        "if isinstance(item, Operations):",
        "if False:",
    ),
    Mutant(
        "widths of the table count bytes",
        "views/table",
        "len(row[i].encode())",
        "len(row[i])",
    ),
)
