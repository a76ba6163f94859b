"""The solutions of Ding's two case studies, verified against the targets he prints."""

from __future__ import annotations

import numpy as np
import pytest
from kinematics_arms import angles_apart, facts

from workcell.kinematics.dh import Chain
from workcell.kinematics.forward import tool_pose
from workcell.kinematics.inverse import ik
from workcell.spatial.pose import Pose
from workcell.spatial.units import deg, mm

FACTS = facts("ding.json")
ARMS = {arm["name"]: arm for arm in FACTS["arms"]}
TARGETS = [
    pytest.param(arm["name"], target, id=f"{arm['name']} table {target['table']} {target['kind']}")
    for arm in FACTS["arms"]
    for target in arm["targets"]
]


def chain_of(name: str) -> Chain:
    return Chain([(0.0, r["d"] * mm, r["a"] * mm, r["alpha"] * deg) for r in ARMS[name]["dh"]])


def test_there_are_88_and_16_solutions() -> None:
    counts = {"printed": 0, "consistent": 0}
    for arm in FACTS["arms"]:
        for target in arm["targets"]:
            counts[target["kind"]] += len(target["solutions"])
    assert counts == {"printed": 88, "consistent": 16}


@pytest.mark.parametrize("name", ARMS)
def test_home_poses(name: str) -> None:
    arm = ARMS[name]
    pose = tool_pose(chain_of(name), np.array(arm["home"]) * deg)
    assert pose.xyz / mm == pytest.approx(arm["home_xyz"], abs=1e-9)


@pytest.mark.parametrize(("name", "target"), TARGETS)
def test_all_eight_in_the_printed_order(name: str, target: dict) -> None:
    chain = chain_of(name)
    pose = Pose.from_xyz_angles(np.array(target["xyz"]) * mm, np.array(target["ypr"]) * deg, "ding_ypr")
    solutions = ik(chain, pose)
    assert len(solutions) == 8
    for column, (solution, expected) in enumerate(zip(solutions, target["solutions"], strict=True), start=1):
        assert solution.label == tuple(expected[:3])
        q = np.array(expected[3:]) * deg
        if column in target["wrist_singular"]:
            assert solution.singular == ("wrist",)
            assert np.abs(solution.q[:3] - q[:3]).max() < 1e-6
            assert tool_pose(chain, solution.q).is_close(tool_pose(chain, q), 1e-7, 1e-6)
        else:
            assert angles_apart(chain, solution.q, q) < 1e-6
        assert tool_pose(chain, solution.q).is_close(pose, 1e-12, 1e-7)


def test_the_elbow_words_are_physical() -> None:
    """E = +1 is the lower elbow of the IRB 6400 (its a2 is negative) and the upper one of the ARC Mate."""
    words = {}
    for name in ARMS:
        pose = tool_pose(chain_of(name), np.array([10, 70 if "ABB" in name else -70, 20, 30, 40, 50]) * deg)
        words[name] = {s.label: s.words for s in ik(chain_of(name), pose)}
    assert "elbow down" in words["ABB IRB 6400"][-1, 1, 1]
    assert "elbow up" in words["Fanuc ARC Mate 120iL"][-1, 1, 1]
    for found in words.values():
        assert found[1, 1, 1].startswith("right arm")
        assert found[-1, 1, 1].startswith("left arm")
        assert found[1, 1, 1].endswith("wrist down")
