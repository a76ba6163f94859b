from __future__ import annotations

import pytest

from workcell.geometry.kernel.cache import default_cache


@pytest.fixture(autouse=True)
def _memory_only():
    default_cache().use_folder(None)
    yield
    default_cache().use_folder(None)
