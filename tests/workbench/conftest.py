from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def runtime_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Connection files of tests are in a folder of their own, and no token comes from outside."""
    folder = tmp_path_factory.mktemp("runtime")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.delenv("WORKCELL_TOKEN", raising=False)
    return folder
