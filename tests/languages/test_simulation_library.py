"""The Simulation Library by name: matrices in row-vector form, moves that stop at collisions, and the surgical program."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import workcell as wc
from workcell.collision.batch import check_batch
from workcell.errors import FileProblem, InvalidValue, Refused
from workcell.languages import simulation_library as lib
from workcell.languages.robosim.drawing import Drawing, Shape
from workcell.languages.robosim.links import drawings_of_robot, link_files, object_file
from workcell.robots.formats import link_file
from workcell.spatial.pose import Pose

EXAMPLES = Path(__file__).parents[2] / "examples"
APPENDIX_B = [
    "S_GET_ROBOT",
    "S_GET_ENV",
    "S_GET_OBJ",
    "S_PRETRANSLATE",
    "S_POSTTRANSLATE",
    "S_PREROTATE",
    "S_POSTROTATE",
    "S_MOVEJ",
    "S_CLEAR_JOINT",
    "S_MOVEJI",
    "S_USE",
    "S_DONTUSE",
    "S_CHECK",
    "S_CHECK_ROBOT",
    "S_C_SWITCH",
    "S_COLLIDE",
    "S_SET_INV",
    "S_KINV",
    "S_JACOB",
    "s_translate",
    "s_rotate",
    "s_rotatez",
    "s_transpose",
    "s_invert",
]


@pytest.fixture
def puma(tmp_path):
    """A Puma as link files, and a ball 8 cm across as an object file, in millimetres."""
    links = drawings_of_robot(wc.robot("puma560"), "P")
    for stored, file in zip(links, link_files(links), strict=True):
        (tmp_path / stored.name).write_text(link_file.write(file))
    ball = Drawing((Shape(wc.solids.sphere(0.04), Pose.identity()),))
    (tmp_path / "BALL.OBJ").write_text(link_file.write(object_file(ball)))
    lib.S_BEGIN()
    return lib.S_GET_ROBOT(str(tmp_path / "P"))


def hand(r):
    """Where the hand is in the world, row-vector form [mm]."""
    matrix = (r.pose @ r.robot.fk(r.joints)).matrix.T.copy()
    matrix[3, :3] *= 1e3
    return matrix


def test_every_function_of_appendix_b_is_there():
    assert all(callable(getattr(lib, name)) for name in APPENDIX_B)


def test_pre_moves_along_the_world_and_post_along_the_thing(puma):
    """The law of row vectors, computed here: POS' = POS · T for pre, T · POS for post."""
    rng = np.random.default_rng(1)
    want = np.eye(4)

    def shift(x, y, z):
        made = np.eye(4)
        made[3, :3] = x, y, z
        return made

    def turn(x, y, z):
        made = np.eye(4)
        lib.s_rotate(made, x, y, z)
        return made

    for _ in range(5):
        v, w = rng.uniform(-300, 300, 3), rng.uniform(-2, 2, 3)
        for move, rotate, order in (
            (lib.S_PRETRANSLATE, lib.S_PREROTATE, lambda X, T: X @ T),
            (lib.S_POSTTRANSLATE, lib.S_POSTROTATE, lambda X, T: T @ X),
        ):
            move(puma, *v)
            want = order(want, shift(*v))
            rotate(puma, *w)
            want = order(want, turn(*w))
    assert pytest.approx(want, abs=1e-9) == puma.POS


def test_matrices_change_in_place():
    rng = np.random.default_rng(2)
    mat = Pose.from_axis_angle(rng.normal(size=3), 1.0).matrix.T.tolist()
    mat[3][:3] = [1.0, 2.0, 3.0]
    before = np.array(mat)
    lib.s_translate(mat, 10, 20, 30)
    assert mat[3][:3] == [11, 22, 33]
    lib.s_invert(mat)
    lib.s_invert(mat)
    lib.s_translate(mat, -10, -20, -30)
    lib.s_transpose(mat)
    lib.s_transpose(mat)
    assert np.array(mat) == pytest.approx(before)
    turned = np.eye(4)
    lib.s_rotatez(turned, math.pi / 2)
    assert np.array([1, 0, 0, 1]) @ turned == pytest.approx([0, 1, 0, 1])  # a row vector times the matrix
    with pytest.raises(InvalidValue, match="singular"):
        lib.s_invert([[0.0] * 4 for _ in range(4)])


