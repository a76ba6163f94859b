"""Several cells in one process: each keeps its meshes beside its own file, whichever was opened last."""

from __future__ import annotations

from pathlib import Path

import pytest

import workcell as wc
from workcell.geometry.kernel.cache import default_cache


@pytest.fixture(autouse=True)
def no_memory(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    default_cache().clear()
    yield
    default_cache().clear()


def kept(folder: Path) -> set[str]:
    return {path.name.split(".")[0] for path in folder.rglob("*.mesh-*")}


def meshed(cell, name):
    solid = cell.snapshot().body(name).pieces[0].solid
    solid.mesh()
    return solid.hash


def test_a_cell_made_later_does_not_take_the_meshes_of_another(tmp_path):
    with wc.Cell.create(tmp_path / "one.cell") as one:
        one.do("create block a torus 200 30")
        one.do("create block b box 90 90 90")
        one.do("combine joined union a b")
        one.do("create object first")
        one.do("attach joined to first")
        one.do("place first at 0,0,0")
        with wc.Cell.create(tmp_path / "two.cell") as two, wc.Cell():
            two.do("create block a torus 210 30")
            two.do("create block b box 90 90 90")
            two.do("combine joined union a b")
            two.do("create object second")
            two.do("attach joined to second")
            two.do("place second at 0,0,0")
            mine, theirs = meshed(one, "first"), meshed(two, "second")
        one.do("create block c torus 220 30")
        one.do("combine other union c b")
        one.do("create object third")
        one.do("attach other to third")
        one.do("place third at 0,0,0")
        later = meshed(one, "third")
    assert {mine, later} <= kept(tmp_path / "one.cell.cache")
    assert theirs in kept(tmp_path / "two.cell.cache")
    assert theirs not in kept(tmp_path / "one.cell.cache")
    assert not {mine, later} & kept(tmp_path / "two.cell.cache")
    assert not kept(tmp_path / "user")


def test_a_shape_that_two_cells_have_is_kept_beside_both(tmp_path):
    hashes = set()
    for name in ("one", "two"):
        with wc.Cell.create(tmp_path / f"{name}.cell") as cell:
            for line in ("create block a torus 200 30", "create block b box 90 90 90", "combine joined union a b"):
                cell.do(line)
            for line in ("create object thing", "attach joined to thing", "place thing at 0,0,0"):
                cell.do(line)
            hashes.add(meshed(cell, "thing"))
    assert len(hashes) == 1
    for name in ("one", "two"):
        assert hashes <= kept(tmp_path / f"{name}.cell.cache")


def test_the_shapes_of_robots_are_kept_beside_the_cell_that_has_them(tmp_path):
    with wc.Cell.create(tmp_path / "one.cell") as one, wc.Cell.create(tmp_path / "two.cell"):
        one.do("create robot A puma560")
        for body in one.snapshot().bodies:
            body.mesh()
    assert kept(tmp_path / "one.cell.cache")
    assert not kept(tmp_path / "two.cell.cache")


def test_a_cell_in_memory_keeps_its_meshes_in_the_cache_of_the_user(tmp_path):
    with wc.Cell() as cell:
        cell.do("create robot A puma560")
        for body in cell.snapshot().bodies:
            body.mesh()
    assert kept(tmp_path / "user" / "workcell" / "meshes")


def test_a_copy_of_a_cell_file_in_memory_writes_nothing_beside_it(tmp_path):
    with wc.Cell.create(tmp_path / "one.cell") as one:
        one.do("create robot A puma560")
    with wc.Cell.copy_of(tmp_path / "one.cell") as copy:
        for body in copy.snapshot().bodies:
            body.mesh()
    assert not (tmp_path / "one.cell.cache").exists()
