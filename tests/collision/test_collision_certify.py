"""Proofs about motions: what is said to be free is free, what is said to touch does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from collision_cells import arm, box_mesh, cell_of, clutter, mesh_of
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.collision.batch import check_batch
from workcell.collision.bodies import collision_model
from workcell.collision.certify import certify
from workcell.collision.check import check
from workcell.collision.clearance import clearance, distance_between
from workcell.collision.moving import state_during
from workcell.collision.pairs import PairTable
from workcell.collision.proof import ContactAt, Free, Undecided
from workcell.errors import InvalidValue, UnknownName
from workcell.motion.curve import HandCurve
from workcell.motion.pose_motion import PoseMotion
from workcell.motion.profiles import linear
from workcell.motion.trajectory import Trajectory
from workcell.spatial.pose import Pose
from workcell.world.state import Attachment


def pointer_cell(plate_at, plate=(0.001, 0.3, 0.3), movable=()):
    """A planar arm stretched along x, 1.1 m long, and a plate."""
    things = {"plate": (box_mesh(*plate), plate_at)}
    snapshot, meshes = cell_of({"Arm": (arm("planar"), Pose.identity())}, things, movable)
    return collision_model(snapshot, PairTable().test_self("Arm", False), meshes=meshes)


def swing(degrees_from, degrees_to):
    q0, q1 = np.array([degrees_from, 0, 0]), np.array([degrees_to, 0, 0])
    return {"Arm": linear(np.radians(q0), np.radians(q1), 1.0)}


def test_a_thin_plate_between_two_samples_is_found():
    # The plate is 1 mm thick across the way of the arm; the motion is one step of 5°.
    at = (
        Pose.from_axis_angle((0, 0, 1), math.radians(2.5))
        @ Pose.from_xyz(1.2, 0, 0.3)
        @ Pose.from_axis_angle((0, 0, 1), math.pi / 2)
    )
    model = pointer_cell(at, plate=(0.001, 0.3, 0.3))
    motion = swing(-5, 10)
    ends = [model.snapshot.initial.with_joints("Arm", motion["Arm"].position(t)) for t in (0.0, motion["Arm"].duration)]
    assert not check_batch(model, ends).touching.any()
    found = certify(model, motion)
    assert isinstance(found, ContactAt)
    assert found.pair == ("Arm/link 3", "plate")
    assert 0.0 < found.last_free < found.time
    assert found.distance == 0.0
    assert check(model, state_during(model, model.snapshot.initial, motion, found.time))
    before = clearance(model, state_during(model, model.snapshot.initial, motion, found.last_free))
    assert 0.0 < before.distance < 1e-4
    assert str(found).startswith("Arm/link 3 touches plate at ")


def test_a_pass_at_half_a_millimetre_is_proved_with_a_tight_bound():
    # The tip sweeps a circle; the plate stands half a millimetre outside it.
    far = pointer_cell(Pose.from_xyz(3.0, 0.0, 0.32))
    tip = np.linalg.norm(far.body("Arm/link 3").tree.corners().reshape(-1, 3)[:, :2] + [0.0, 0.0], axis=1).max()
    reach = 0.0
    state = far.snapshot.initial
    X = far.snapshot.body_poses(state)[far.index["Arm/link 3"]]
    for corner in far.body("Arm/link 3").tree.corners().reshape(-1, 3):
        reach = max(reach, float(np.linalg.norm((X[:3, :3] @ corner + X[:3, 3])[:2])))
    assert tip < reach
    model = pointer_cell(Pose.from_xyz(reach + 0.0005 + 0.0005, 0.0, 0.32))
    found = certify(model, swing(-40, 40))
    assert isinstance(found, Free)
    assert 0.00045 <= found.bound <= 0.0005 + 1e-9
    assert found.bound <= found.least
    assert found.pair == ("Arm/link 3", "plate")
    closer = pointer_cell(Pose.from_xyz(reach + 0.0005 - 1e-5, 0.0, 0.32))
    assert isinstance(certify(closer, swing(-40, 40)), ContactAt)


def test_a_margin_is_proved_or_its_violation_is_found():
    model = pointer_cell(Pose.from_xyz(1.2, 0.0, 0.32))
    free = certify(model, swing(-40, 40))
    assert isinstance(free, Free)
    kept = model.with_pairs(model.pairs.require(free.bound * 0.9))
    assert isinstance(certify(kept, swing(-40, 40)), Free)
    broken = model.with_pairs(model.pairs.require(free.least * 1.05))
    found = certify(broken, swing(-40, 40))
    assert isinstance(found, ContactAt)
    assert 0.0 < found.distance <= found.margin


def test_deviations_are_subtracted_and_can_leave_it_undecided():
    things = {"plate": (box_mesh(0.001, 0.3, 0.3), Pose.from_xyz(1.2, 0.0, 0.32))}
    snapshot, meshes = cell_of({"Arm": (arm("planar"), Pose.identity())}, things)
    table = PairTable().test_self("Arm", False)
    exact = certify(collision_model(snapshot, table, meshes=meshes), swing(-40, 40))
    plate = meshes["plate"]
    meshes["plate"] = mesh_of(plate.vertices, plate.triangles, deviation=0.01)
    loose = certify(collision_model(snapshot, table, meshes=meshes), swing(-40, 40))
    assert isinstance(exact, Free)
    assert isinstance(loose, Free)
    assert loose.bound <= exact.least - 0.01
    meshes["plate"] = mesh_of(plate.vertices, plate.triangles, deviation=0.5)
    found = certify(collision_model(snapshot, table, meshes=meshes), swing(-40, 40))
    assert isinstance(found, Undecided)
    assert found.reason == "the meshes are 500 mm apart and they may lie 500 mm off their solids"
    assert str(found).endswith("use finer meshes (`collision_model(snapshot, tolerance=...)`).")
    assert found.interval[0] >= found.last_free


def random_motion(draw_rng, robot):
    q0, q1 = draw_rng.uniform(robot.limits[:, 0], robot.limits[:, 1], (2, robot.n)) * 0.7
    kind = draw_rng.integers(3)
    if kind == 0:
        step = q1 - q0
        return linear(q0, q0 + step / max(1.0, np.abs(step).max()), 1.0)
    if kind == 1:
        c = np.zeros((1, 4, robot.n))
        c[0, 0], c[0, 1:] = q0, draw_rng.uniform(-0.6, 0.6, (3, robot.n))
        return Trajectory(np.array([0.0, 1.0]), c)
    first = linear(q0, q0 + draw_rng.uniform(-0.5, 0.5, robot.n), 1.0)
    return first.then(linear(first.end, first.end + draw_rng.uniform(-0.5, 0.5, robot.n), 0.5))


def law_for(seed, most=1.0):
    rng = np.random.default_rng(seed)
    kind = ("elbow", "scara", "planar")[seed % 3]
    robot = arm(kind)
    snapshot, meshes = cell_of({"Arm": (robot, Pose.identity())}, clutter(rng, 6))
    names = [body.name for body in snapshot.bodies]
    table = PairTable()
    for i in range(robot.n - 1):
        table = table.allow(names[i], names[i + 2], "their joints lie on one point")
    model = collision_model(snapshot, table, meshes=meshes)
    motion = random_motion(rng, robot)
    found = certify(model, {"Arm": motion}, tightness=float(rng.choice([0.0, 0.5, 0.9])))
    if isinstance(found, Free):
        travel = max(
            1,
            int(
                np.abs(np.diff(motion.sample(np.linspace(0, motion.duration, 400)), axis=0)).sum(axis=0).max() / 0.0005
            ),
        )
        Q = motion.sample(np.linspace(0.0, motion.duration, min(travel, int(4000 * most)) + 1))
        assert not check_batch(model, {"Arm": Q}).touching.any()
        for q in Q[:: max(1, len(Q) // 25)]:
            distance = clearance(model, snapshot.initial.with_joints("Arm", q)).distance
            assert distance >= found.bound
            assert found.least >= found.bound
    elif isinstance(found, ContactAt):
        state = snapshot.initial.with_joints("Arm", motion.position(found.time))
        assert distance_between(model, state, *found.pair).distance <= 1e-9
        Q = motion.sample(np.linspace(0.0, found.last_free, 800)[:-1])
        if found.last_free > 0.0:
            assert not check_batch(model, {"Arm": Q}).touching.any()
            state = snapshot.initial.with_joints("Arm", motion.position(found.last_free))
            assert clearance(model, state).distance < 1e-3
    return found


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_what_is_proved_free_is_never_found_touching(seed):
    law_for(seed)


@pytest.mark.soak
def test_what_is_proved_free_is_never_found_touching_at_full_length():
    kinds = [type(law_for(seed, 10.0)).__name__ for seed in range(20_000, 20_600)]
    print(f"{kinds.count('Free')} of 600 motions proved free, {kinds.count('ContactAt')} touch")
    assert {"Free", "ContactAt"} <= set(kinds)


def test_both_answers_occur_among_random_motions():
    kinds = [type(law_for(seed)).__name__ for seed in range(30)]
    assert kinds.count("Free") > 3
    assert kinds.count("ContactAt") > 3


# ---- several things at once ---------------------------------------------------------------------------


def test_two_arms_that_pass_each_other_in_time_are_free_and_otherwise_not():
    robots = {"A": (arm("planar"), Pose.identity()), "B": (arm("planar"), Pose.from_xyz(1.8, 0.0, 0.0))}
    snapshot, meshes = cell_of(robots, {})
    table = PairTable().test_self("A", False).test_self("B", False)
    model = collision_model(snapshot, table, meshes=meshes)
    sweep_a = linear(np.radians([-60, 0, 0]), np.radians([60, 0, 0]), 1.0)
    sweep_b = linear(np.radians([120, 0, 0]), np.radians([240, 0, 0]), 1.0)
    state = snapshot.initial.with_(joints={"A": sweep_a.start, "B": sweep_b.start})
    together = certify(model, {"A": sweep_a, "B": sweep_b}, state)
    assert isinstance(together, ContactAt)
    assert {name[:2] for name in together.pair} == {"A/", "B/"}
    mirrored = sweep_b.reversed()
    state = snapshot.initial.with_(joints={"A": sweep_a.start, "B": mirrored.start})
    assert isinstance(certify(model, {"A": sweep_a, "B": mirrored}, state), ContactAt)
    later = sweep_b.delayed(sweep_a.duration)
    state = snapshot.initial.with_(joints={"A": sweep_a.start, "B": later.start})
    first_away = certify(model, {"A": sweep_a, "B": later}, state)
    assert isinstance(first_away, (Free, ContactAt))


def test_a_carried_part_takes_part():
    model = pointer_cell(Pose.from_xyz(1.45, 0.0, 0.32))
    assert isinstance(certify(model, swing(-40, 40)), Free)
    things = {
        "plate": (box_mesh(0.001, 0.3, 0.3), Pose.from_xyz(1.45, 0.0, 0.32)),
        "rod": (box_mesh(0.6, 0.02, 0.02), Pose.identity()),
    }
    snapshot, meshes = cell_of({"Arm": (arm("planar"), Pose.identity())}, things, ("rod",))
    model = collision_model(snapshot, PairTable().test_self("Arm", False), meshes=meshes)
    state = snapshot.initial.with_(
        attached={"rod": Attachment("Arm/link 3", Pose.from_xyz(0.2, 0, 0))}, poses={"plate": things["plate"][1]}
    )
    found = certify(model, swing(-40, 40), state)
    assert isinstance(found, ContactAt)
    assert found.pair == ("rod", "plate")


def test_a_moving_body_is_met_by_relative_motion():
    model = pointer_cell(Pose.from_xyz(3.0, 0.0, 0.32), movable=("plate",))
    state = model.snapshot.initial
    push = PoseMotion.along(HandCurve.line(Pose.from_xyz(3.0, 0.0, 0.32), Pose.from_xyz(1.3, 0.0, 0.32)), 1.0)
    found = certify(model, {"plate": push})
    assert isinstance(found, Free)
    truth = distance_between(model, state_during(model, state, {"plate": push}, push.duration), "Arm", "plate").distance
    assert 0.85 * truth <= found.bound <= truth
    deeper = PoseMotion.along(HandCurve.line(Pose.from_xyz(3.0, 0.0, 0.32), Pose.from_xyz(0.9, 0.0, 0.32)), 1.0)
    hit = certify(model, {"plate": deeper})
    assert isinstance(hit, ContactAt)
    # The plate's near face meets the tip after 3.0 − 0.0005 − 1.1 m; the tip's beam ends there.
    assert hit.time == pytest.approx(3.0 - 0.0005 - 1.1, abs=1e-4)
    # Both move: the plate flees as fast as the arm follows.
    both = certify(model, {"plate": push, **swing(-10, 10)})
    assert isinstance(both, Free)


def test_a_body_that_turns_on_the_spot_meets_what_stands_in_the_way_of_its_ends():
    things = {
        "rod": (box_mesh(1.0, 0.02, 0.02), Pose.from_xyz(0, 0, 1)),
        "post": (box_mesh(0.02, 0.02, 0.5), Pose.from_xyz(0.25, 0.25, 1)),
    }
    snapshot, meshes = cell_of({}, things, ("rod",))
    model = collision_model(snapshot, meshes=meshes)
    start = Pose.from_xyz(0, 0, 1)
    for degrees, free in ((35.0, True), (86.0, False), (60.0, False)):
        turn = HandCurve.line(start, start @ Pose.from_axis_angle((0, 0, 1), math.radians(degrees)))
        found = certify(model, {"rod": PoseMotion.along(turn, 1.0)})
        assert isinstance(found, Free if free else ContactAt)
        if isinstance(found, ContactAt):
            # The post's corner lies 45° off, at 0.354 m; half the two thicknesses there are about 4° wide.
            assert found.time == pytest.approx(
                math.radians(45.0) - math.asin((0.01 + 0.01 * math.sqrt(2)) / 0.354), abs=2e-3
            )


def test_a_part_may_leave_its_support_but_not_press_into_it():
    things = {
        "table": (box_mesh(1.0, 1.0, 0.1), Pose.from_xyz(1.0, 0, -0.05)),
        "part": (box_mesh(0.1, 0.1, 0.1), Pose.from_xyz(1.0, 0, 0.05)),
    }
    snapshot, meshes = cell_of({"Arm": (arm("scara"), Pose.identity())}, things, ("part",))
    model = collision_model(snapshot, PairTable().do_not_use("Arm"), meshes=meshes)
    from workcell.collision.supports import resting, settled, supports_of

    state = snapshot.initial
    assert check(model, state)
    (support,) = supports_of(model, state, "part")
    assert (support.base, support.normal) == ("table", pytest.approx((0.0, 0.0, 1.0)))
    rests = resting(model, state, "part")
    assert check(rests, state).free
    lift = PoseMotion.along(HandCurve.line(Pose.from_xyz(1.0, 0, 0.05), Pose.from_xyz(1.0, 0, 0.4)), 0.2)
    quiet = rests
    assert isinstance(certify(quiet, {"part": lift}), Free)
    assert isinstance(certify(quiet.with_pairs(quiet.pairs.lifted("part", "table")), {"part": lift}), ContactAt)
    press = PoseMotion.along(HandCurve.line(Pose.from_xyz(1.0, 0, 0.05), Pose.from_xyz(1.0, 0, 0.049)), 0.2)
    pressed = certify(quiet, {"part": press})
    assert isinstance(pressed, ContactAt)
    assert pressed.time == pytest.approx(1e-4 / 0.2, rel=0.2)
    swing_back = PoseMotion.along(
        HandCurve.polyline([Pose.from_xyz(1.0, 0, 0.05), Pose.from_xyz(1.0, 0, 0.2), Pose.from_xyz(1.0, 0, 0.04995)]),
        0.2,
    )
    # Once clear, coming back is contact again.
    assert isinstance(certify(quiet, {"part": swing_back}), ContactAt)
    away = state.with_(poses={**state.poses, "part": Pose.from_xyz(1.0, 0, 0.2)})
    assert settled(rests, away).pairs.supports == ()
    assert settled(rests, state).pairs.supports == rests.pairs.supports
    down = PoseMotion.along(HandCurve.line(Pose.from_xyz(1.0, 0, 0.4), Pose.from_xyz(1.0, 0, 0.05)), 0.2)
    arriving = quiet.with_pairs(quiet.pairs.resting(type(support)("part", "table", support.normal, "arriving")))
    assert isinstance(
        certify(arriving, {"part": down}, away.with_(poses={**state.poses, "part": Pose.from_xyz(1.0, 0, 0.4)})), Free
    )


def together_law(seed, samples):
    """Two arms with curved motions of different lengths, one of them carrying a rod, and a bar that tumbles past."""
    rng = np.random.default_rng(seed)
    kinds = ("elbow", "scara", "planar")
    one, other = arm(kinds[seed % 3]), arm(kinds[(seed + 1) % 3])
    things = {
        **clutter(rng, 3),
        "rod": (box_mesh(0.2, 0.02, 0.02), Pose.from_xyz(0, 0, 3)),
        "bar": (box_mesh(0.5, 0.03, 0.03), Pose.from_xyz(0, 0, 4)),
    }
    snapshot, meshes = cell_of(
        {"A": (one, Pose.identity()), "B": (other, Pose.from_xyz(1.3, 0.2, 0.0))}, things, ("rod", "bar")
    )
    table = PairTable().test_self("A", False).test_self("B", False)
    model = collision_model(snapshot, table, meshes=meshes)
    motions = {}
    for name, robot, duration in (("A", one, 1.0), ("B", other, 0.6)):
        c = np.zeros((1, 4, robot.n))
        c[0, 0] = rng.uniform(robot.limits[:, 0], robot.limits[:, 1]) * 0.6
        c[0, 1:] = rng.uniform(-0.5, 0.5, (3, robot.n))
        motions[name] = Trajectory(np.array([0.0, duration]), c)
    ends = [
        Pose.from_xyz(*rng.uniform((-1.5, -1.5, 0.0), (2.5, 1.5, 1.5)))
        @ Pose.from_axis_angle(rng.normal(size=3), rng.uniform(-3.0, 3.0))
        for _ in range(2)
    ]
    motions["bar"] = PoseMotion.along(HandCurve.line(*ends), 2.0)
    held = {"rod": Attachment(f"A/link {one.n}", Pose.from_xyz(0.1, 0, 0))}
    poses = {name: at for name, (_, at) in things.items() if name != "rod"}
    start = snapshot.initial.with_(attached=held, poses=poses)
    found = certify(model, motions, start, tightness=float(rng.choice([0.0, 0.5, 0.9])))
    end = max(motion.duration for motion in motions.values())
    last = end if isinstance(found, Free) else found.last_free
    for t in np.linspace(0.0, last, samples)[: samples - (not isinstance(found, Free))]:
        state = state_during(model, start, motions, float(t))
        if last > 0.0:
            assert check(model, state, first=True).free
    if isinstance(found, Free):
        for t in np.linspace(0.0, end, 40):
            assert clearance(model, state_during(model, start, motions, float(t))).distance >= found.bound
    if isinstance(found, ContactAt):
        state = state_during(model, start, motions, found.time)
        assert distance_between(model, state, *found.pair).distance <= 1e-9
    return found


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_what_is_proved_of_everything_moving_at_once_holds(seed):
    together_law(seed, 300)


@pytest.mark.soak
def test_what_is_proved_of_everything_moving_at_once_holds_at_length():
    kinds = [type(together_law(seed, 1000)).__name__ for seed in range(100)]
    print(f"{kinds.count('Free')} of 100 motions of everything at once proved free, {kinds.count('ContactAt')} touch")
    assert {"Free", "ContactAt"} <= set(kinds)


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_what_is_proved_of_a_tumbling_bar_holds(seed):
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(3, 3))
    places = directions / np.linalg.norm(directions, axis=1, keepdims=True) * rng.uniform(0.35, 0.45, (3, 1))
    things = {f"stone {k}": (box_mesh(0.1, 0.1, 0.1), Pose.from_xyz(*place)) for k, place in enumerate(places)}
    things["bar"] = (box_mesh(0.6, 0.03, 0.03), Pose.identity())
    snapshot, meshes = cell_of({}, things, ("bar",))
    model = collision_model(snapshot, meshes=meshes)
    start, end = (
        Pose.from_xyz(*rng.uniform(-0.02, 0.02, 3)) @ Pose.from_axis_angle(rng.normal(size=3), rng.uniform(-3.0, 3.0))
        for _ in range(2)
    )
    motions = {"bar": PoseMotion.along(HandCurve.line(start, end), 0.05)}
    found = certify(model, motions, tightness=float(rng.choice([0.5, 0.9])))
    duration = motions["bar"].duration
    last = duration if isinstance(found, Free) else found.last_free
    distances = [
        clearance(model, state_during(model, snapshot.initial, motions, float(t))).distance
        for t in np.linspace(0.0, last, 60)
    ]
    if isinstance(found, Free):
        assert min(distances) >= found.bound
    elif last > 0.0:
        assert min(distances[:-1]) > 0.0


def test_standing_still_and_starting_in_contact():
    model = pointer_cell(Pose.from_xyz(3.0, 0.0, 0.32))
    still = certify(model, {"Arm": Trajectory.constant(np.zeros(3), 1.0)})
    assert isinstance(still, Free)
    assert still.pair is None
    inside = pointer_cell(Pose.from_xyz(1.0, 0.0, 0.32))
    found = certify(inside, swing(0, 40))
    assert isinstance(found, ContactAt)
    assert found.time == found.last_free == 0.0


def test_bad_requests_are_refused_in_one_line():
    model = pointer_cell(Pose.from_xyz(3.0, 0.0, 0.32))
    with pytest.raises(InvalidValue, match="There is no motion"):
        certify(model, {})
    with pytest.raises(UnknownName, match="There is no robot called 'Arn'; did you mean Arm"):
        certify(model, {"Arn": Trajectory.constant(np.zeros(3))})
    with pytest.raises(InvalidValue, match="Arm has 3 joints; its motion has 6"):
        certify(model, {"Arm": Trajectory.constant(np.zeros(6))})
    with pytest.raises(InvalidValue, match="must be above 0 m"):
        certify(model, swing(0, 1), tolerance=math.nan)
    with pytest.raises(InvalidValue, match="from 0 to below 1"):
        certify(model, swing(0, 1), tightness=1.0)
    with pytest.raises(InvalidValue, match="must be a Trajectory or a PoseMotion; found list"):
        certify(model, {"Arm": [1, 2]})  # type: ignore[dict-item]
