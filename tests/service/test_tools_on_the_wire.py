"""Tools and grippers on the wire: under their robots in the tree, and with the flange in the stream."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.service import frames, protocol
from workcell.service.mirror import Mirror
from workcell.service.shapes import Shapes
from workcell.service.shown import Showing
from workcell.simulation.playback import poses_of

ARM = "create robot Arm ur10e joints 0,-90,90,0,90,0"
RIGS = {
    "own gripper": ((ARM,), ("Arm/two-finger gripper", "Arm/right finger"), "move-joints-relative Arm 20,10,0,0,30,40"),
    "cups": (
        (ARM, "create tool vac vacuum-2x2", "fit tool vac to Arm"), ("Arm/vac",),
        "move-joints-relative Arm 20,10,0,0,30,40",
    ),
    "fingers": (
        (ARM, "create gripper hand", "modify hand opening 60mm", "modify hand reach 120mm", "fit tool hand to Arm"),
        ("Arm/hand", "Arm/left finger"), "move-joints-relative Arm 20,10,0,0,30,40",
    ),
    "own suction": ((), ("Arm/cups",), "move-joints-relative Arm 20,10,0,0,30,40"),
    "on a rail": (
        (ARM, "create tool vac vacuum-2x2", "fit tool vac to Arm", "add rail track 3000", "mount Arm on track"),
        ("Arm/vac",), "move-joints-relative track 500",
    ),
    "carried by an arm": (
        (ARM, "create robot Small ur3e", "mount Small on Arm link 6 at 0,0,150", "create tool vac vacuum-2x2",
         "fit tool vac to Small"),
        ("Arm/two-finger gripper", "Small/vac"), "move-joints-relative Arm 20,10,0,0,30,40",
    ),
}  # fmt: skip


def made(rig):
    cell = wc.Cell()
    if rig == "own suction":
        hand = wc.Suction(cups=(wc.Cup((0.0, 0.0, 0.08), 0.04),), name="cups")
        cell.add_robot(wc.robot("ur10e").replace(gripper=hand), name="Arm")
    for line in RIGS[rig][0]:
        cell.do(line)
    return cell


@pytest.mark.parametrize("rig", RIGS)
def test_a_tool_moves_with_its_flange_in_the_stream(rig):
    _, tools, move = RIGS[rig]
    with made(rig) as cell:
        showing = Showing(Shapes())
        showing.take(cell.session)
        cell.do(move)
        showing.take(cell.session)
        shown = showing.now
        assert shown is not None
        track, picture = shown.track, shown.picture
        names = {one.name: one.id for one in picture.bodies.values()}
        assert {names[tool] for tool in tools} <= set(track.bodies)
        end = track.recording.end
        ids = list(track.bodies)
        sent, poses, _ = frames.read_motion(frames.unpacked(shown.motion(protocol.Motion(1, 0.0, end, ids, []))))
        for tool in tools:
            owner = cell.snapshot().robot(cell.snapshot().body(tool).owner)
            for number, time in enumerate(sent):
                state = track.recording.state_at(float(time))
                flange = wc.Pose(cell.snapshot().link_frames(state, owner.name)[owner.robot.n])
                drawn = wc.Pose.from_quaternion(*np.split(poses[number, ids.index(names[tool])], [3]))
                at_first = cell.snapshot().link_frames(track.recording.start, owner.name)[owner.robot.n]
                on_flange = np.linalg.inv(at_first) @ cell.snapshot().body_pose(track.recording.start, tool).matrix
                np.testing.assert_allclose(drawn.matrix, flange.matrix @ on_flange, atol=1e-5)
            assert np.ptp(poses[:, ids.index(names[tool]), :3], axis=0).max() > 0.05


@pytest.mark.parametrize("rig", RIGS)
def test_what_is_not_in_the_stream_stands_where_the_scene_shows_it(rig):
    with made(rig) as cell:
        showing = Showing(Shapes())
        cell.do(RIGS[rig][2])
        showing.take(cell.session)
        shown = showing.now
        assert shown is not None
        times = np.linspace(0.0, shown.track.recording.end, 7)
        still = [one for one in shown.picture.bodies.values() if one.id not in shown.track.bodies]
        there = poses_of(shown.snapshot, shown.track.recording, times, [one.name for one in still])
        for column, one in enumerate(still):
            scene = wc.Pose.from_quaternion(one.pose[:3], one.pose[3:])
            np.testing.assert_allclose(there[:, column], np.broadcast_to(scene.matrix, (7, 4, 4)), atol=1e-9)


def test_a_robot_names_what_is_on_its_flange_whatever_is_done_to_it():
    lines = {
        ARM: ("two-finger gripper", {"Arm/two-finger gripper", "Arm/right finger", "Arm/left finger"}),
        "create tool vac vacuum-2x2": ("two-finger gripper", None),
        "fit tool vac to Arm": ("vac", {"Arm/vac"}),
        "modify vac name cups": ("cups", {"Arm/cups"}),
        "modify Arm name Bob": ("cups", {"Bob/cups"}),
        "undo": ("cups", {"Arm/cups"}),
        "take-off Arm": ("two-finger gripper", {"Arm/two-finger gripper", "Arm/right finger", "Arm/left finger"}),
        "take-off robot:Arm": ("", set()),
        "create tool torch": ("", set()),
        "fit tool torch to Arm tcp 0,0,200": ("torch", set()),  # it has no shape
        "modify torch name gun": ("gun", set()),
    }
    with wc.Cell() as cell:
        showing, mirror = Showing(Shapes()), Mirror()
        for number, (line, (tool, bodies)) in enumerate(lines.items()):
            cell.do(line)
            messages = showing.take(cell.session)
            assert showing.now is not None
            for message in messages if number else (showing.now.picture.scene(), showing.now.track.info()):
                mirror.receive(message)
            (robot,) = showing.now.picture.robots.values()
            assert robot.tool == tool, line
            known = {one.id: one.name for one in showing.now.picture.bodies.values()}
            if bodies is not None:
                assert {known[one] for one in robot.hand} == bodies, line
            assert mirror.picture is not None
            assert mirror.picture.robots == showing.now.picture.robots


def test_a_robot_says_how_it_grips():
    with wc.Cell() as cell:
        showing = Showing(Shapes())
        for line, grips in (
            (ARM, "fingers"),
            ("create tool vac vacuum-2x2", "fingers"),
            ("fit tool vac to Arm", "surface"),
            ("take-off Arm", "fingers"),
            ("take-off robot:Arm", ""),
            ("create tool torch", ""),
            ("fit tool torch to Arm tcp 0,0,200", ""),
        ):
            cell.do(line)
            showing.take(cell.session)
            assert showing.now is not None
            (arm,) = showing.now.picture.robots.values()
            assert arm.grips == grips, line
