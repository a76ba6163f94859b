"""Learning from earlier runs (Loeff 1973, chapter IV): keep them, vary their constants, replay the best."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.planning.guidance.constants import Constants
from workcell.planning.guidance.runs import GuidedRun

Array = NDArray[np.float64]
Rerun: TypeAlias = Callable[[Constants], GuidedRun]
"""Makes the run again with other constants."""
Score: TypeAlias = Callable[[GuidedRun], float]
"""What is to be small."""

_VARIED = ("speed", "top_up", "reach", "sharing")
_SPREAD = 0.5
"""By how much constants are varied at first, as the logarithm of their ratio."""


def time_taken(run: GuidedRun) -> float:
    """Return how long a run took; runs that did not arrive come after all that did, the farthest away last."""
    if run.outcome == "arrived":
        return float(run.times[-1])
    return math.inf if run.outcome == "contact" else 1e9 + run.distance


def way_taken(run: GuidedRun) -> float:
    """Return the length of the tip's way; runs that did not arrive come after all that did."""
    return run.length if run.outcome == "arrived" else time_taken(run)


@dataclass(frozen=True)
class Experience:
    """Runs of one task, the best first.

    Attributes:
        runs: what was kept.
        score: by which they are compared.
    """

    runs: tuple[GuidedRun, ...] = ()
    score: Score = time_taken

    def kept(self, run: GuidedRun) -> Experience:
        """Return the experience with one more run."""
        return replace(self, runs=tuple(sorted((*self.runs, run), key=self.score)))

    @property
    def best(self) -> GuidedRun:
        """The best run so far."""
        if not self.runs:
            raise InvalidValue("There is no run to learn from yet; keep one first.")
        return self.runs[0]

    def improved(self, rerun: Rerun, tries: int = 20, seed: int = 0) -> Experience:
        """Return the experience after the task was done again with other constants, near to the best ones so far.

        Args:
            rerun: does the task.
            tries: how often.
            seed: the same seed gives the same constants.
        """
        if tries < 1:
            raise InvalidValue(f"A task is done again at least once; found {tries}.")
        rng, known, spread = np.random.default_rng(seed), self, _SPREAD
        for _ in range(tries):
            before = known.best
            factors = np.exp(rng.normal(0.0, spread, len(_VARIED)))
            varied = {name: getattr(before.constants, name) * f for name, f in zip(_VARIED, factors, strict=True)}
            known = known.kept(rerun(replace(before.constants, **varied)))
            spread *= 1.1 if known.best is not before else 0.9  # closer while nothing better is found
        return known


def replayed(run: GuidedRun, time: float) -> Array:
    """Return the parameters of the arm at a time of a run that is replayed (3N+3,); it stands before and after it."""
    return np.array([np.interp(time, run.times, column) for column in run.states.T])
