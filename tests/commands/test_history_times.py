"""The history of a file whose times were damaged can still be read."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import workcell as wc


@pytest.mark.parametrize("time", [2**62, 1e300, -1e17])
def test_a_time_that_no_calendar_has_is_unknown(tmp_path: Path, time: float) -> None:
    path = tmp_path / "a.cell"
    with wc.Cell.create(path) as cell:
        cell.do("create block one")
    connection = sqlite3.connect(path)
    connection.execute("update journal set time = ?", (time,))
    connection.commit()
    connection.close()
    with wc.Cell.open(path) as cell:
        assert "unknown" in str(cell.do("history"))