def test_kinv_finds_the_joints_of_a_moved_robot(puma):
    lib.S_PRETRANSLATE(puma, 250, 0, 100)
    lib.S_PREROTATE(puma, 0.1, 0.2, 0.3)
    joints = lib.S_JOINT()
    joints[:6] = [0.3, 0.4, -1.0, 0.2, 0.5, -0.3]
    assert lib.S_MOVEJ(puma, joints)
    goal = hand(puma)
    found = lib.S_JOINT()
    assert lib.S_KINV(puma, goal, found, False)
    assert found == pytest.approx(joints, abs=1e-9)
    lib.S_CLEAR_JOINT(found)
    assert not found.any()
    assert lib.S_KINV(puma, goal, found, True)
    lib.S_MOVEJ(puma, found)
    assert hand(puma) == pytest.approx(goal, abs=1e-6)
    goal[3, 0] += 9000
    assert not lib.S_KINV(puma, goal, found, False)


def test_the_jacobian_is_that_of_finite_differences(puma):
    joints = np.array([0.3, 0.4, -1.0, 0.2, 0.5, -0.3])
    lib.S_MOVEJ(puma, joints)
    jac = np.zeros((6, 6))
    lib.S_JACOB(joints, jac)
    for j in range(6):
        step = np.zeros(6)
        step[j] = 1e-6
        ahead, behind = (puma.robot.fk(joints + s * step).xyz * 1e3 for s in (1, -1))
        assert jac[:3, j] == pytest.approx((ahead - behind) / 2e-6, abs=1e-4)


def test_a_move_stops_at_the_step_that_touches_and_fills_the_record(puma, tmp_path):
    ball = lib.S_GET_OBJ(str(tmp_path / "BALL.OBJ"))
    start, goal = np.array([0.0, 0, -1.5, 0, 0.5, 0]), np.array([1.2, 0, -1.5, 0, 0.5, 0])
    lib.S_MOVEJ(puma, (start + goal) / 2)
    lib.S_PRETRANSLATE(ball, *hand(puma)[3, :3])
    lib.S_MOVEJ(puma, start)
    lib.S_USE(puma)
    lib.S_USE(ball)
    assert lib.S_MOVEJI(puma, goal, 40)  # nothing is tested
    lib.S_MOVEJ(puma, start)
    lib.S_C_SWITCH(1)
    assert not lib.S_MOVEJI(puma, goal, 40)
    record = lib.S_CO
    assert record.S1 is puma
    assert record.S2 is ball
    assert record.L2 == -1
    assert 4 <= record.L1 <= 6
    done = puma.joints[0] / 1.2
    assert 0 < done < 0.55
    assert done * 40 == pytest.approx(round(done * 40))
    assert lib.S_COLLIDE()
    assert lib.S_CHECK(ball)
    assert not lib.S_CHECK_ROBOT(puma)
    assert record.S1 is None  # the last test found nothing
    lib.S_DONTUSE(ball)
    assert lib.S_MOVEJI(puma, goal, 40)
    lib.S_MOVEJ(puma, start)
    lib.S_USE(ball)
    assert lib.S_MOVEJI(puma, goal, 1)  # as in the library, nothing is tested between steps


def test_two_robots_of_one_file_are_told_apart(puma, tmp_path):
    other = lib.S_GET_ROBOT(str(tmp_path / "P"))
    lib.S_PRETRANSLATE(other, 100, 0, 0)
    lib.S_USE(puma)
    lib.S_USE(other)
    assert lib.S_COLLIDE()
    assert {lib.S_CO.S1, lib.S_CO.S2} == {puma, other}
    lib.S_PRETRANSLATE(other, 5000, 0, 0)
    assert not lib.S_COLLIDE()


