"""Things that hang together in pairs are one group."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from workcell.geometry.groups import groups


def by_another_library(count: int, pairs: np.ndarray) -> np.ndarray:
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    return connected_components(graph, directed=False)[1]


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 60), st.integers(0, 90), st.integers(0, 2**32 - 1))
def test_groups_are_the_components_of_the_graph(count, many, seed):
    pairs = np.random.default_rng(seed).integers(0, count, (many, 2))
    assert np.array_equal(groups(count, pairs), by_another_library(count, pairs))


def test_long_chains_in_any_order_are_one_group():
    order = np.random.default_rng(1).permutation(50_000)
    chain = np.column_stack([order[:-1], order[1:]])
    assert not groups(len(order), chain).any()
    cut = np.delete(chain, 20_000, axis=0)
    assert np.array_equal(groups(len(order), cut), by_another_library(len(order), cut))
