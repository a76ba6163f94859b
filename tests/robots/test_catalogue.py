"""The library: every file is sound, sourced, and agrees with a second source."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

from workcell.errors import UnknownName
from workcell.robots.build import check_error, check_passes
from workcell.robots.catalogue import robot, robots
from workcell.robots.robot import Robot

NAMES = robots()


@pytest.mark.parametrize("name", NAMES)
def test_every_robot_agrees_with_a_second_source(name: str) -> None:
    arm = robot(name)
    assert arm.checks, f"{name} has no check pose"
    for check in arm.checks:
        assert check.source
        assert check_passes(arm, check), (
            f"{name} misses a check by {check_error(arm, check)} (m, rad): {check}"
        )


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
    with pytest.raises(
        UnknownName, match=r"There is no robot called 'puma561'; did you mean puma560"
    ) as caught:
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
