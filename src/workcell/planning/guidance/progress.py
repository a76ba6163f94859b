"""Progress towards a destination: a dead end is where there has been none for a while."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass
class Progress:
    """The least distance so far, and since when.

    Attributes:
        patience: how long the distance may stay the same before it counts as a dead end.
        least: by how much the distance must fall to count as progress.
        best: the least distance so far.
        since: when it was reached.
    """

    patience: float
    least: float
    best: float = math.inf
    since: float = 0.0

    def observe(self, time: float, distance: float) -> bool:
        """Take in a distance; return whether this is a dead end."""
        if distance < self.best - self.least or math.isinf(self.best):
            self.best, self.since = distance, time
        return time - self.since > self.patience

    def restart(self, time: float) -> None:
        """Begin again, after a way out was found."""
        self.best, self.since = math.inf, time