def test_what_is_wrong_is_one_sentence(puma, tmp_path):
    with pytest.raises(InvalidValue, match="needs 6 joint values, or an array of 18; found 3"):
        lib.S_MOVEJ(puma, [0, 0, 0])
    with pytest.raises(InvalidValue, match="at least one step; found 0"):
        lib.S_MOVEJI(puma, np.zeros(6), 0)
    with pytest.raises(FileProblem, match=r"NONE\.OBJ cannot be read"):
        lib.S_GET_OBJ(str(tmp_path / "NONE.OBJ"))
    with pytest.raises(FileProblem):
        lib.S_GET_ROBOT(str(tmp_path / "none"))
    with pytest.raises(InvalidValue, match="is not a robot"):
        lib.S_MOVEJ(lib.S_GET_ENV(str(tmp_path / "BALL.OBJ")), np.zeros(6))
    with pytest.raises(InvalidValue, match="The unit 'furlong' is not known"):
        lib.S_BEGIN("furlong")
    lib.S_BEGIN()
    with pytest.raises(Refused, match="the robot that S_KINV or S_MOVEJ used last"):
        lib.S_JACOB(np.zeros(6), np.zeros((6, 6)))


def test_robosim_source_and_shape_files_can_be_loaded(tmp_path):
    lib.S_BEGIN("cm")
    (tmp_path / "head.robosim").write_text("CYLINDER R=20, H=60\nSTORE-FILE HEAD\nEND\n")
    wc.solids.box(0.1, 0.1, 0.1).save(tmp_path / "box.step")
    head, box = lib.S_GET_OBJ(str(tmp_path / "head.robosim")), lib.S_GET_ENV(str(tmp_path / "box.step"))
    assert head.solids[0].volume == pytest.approx(math.pi * 0.2**2 * 0.6)
    lib.S_USE(head)
    lib.S_USE(box)
    assert lib.S_CHECK(box)  # one inside the other, which the library of the report missed
    lib.S_PRETRANSLATE(box, 26, 0, 0)
    assert not lib.S_CHECK(box)


def test_the_surgical_program_finds_the_points_of_the_study(tmp_path, monkeypatch, capsys):
    """The same points are free as in examples/surgical_positioner.py, which asks for all branches at once."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.syspath_prepend(str(EXAMPLES / "programs"))
    import surgical
    import surgical_positioner as study

    for name in ("surgical", "surgical_positioner"):
        monkeypatch.delitem(sys.modules, name)
    surgical.write_models(tmp_path, study.positioner(), study.HEAD)
    found = surgical.sim(tmp_path, 20)
    model = study.study_model()
    placed = model.snapshot.robots[0]
    X_base_world = placed.X_parent_base.inverse()
    errors = []
    for y in (-20, 0, 20):
        for degrees in range(0, 105, 5):
            pose = X_base_world @ study.hand_pose(y * 0.01, math.radians(degrees))
            q = [one.q for one in placed.robot.ik(pose)]
            want = "unreachable"
            if q:
                want = "collision" if check_batch(model, {"Arm": np.array(q)}).touching.all() else "free"
                steps = [np.abs(placed.robot.jacobian(one)).sum(axis=1) * 2 * math.pi / 4096 for one in q]
                errors.append([100 * float(np.linalg.norm(step[:3])) for step in steps])
            assert (y, degrees) in found[want]
    assert sum(len(points) for points in found.values()) == 63
    said = re.findall(r"distance error ([\d.]+)", (tmp_path / "testout").read_text())
    for mine, theirs in zip(map(float, said), errors, strict=True):
        assert min(abs(mine - one) for one in theirs) < 1e-5
    assert capsys.readouterr().out.count("did not converge") == len(found["unreachable"])
