"""Arms of the library as generalised links: the same places of the tip, the descriptors of the thesis, and refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from guidance_scenes import POSTS

import workcell as wc
from workcell.collision.bodies import collision_model
from workcell.errors import DeadEnd, Refused, UnknownName
from workcell.kinematics.dh import Chain
from workcell.planning.guidance.arms import ArmConstants
from workcell.planning.guidance.cell_arms import LinkedArm
from workcell.planning.guidance.constants import Constants
from workcell.planning.guidance.descriptors import HUMANOID, Descriptor
from workcell.planning.guidance.mapping import mapped
from workcell.planning.guidance.obstacles import Packed
from workcell.planning.guidance.runs import guide_links
from workcell.planning.guidance.step import step
from workcell.robots.catalogue import robot, robots

UNMAPPED = {"cobra600": 3, "gantry": 2}
"""Arms with a joint that can draw its link in to nothing, and which joint."""


def some_joints(arm, rng):
    low, high = np.clip(arm.limits.T, -6.3, 6.3)
    return rng.uniform(low, high)


@pytest.mark.parametrize("name", sorted(set(robots()) - set(UNMAPPED)))
def test_the_tip_of_the_links_is_where_the_hand_is(name):
    arm, rng = robot(name), np.random.default_rng(3)
    point = wc.Pose.from_xyz(*rng.uniform(-0.1, 0.1, 3))
    for tip in (wc.Pose.identity(), point) if name != "stanford" else (wc.Pose.identity(),):
        found = mapped(arm.chain, arm.limits, (arm.chain.X_n_tool @ tip).xyz)
        for _ in range(5):
            q = some_joints(arm, rng)
            points = found.X_base_arm.apply(found.arm.end_points(found.parameters(q)))
            np.testing.assert_allclose(points[-1], (arm.fk(q) @ tip).xyz, atol=1e-12)


def test_the_pages_count_the_arms_as_the_library_does():
    root, count = Path(__file__).parents[2], len(robots())
    assert f"{count - len(UNMAPPED)} of the {count} arms" in (root / "docs/guidance.md").read_text(encoding="utf-8")
    assert f"The library has {count} arms" in (root / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["puma560", "iiwa14", "loeff_unimate", "ur10e"])
def test_rates_of_parameters_are_rates_of_joints(name):
    arm, rng = robot(name), np.random.default_rng(4)
    found = mapped(arm.chain, arm.limits, arm.chain.X_n_tool.xyz).in_units(0.125, 0.0)
    q, rates = some_joints(arm, rng), rng.normal(size=found.joints.shape)
    moved = (found.parameters(q + 1e-6 * found.joint_rates(rates, arm.n)) - found.parameters(q)) / 1e-6
    np.testing.assert_allclose(moved[found.joints >= 0], rates[found.joints >= 0], atol=1e-7)
    assert not moved[found.joints < 0].any()


@pytest.mark.parametrize(("name", "joint"), UNMAPPED.items())
def test_arms_that_cannot_be_mapped_are_refused_with_the_joint(name, joint):
    arm = robot(name)
    with pytest.raises(Refused, match=f"Joint {joint} can draw its link in to nothing") as caught:
        mapped(arm.chain, arm.limits, arm.chain.X_n_tool.xyz)
    assert caught.value.evidence["joint"] == joint


def test_a_wrist_that_meets_in_a_point_is_refused_where_it_moves_the_tip():
    arm = robot("stanford")
    with pytest.raises(Refused, match="Joint 5 meets the joint before it in a point"):
        mapped(arm.chain, arm.limits, (0.01, 0.02, 0.1))


def test_joints_that_meet_in_a_point_are_refused():
    bent = Chain([(0, 0, 1, 0), (0, 0, 0, 1.0), (0, 0, 0, 1.0), (0, 0, 1, 0)])
    with pytest.raises(Refused, match="Joint 3 meets the joint before it in a point"):
        mapped(bent, [(-3, 3)] * 4, (0.0, 0.0, 0.0))


def test_the_arms_of_the_thesis_have_its_descriptors():
    humanoid, unimate = (robot(name) for name in ("loeff_humanoid", "loeff_unimate"))
    assert Descriptor.of(mapped(humanoid.chain, humanoid.limits, humanoid.chain.X_n_tool.xyz).arm) == HUMANOID
    found = Descriptor.of(mapped(unimate.chain, unimate.limits, unimate.chain.X_n_tool.xyz).arm)
    assert str(found) == "(a1=0, α1=0°, Δa2=0, α2=90°, Δa4=0, 3)"  # UNIMATE, with a link 1 of no length


def plain_cell():
    cell = wc.Cell()
    cell.add_robot("loeff6", name="Arm")
    for number, post in enumerate(POSTS):
        x, y, _ = post.a
        cell.add_solid(wc.solids.cylinder(post.radius, 4.0), name=f"post{number}", at=wc.Pose.from_xyz(x, y, 0.0))
    return cell


def test_a_step_in_the_cell_is_the_step_of_the_thesis():
    """The posts of the cell are prisms of many faces: their elements push as the cylinders of the thesis do."""
    cell, goal = plain_cell(), (6.8, 8.0, 0.0)
    arm = LinkedArm.of(collision_model(cell.snapshot(), warn=False), "Arm", (0.0, 0.0, 0.0))
    known = robot("loeff6")
    thin = mapped(known.chain, known.limits, (0.0, 0.0, 0.0)).arm
    run = guide_links(thin, thin.posture(cell.state.joints["Arm"]), goal, POSTS, Constants(reach=0.5), period=0.1)
    compared = 0
    for x in run.states[::10]:
        state = cell.state.with_joints("Arm", x[13:19])
        rates, found = arm.step(state, goal, np.full(6, 99.0), ArmConstants(speed=0.4, reach=0.4))
        if found.clearance >= 0.4:  # bodies out of reach are left out
            continue
        thick = step(thin, x, goal, Packed.of(POSTS)).clearance - found.clearance  # the plates of the arm
        assert 0.08 < thick < 0.2
        links = mapped(known.chain, known.limits, (0.0, 0.0, 0.0), thick).arm
        expected = step(links, x, goal, Packed.of(POSTS), Constants(rate_cap=10.0))
        np.testing.assert_allclose(rates, expected.rates[13:19], atol=0.03 * np.abs(expected.rates).max())
        compared += 1
    assert compared >= 3


def test_the_example_of_the_thesis_arrives_in_the_plant():
    cell = plain_cell()
    found = cell.do(
        "guide Arm 6800,8000,0 --position speed 400mm/s keep 400 every 100ms within 60s tolerance 40 method thesis"
    )
    assert found.miss <= 0.04
    assert 0.2 < found.clearance < 0.5
    assert 26.0 < found.duration < 33.0  # 27.6 for lines without mass or thickness


def test_other_units_and_speeds_give_the_same_way_at_another_pace():
    cell = plain_cell()
    arm = LinkedArm.of(collision_model(cell.snapshot(), warn=False), "Arm", (0.0, 0.0, 0.0))
    slow = arm.step(cell.state, (6.8, 8.0, 0.0), np.full(6, 99.0), ArmConstants(speed=0.1, reach=0.3))[0]
    fast = arm.step(cell.state, (6.8, 8.0, 0.0), np.full(6, 99.0), ArmConstants(speed=0.2, reach=0.3))[0]
    np.testing.assert_allclose(2.0 * slow, fast)
    held = arm.step(cell.state, (6.8, 8.0, 0.0), np.full(6, 0.01), ArmConstants(speed=0.2, reach=0.3))[0]
    assert np.abs(held).max() == pytest.approx(0.01)  # eq 3-2: all slow down together
    np.testing.assert_allclose(held / np.abs(held).max(), fast / np.abs(fast).max())


def test_the_command_refuses_arms_and_words_that_do_not_fit():
    cell = wc.Cell()
    cell.do("create robot Scara cobra600")
    with pytest.raises(Refused, match=r"Joint 3 can draw its link in to nothing.*use `method jacobian`"):
        cell.do("guide Scara 300,200,100 --position method thesis")
    assert cell.session.simulator.recording.duration == 0.0
    with pytest.raises(UnknownName, match="magic"):
        wc.Simulator(cell).robot("Scara").guide(wc.Pose.identity(), method="magic")


def test_a_program_step_has_the_same_words():
    cell = plain_cell()
    line = (
        "guide Arm 6800,8000,0 --position speed 400mm/s keep 400 every 100ms tolerance 40 method thesis resolution 0.01"
    )
    cell.do(f'write program go "{line}"')
    assert "no mistakes" in str(cell.do("check program go"))
    cell.do("run go")
    stepped = cell.state.joints["Arm"]
    cell.undo()
    cell.do(line)
    np.testing.assert_array_equal(stepped, cell.state.joints["Arm"])


def test_coarse_encoders_are_read_by_the_command():
    cell = plain_cell()
    line = "guide Arm 3000,-4000,0 --position speed 800mm/s keep 200 tolerance 60"
    cell.do(line)
    exact = cell.state.joints["Arm"]
    cell.undo()
    cell.do(f"{line} resolution 0.5")
    assert not np.array_equal(exact, cell.state.joints["Arm"])
    cell.undo()
    with pytest.raises(DeadEnd):  # it cannot be read that exactly
        cell.do("guide Arm 3000,-4000,0 --position speed 800mm/s keep 200 tolerance 0.01 resolution 3 within 15s")
