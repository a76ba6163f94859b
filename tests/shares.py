"""The share of random cases that `make test` tries; `make soak` tries all."""

from __future__ import annotations

import os

SHARE = float(os.environ.get("WORKCELL_EXAMPLES", "0.3"))
"""1 in `make soak`."""


def share(count: int) -> int:
    """Return how many of the random cases of a test with the mark ``sampled`` are tried."""
    return max(1, round(count * SHARE))
