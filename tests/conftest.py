"""What all tests share: reproducible examples, and caches and lists of files that are not the user's."""

from __future__ import annotations

import os
import tempfile

import pytest
from hypothesis import HealthCheck, settings

from shares import SHARE

settings.register_profile(
    "workcell",
    max_examples=round(100 * SHARE),
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("workcell")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let laws with a number of examples of their own try their share of them."""
    for law in {one.obj for one in items if isinstance(one, pytest.Function)}:
        own = getattr(law, "_hypothesis_internal_use_settings", None)
        if own is not None and own.max_examples != settings().max_examples:
            law._hypothesis_internal_use_settings = settings(own, max_examples=max(3, round(own.max_examples * SHARE)))


_cache = tempfile.TemporaryDirectory(prefix="workcell-tests-")
os.environ["XDG_CACHE_HOME"] = _cache.name
_state = tempfile.TemporaryDirectory(prefix="workcell-tests-state-")
os.environ["XDG_STATE_HOME"] = _state.name


@pytest.fixture
def cell():
    from workcell.commands.cell import Cell

    with Cell(who="test") as made:
        yield made
