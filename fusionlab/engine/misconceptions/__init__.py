"""Misconception engines: the real engine with exactly one rule switched.

Each is what a learner believes who gets one rule wrong. The quiz reads its wrong answers off
them, and the first step where one parts from burn is where a wrong answer comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fusionlab.config import FusionConfig
from fusionlab.engine.misconceptions import keys, scores, search, waiting
from fusionlab.engine.parts import Parts


@dataclass(frozen=True, slots=True)
class Misconception:
    """Burn with one part exchanged (``parts`` makes them for one server), or one real setting."""

    parts: Callable[[], Parts] = Parts
    settings: Mapping[str, Any] | None = None

    def configure(self, config: FusionConfig) -> FusionConfig:
        """The settings under which this engine runs."""
        return replace(config, **self.settings) if self.settings else config


def _with(**parts: Any) -> Misconception:
    return Misconception(lambda: Parts(**parts))


def _key(policy: type[keys.CoarsePolicy]) -> Misconception:
    """A coarser key. The guard would take back the hits that such a learner expects."""
    return _with(policy=policy, execution=search.NoShapeGuard)


def _fusers(wrapper: Callable[..., scores.Wrapped]) -> Misconception:
    return _with(fusers=scores.wrapped(wrapper))


def _score(rule: scores.Rule) -> Misconception:
    return _with(fusers=scores.counted_by(rule))


MISCONCEPTIONS: Mapping[str, Misconception] = {
    # What is in the key.
    "sizes_in_key": _with(converter=keys.SizesInKey, execution=search.NoShapeGuard),
    "rank_only_in_key": _key(keys.RankOnlyInKey),
    "dim_one_is_ordinary": _with(converter=keys.DimOneIsOrdinary),
    "scalars_in_key": _with(converter=keys.ScalarsInKey),
    "tensor_ids_in_key": _with(converter=keys.TensorIdsInKey),
    "liveness_not_in_key": _key(keys.LivenessNotInKey),
    "dtype_not_in_key": _key(keys.DtypeNotInKey),
    "names_only_in_key": _key(keys.NamesOnlyInKey),
    "cache_per_stream": Misconception(lambda: Parts(processor=keys.cache_per_stream())),
    # When something runs.
    "lazy_does_not_wait": _with(explorer=waiting.LazyDoesNotWait),
    "lazy_runs_at_first_match": _with(policy=waiting.LazyRunsAtFirstMatch),
    "sync_may_defer": _with(policy=waiting.SyncMayDefer, processor=waiting.PatientProcessor),
    "prefix_hit_at_sync": _with(policy=waiting.PrefixHitAtSync),
    "sync_checks_trigger": _with(policy=waiting.SyncChecksTrigger),
    "no_cache": _with(policy=waiting.NoCache),
    "trigger_is_always_on_sync": _with(processor=waiting.TriggerIsAlwaysOnSync),
    "cap_also_blocks_hits": _with(processor=waiting.CapAlsoBlocksHits),
    "cap_ignored": Misconception(settings={"max_explorations": None}),
    "no_shape_guard": _with(execution=search.NoShapeGuard),
    # Which block takes an op.
    "blocks_never_merge": _with(block=search.BlocksNeverMerge),
    "unrelated_never_merge": _with(block=search.UnrelatedNeverMerge),
    "every_op_its_own_block": _with(
        optimizer=search.EveryOpItsOwnBlock, block=search.BlocksNeverMerge
    ),
    "one_block_only": Misconception(settings={"max_blocks": 1}),
    "contiguous_only": _with(optimizer=search.ContiguousOnly, block=search.ContiguousBlock),
    "whole_block_unfused": _with(block=search.WholeBlockUnfused),
    # Who wins, and with how much.
    "closed_means_failed": _fusers(scores.ClosedMeansFailed),
    "first_ready_wins": _with(block=search.FirstReadyWins),
    "last_of_a_tie_wins": _with(block=search.LastOfATieWins),
    "most_ops_wins": _with(block=search.MostOpsWins),
    "zero_score_wins": _with(block=search.ZeroScoreWins),
    "score_is_op_count": _score(scores.score_is_op_count),
    "launches_forgotten": _score(scores.launches_forgotten),
    "launches_not_minus_one": _score(scores.launches_not_minus_one),
    "writes_not_counted": _score(scores.writes_not_counted),
    "reads_counted_once_per_tensor": _fusers(scores.ReadsCountedOncePerTensor),
    "views_are_free": _score(scores.views_are_free),
}
"""By the name that the catalogs explain (``misconception.<name>``)."""
