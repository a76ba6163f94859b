"""Compiled loops that make a mesh ready: a tree over boxes, and which triangles hang together."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell._kernels_cache import compiled

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


@compiled
def build_tree(low: Array, high: Array, node_box: Array, node_link: Ints, order: Ints) -> None:
    """A tree over boxes: split at the median of the longest side. ``order`` receives the boxes in leaf order."""
    count = low.shape[0]
    first = np.empty(2 * count, dtype=np.int64)
    last = np.empty(2 * count, dtype=np.int64)
    for i in range(count):
        order[i] = i
    first[0], last[0] = 0, count
    made = 1
    node = 0
    while node < made:
        a, b = first[node], last[node]
        lo = np.full(3, np.inf)
        hi = np.full(3, -np.inf)
        c_lo = np.full(3, np.inf)
        c_hi = np.full(3, -np.inf)
        for k in range(a, b):
            i = order[k]
            for x in range(3):
                lo[x] = min(lo[x], low[i, x])
                hi[x] = max(hi[x], high[i, x])
                middle = 0.5 * (low[i, x] + high[i, x])
                c_lo[x] = min(c_lo[x], middle)
                c_hi[x] = max(c_hi[x], middle)
        for x in range(3):
            node_box[node, x] = 0.5 * (lo[x] + hi[x])
            node_box[node, 3 + x] = 0.5 * (hi[x] - lo[x])
        if b - a == 1:
            node_link[node, 0] = -1 - a
            node_link[node, 1] = 0
        else:
            axis = 0
            for x in range(1, 3):
                if c_hi[x] - c_lo[x] > c_hi[axis] - c_lo[axis]:
                    axis = x
            keys = np.empty(b - a)
            for k in range(a, b):
                keys[k - a] = low[order[k], axis] + high[order[k], axis]
            rank = np.argsort(keys, kind="mergesort")
            copy = order[a:b].copy()
            for k in range(b - a):
                order[a + k] = copy[rank[k]]
            middle_k = (a + b) // 2
            first[made], last[made] = a, middle_k
            first[made + 1], last[made + 1] = middle_k, b
            node_link[node, 0] = made
            node_link[node, 1] = made + 1
            made += 2
        node += 1


@compiled
def label_shells(triangles: Ints, labels: Ints) -> None:
    """Give every vertex the number of a vertex of its shell, the same for all that triangles connect."""
    for v in range(labels.shape[0]):
        labels[v] = v
    for t in range(triangles.shape[0]):
        a = triangles[t, 0]
        while labels[a] != a:
            labels[a] = labels[labels[a]]
            a = labels[a]
        for k in range(1, 3):
            b = triangles[t, k]
            while labels[b] != b:
                labels[b] = labels[labels[b]]
                b = labels[b]
            if b < a:
                labels[a] = b
                a = b
            else:
                labels[b] = a
    for v in range(labels.shape[0]):
        root = labels[v]
        while labels[root] != root:
            root = labels[root]
        labels[v] = root
