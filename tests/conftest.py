"""What all tests share: reproducible examples, and caches and lists of files that are not the user's."""

from __future__ import annotations

import os
import tempfile

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "workcell",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("workcell")

_cache = tempfile.TemporaryDirectory(prefix="workcell-tests-")
os.environ["XDG_CACHE_HOME"] = _cache.name
_state = tempfile.TemporaryDirectory(prefix="workcell-tests-state-")
os.environ["XDG_STATE_HOME"] = _state.name


@pytest.fixture
def cell():
    from workcell.commands.cell import Cell

    with Cell(who="test") as made:
        yield made
