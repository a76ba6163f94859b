"""Robots from descriptors: their hand is where the formulas of the thesis put the last end point."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import WorkcellError
from workcell.planning.guidance.described_robots import described_robot
from workcell.planning.guidance.descriptors import HUMANOID, UNIMATE, Descriptor

ARMS = {
    "humanoid": (HUMANOID, [0.0, 0.6, 0.55, 0.3, 0.2]),
    "unimate": (UNIMATE, [0.3, 0.5, (0.4, 0.9), 0.2]),
    "base along y and z": (Descriptor.read("(a1=0, α1=0°, Δa2=0, α2=30°, Δa3=0, ay, az, 2)"), [0.0, 0.5, 0.4]),
    "everything free": (Descriptor(3, {}), [(0.1, 0.3)] * 4),
}


@pytest.mark.parametrize("name", ARMS)
def test_the_hand_is_where_the_thesis_puts_the_last_end_point(name):
    descriptor, lengths = ARMS[name]
    arm = descriptor.arm(lengths, base=(-1.0, 1.0))
    robot = described_robot(arm, name)
    names = [one.replace("_", "") for one in arm.names]
    assert sorted(robot.joint_names) == sorted(n for n, moves in zip(names, arm.moves, strict=True) if moves)
    rng = np.random.default_rng(3)
    for q in rng.uniform(robot.limits[:, 0], robot.limits[:, 1], (40, robot.n)):
        row = np.clip(0.0, arm.low, arm.high)
        for joint, value in zip(robot.joint_names, q, strict=True):
            row[names.index(joint)] = value
        points, frames = arm.placed(row)
        hand = robot.fk(q)
        assert np.allclose(hand.xyz, points[-1], atol=1e-9)
        assert np.allclose(hand.rotation, frames[-1], atol=1e-9)


LINE = 'create robot Links descriptor "(a1=0, α1=0°, Δa2=0, α2=90°, Δa4=0, 3)" lengths 0,400,300..600,200'


def test_it_lives_like_any_robot(tmp_path):
    with wc.Cell() as cell:
        cell.do(LINE)
        cell.do("find-path Links joints 30,20,450mm,0,10")
        cell.do("guide Links 300,300,200 --position")
        cell.do("modify Links name Arm")
        assert cell.replayed().snapshot().hash == cell.snapshot().hash
        cell.do(f'save "{tmp_path}/a.cell"')
        with wc.Cell.open(tmp_path / "a.cell") as other:
            assert other.snapshot().hash == cell.snapshot().hash
        for _ in range(4):
            cell.do("undo")
        assert not cell.snapshot().robots


def test_it_is_called_with_typed_parameters_too():
    with wc.Cell() as typed, wc.Cell() as called:
        typed.do(LINE)
        descriptor = {"descriptor": "(a1=0, α1=0°, Δa2=0, α2=90°, Δa4=0, 3)"}
        called.call("create robot", name="Links", model=descriptor, lengths=[0, 0.4, [0.3, 0.6], 0.2])
        assert called.snapshot().robot("Links").robot == typed.snapshot().robot("Links").robot


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('descriptor "(a1=0, 3)"', "has 4 links; give their lengths"),
        ("descriptor nonsense lengths 1", "A descriptor is written like"),
        ("descriptor", "Expected a descriptor in quotes"),
        ("puma560 lengths 1,2", "`lengths` belongs to a descriptor"),
        ('descriptor "(a1=0, α1=0°, Δa2=0, 1)" lengths 0', "has 2 lengths; found 1"),
        ('descriptor "(a1=0, α1=0°, Δa2=0, 1)" lengths 0,x', "'x' is not a number"),
        ('descriptor "(a1=0, α1=0°, 1)" lengths 0,500..300', "least and its greatest value"),
        ('descriptor "(a1=0, α1=0°, θ1=0°, Δa2=0, 1)" lengths 0,300', "Everything of this arm is fixed"),
    ],
)
def test_bad_descriptors_get_one_sentence(line, words):
    with wc.Cell() as cell:
        with pytest.raises(WorkcellError, match=words):
            cell.do(f"create robot L {line}")
        assert not cell.snapshot().robots
