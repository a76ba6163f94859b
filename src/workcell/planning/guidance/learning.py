"""Learning from earlier runs (Loeff 1973, chapter IV): keep them, vary their constants, replay the best."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.planning.guidance.runs import GuidedRun

Array = NDArray[np.float64]


class Tried(Protocol):
    """A run with its constants."""

    @property
    def constants(self) -> Any:
        """The constants with which it was made."""


R = TypeVar("R", bound=Tried)

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
class Experience(Generic[R]):
    """Runs of one task, the best first.

    Attributes:
        runs: what was kept.
        score: by which they are compared; what is to be small.
    """

    runs: tuple[R, ...] = ()
    score: Callable[[Any], float] = time_taken

    def kept(self, run: R) -> Experience[R]:
        """Return the experience with one more run."""
        return replace(self, runs=tuple(sorted((*self.runs, run), key=self.score)))

    @property
    def best(self) -> R:
        """The best run so far."""
        if not self.runs:
            raise InvalidValue("There is no run to learn from yet; keep one first.")
        return self.runs[0]

    def improved(
        self, rerun: Callable[[Any], R], tries: int = 20, seed: int = 0, varied: Sequence[str] = _VARIED
    ) -> Experience[R]:
        """Return the experience after the task was done again with other constants, near to the best ones so far.

        Args:
            rerun: does the task with other constants.
            tries: how often.
            seed: the same seed gives the same constants.
            varied: the names of the constants that change.
        """
        if tries < 1:
            raise InvalidValue(f"A task is done again at least once; found {tries}.")
        rng, known, spread = np.random.default_rng(seed), self, _SPREAD
        for _ in range(tries):
            before = known.best
            factors = np.exp(rng.normal(0.0, spread, len(varied)))
            values = {name: getattr(before.constants, name) * f for name, f in zip(varied, factors, strict=True)}
            known = known.kept(rerun(replace(before.constants, **values)))
            spread *= 1.1 if known.best is not before else 0.9  # closer while nothing better is found
        return known


def replayed(run: GuidedRun, time: float) -> Array:
    """Return the parameters of the arm at a time of a run that is replayed (3N+3,); it stands before and after it."""
    return np.array([np.interp(time, run.times, column) for column in run.states.T])
