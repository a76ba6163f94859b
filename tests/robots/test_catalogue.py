"""The library: every file is sound, sourced, and agrees with a second source."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from workcell.errors import UnknownName
from workcell.robots import orientation
from workcell.robots.build import check_error, check_passes
from workcell.robots.catalogue import robot, robots, table
from workcell.robots.robot import Robot

NAMES = robots()


@pytest.mark.parametrize("name", NAMES)
def test_every_robot_agrees_with_a_second_source(name: str) -> None:
    arm = robot(name)
    assert arm.checks, f"{name} has no check pose"
    for check in arm.checks:
        assert check.source
        assert check_passes(arm, check), f"{name} misses a check by {check_error(arm, check)} (m, rad): {check}"


@pytest.mark.parametrize("name", NAMES)
def test_every_robot_states_the_source_of_its_figures(name: str) -> None:
    arm = robot(name)
    told = {figure for source in arm.sources for figure in source.figures} | set(arm.assumed)
    assert {"geometry", "limits", "speeds", "accelerations"} <= told
    assert all(len(source.text) > 10 for source in arm.sources)
    assert all(len(reason) > 10 for reason in arm.assumed.values())


@pytest.mark.parametrize("name", NAMES)
def test_every_robot_starts_within_its_limits_and_has_shapes(name: str) -> None:
    arm = robot(name)
    assert arm.name == name
    assert arm.within_limits(arm.home)
    assert len(arm.links) == arm.n + 1
    assert all(link.parts for link in arm.links)


def test_the_puma_stretches_out_and_points_down_at_the_start_of_the_thesis() -> None:
    pose = robot("puma560").fk(np.radians([0, 0, -90, 0, 90, 0]))
    assert pose.rotation[:, 2] == pytest.approx([0, 0, -1], abs=1e-12)
    assert pose.xyz == pytest.approx([0.8636, -0.15005, 0.67183 - 0.0203 - 0.05625], abs=1e-12)


def test_names_forgive_case_spaces_and_dashes() -> None:
    assert robot("PUMA 560") is robot("puma-560") is robot("puma560")


def test_an_unknown_robot_is_refused_with_the_closest_names() -> None:
    with pytest.raises(UnknownName, match=r"There is no robot called 'puma561'; did you mean puma560") as caught:
        robot("puma561")
    assert "puma560" in caught.value.closest


def test_a_robot_pickles_whole() -> None:
    arm = robot("puma560")
    copy = pickle.loads(pickle.dumps(arm))
    assert isinstance(copy, Robot)
    assert copy.chain == arm.chain
    assert copy.links == arm.links
    assert not copy.limits.flags.writeable
    assert math.isclose(copy.speeds[0], math.radians(82.0))


def test_reading_the_library_loads_no_engine() -> None:
    code = (
        "import sys\nfrom workcell.robots.catalogue import robot, robots\n"
        "[robot(name) for name in robots()]\n"
        "print([m for m in ('numba', 'pinocchio', 'OCP', 'scipy') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_library_has_the_arms_that_were_promised() -> None:
    asked = """puma260 puma560 irb6400 irb1400 irb120 irb140 irb2400 arcmate120il lrmate200id kr5 kr6 kr16 kr210 iiwa14
    ur5 ur10 ur5e ur10e tx60 gp7 rs007n vs060 panda stanford cobra600 gantry planar2r planar3r loeff6"""
    assert set(asked.split()) <= set(NAMES)
    real = [robot(name) for name in NAMES if robot(name).maker not in ("Workcell", "Loeff")]
    assert len(real) >= 24
    assert len({arm.maker for arm in real}) >= 8


@pytest.mark.parametrize("name", NAMES)
def test_controller_values_go_there_and_back(name: str) -> None:
    arm = robot(name)
    if arm.controller is None:
        pytest.skip("its controller's convention is not known")
    q = np.random.default_rng(3).uniform(arm.limits[:, 0], arm.limits[:, 1], (20, arm.n))
    assert arm.controller.to_dh(arm.controller.from_dh(q)) == pytest.approx(q, abs=1e-12)


def test_ding_s_arms_stand_where_his_equations_put_them() -> None:
    first = robot("irb6400").fk(np.radians([0, 90, 0, 0, 0, 0]))
    assert first.xyz == pytest.approx([1.688, 0, 2.075], abs=1e-12)
    assert first.rotation == pytest.approx(np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]), abs=1e-12)
    second = robot("arcmate120il").fk(np.radians([0, -90, 180, 0, 0, 0]))
    assert second.xyz == pytest.approx([1.113, 0, 1.575], abs=1e-12)


def test_the_forearm_of_a_fanuc_keeps_its_direction_when_only_j2_moves() -> None:
    arm = robot("lrmate200id")
    assert arm.controller is not None
    still = [arm.fk(arm.controller.to_dh(np.radians([0, j2, 10, 0, 0, 0]))).rotation for j2 in (0, 30, -40)]
    assert still[1] == pytest.approx(still[0], abs=1e-12)
    assert still[2] == pytest.approx(still[0], abs=1e-12)


def test_the_published_reach_is_not_beyond_the_arm() -> None:
    for name in NAMES:
        arm = robot(name)
        if arm.reach is None or arm.kind == "gantry":
            continue
        stretched = sum(math.hypot(row.a, 0.0 if row.prismatic else row.d) for row in arm.rows)
        assert arm.reach <= stretched, f"{name}: {arm.reach} m of reach with {stretched:.3f} m of links"


@pytest.mark.parametrize("name", ["puma560", "cobra600", "ur5e"])
def test_link_shapes_are_closed_solids(name: str) -> None:
    for solid, _ in robot(name).link_solids:
        assert solid is not None
        assert solid.mesh(2e-3).closed
        assert solid.volume > 0.0


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_all_link_shapes_are_closed_solids(name: str) -> None:
    for solid, _ in robot(name).link_solids:
        assert solid is not None
        assert solid.mesh(2e-3).closed


def test_the_page_lists_the_library_as_it_is() -> None:
    page = (Path(__file__).parents[2] / "docs" / "robots.md").read_text(encoding="utf-8")
    assert table() in page, "write `workcell.robots.catalogue.table()` into docs/robots.md"


def test_the_page_prints_the_orientation_table_as_it_is() -> None:
    page = (Path(__file__).parents[2] / "docs" / "robots.md").read_text(encoding="utf-8")
    assert orientation.table() in page, "write `workcell.robots.orientation.table()` into docs/robots.md"
