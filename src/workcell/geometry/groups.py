"""Groups of things that are connected in pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def groups(count: int, pairs: Ints) -> Ints:
    """(count,) the group of each thing, where pairs (k, 2) are connected; groups are numbered by their first thing."""
    root = np.arange(count)
    one, two = pairs[:, 0], pairs[:, 1]
    while len(one):
        np.minimum.at(root, np.maximum(one, two), np.minimum(one, two))
        while True:
            further = root[root]
            if np.array_equal(further, root):
                break
            root = further
        one, two = root[one], root[two]
        apart = one != two
        one, two = one[apart], two[apart]
    return np.asarray(np.unique(root, return_inverse=True)[1], dtype=np.int64)
