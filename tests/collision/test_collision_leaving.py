"""Parts that leave what supports them, and come to rest: up to when they may touch, for proofs and samples alike."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import workcell as wc
from workcell.collision.batch import check_batch, first_contact
from workcell.collision.batch_clearance import clearance_batch, least_clearance
from workcell.collision.bodies import collision_model
from workcell.collision.certify import certify
from workcell.collision.check import check
from workcell.collision.clearance import distance_between
from workcell.collision.moving import state_during
from workcell.collision.pairs import PairTable, Support
from workcell.collision.proof import ContactAt, Free, Undecided
from workcell.collision.supports import at_rest, lies_on, rests, supported, supports_of
from workcell.errors import Cancelled
from workcell.motion.curve import HandCurve
from workcell.motion.pose_motion import PoseMotion

P = wc.Pose.from_xyz
TABLE = PairTable()
REST, LIFTED, ASIDE = (0, 0, 0.05), (0, 0, 0.15), (0.3, 0, 0.15)


def scene(**more):
    """A part on a table, both boxes; further solids by name: size, place, and whether they are movable."""
    cell = wc.Cell()
    cell.add_solid(wc.solids.box(2, 1, 0.1), name="table", at=P(0, 0, -0.05))
    cell.add_solid(wc.solids.box(0.1, 0.1, 0.1), name="part", at=P(*REST), movable=True)
    for name, (size, at, movable) in more.items():
        cell.add_solid(wc.solids.box(*size), name=name, at=P(*at), movable=movable)
    return cell.snapshot()


def along(points, speed=0.1):
    return {"part": PoseMotion.along(HandCurve.polyline([P(*point) for point in points]), speed)}


class Way:
    """The part's way over the table: the model for it, its proof, and the same in samples."""

    def __init__(self, points, table=TABLE, snapshot=None):
        snapshot = snapshot or scene()
        self.start, self.motions = snapshot.initial, along(points)
        plain = collision_model(snapshot, table)
        self.duration = self.motions["part"].duration
        self.model = supported(
            plain, self.start, ["part"], state_during(plain, self.start, self.motions, self.duration)
        )

    @property
    def proof(self):
        return certify(self.model, self.motions)

    def states(self, count=240):
        times = np.linspace(0.0, self.duration, count)
        return [state_during(self.model, self.start, self.motions, float(t)) for t in times]

    @property
    def sampled(self):
        return check_batch(self.model, self.states())


DIP = [REST, LIFTED, ASIDE, (0.3, 0, 0.06), ASIDE]


@pytest.mark.parametrize("table", [TABLE.require(0.03, "part", "table"), TABLE.require(0.03)])
def test_a_part_that_was_clear_keeps_its_margin(table):
    way = Way(DIP, table)
    found = way.proof
    assert isinstance(found, ContactAt)
    assert found.margin == 0.03
    assert found.distance == pytest.approx(0.03, abs=1e-4)
    assert found.time == pytest.approx(4.7, abs=1e-3)
    states = way.states()
    row, contact = first_contact(way.model, states)
    assert row == int(check_batch(way.model, states).touching.argmax())
    assert [one.kind for one in contact.contacts] == ["margin"]
    near = distance_between(way.model, states[row], "part", "table").distance
    assert 0.025 < near <= 0.03
    assert Way(DIP).proof.free
    assert not Way(DIP).sampled.touching.any()


@pytest.mark.parametrize(("height", "free"), [(0.031, False), (0.029, True)])
def test_it_is_clear_once_it_is_farther_away_than_the_margin(height, free):
    up = 0.05 + height
    way = Way([REST, (0, 0, up), (0.3, 0, up), (0.3, 0, 0.06), (0.3, 0, up)], TABLE.require(0.03))
    assert way.proof.free == free
    assert way.sampled.touching.any() != free


def test_the_instant_at_which_it_is_clear_lies_between_looks():
    found = Way([REST, (0, 0, 0.0805), (0, 0, 0.075)], TABLE.require(0.03)).proof
    assert isinstance(found, ContactAt)
    assert found.time == pytest.approx(0.31, abs=1e-3)


def test_a_part_goes_from_a_table_back_to_it_in_one_motion():
    way = Way([REST, LIFTED, ASIDE, (0.3, 0, 0.05)])
    found = way.proof
    assert isinstance(found, Free)
    (one,) = found.resting
    assert (one.part, one.base) == ("part", "table")
    assert 0.0 < one.until < 0.01
    assert 4.99 < one.since < 5.0
    assert not way.sampled.touching.any()
    scrape = [REST, LIFTED, (0, 0, 0.04995), (0.1, 0, 0.04995), ASIDE, (0.3, 0, 0.05)]
    for points in ([REST, LIFTED, ASIDE, (0.3, 0, 0.0498)], scrape):
        assert isinstance(Way(points).proof, ContactAt)
        assert Way(points).sampled.touching.any()


def test_what_is_not_tested_is_not_made_a_support():
    deep = [REST, LIFTED, (0, 0, 0.0)]
    for table in (TABLE.do_not_use("table"), TABLE.do_not_use("part"), TABLE.allow("part", "table", "a slot")):
        way = Way(deep, table)
        assert way.model.pairs.supports == ()
        assert way.proof.free
        assert not way.sampled.touching.any()
        by_hand = way.model.with_pairs(table.resting(Support("part", "table", (0.0, 0.0, 1.0))))
        assert certify(by_hand, way.motions).free
        assert check(by_hand, way.states()[-1]).free
    assert isinstance(Way(deep).proof, ContactAt)


def test_a_free_motion_says_what_may_touch_and_leaves_it_out_of_its_bound():
    found = Way([REST, LIFTED]).proof
    assert found.bound == np.inf
    assert str(found) == (
        "Free: nothing moves against anything that it is tested against, but for part and table, "
        "which may touch until 0.00121 s."
    )
    found = Way([REST, LIFTED, ASIDE], TABLE.require(0.03), scene(wall=((0.1, 0.1, 0.1), (0.8, 0, 0.15), False))).proof
    assert found.pair == ("part", "wall")
    assert 0.3 <= found.bound <= 0.4
    assert (
        f"at least {found.bound * 1e3:.6g} mm all the way, but for part and table, which may touch until 0.3002 s and "
        in (str(found))
    )
    assert "are more than 30 mm apart otherwise; nearest are part and wall near" in str(found)
    slide = Way([REST, (0.3, 0, 0.05)], snapshot=scene(wall=((0.1, 0.1, 0.1), (0.4, 0, 0.05), False))).proof
    assert [str(one) for one in slide.resting] == [
        "part and table, which may touch all the way",
        f"part and wall, which may touch from {slide.resting[1].since:.4g} s on",
    ]


def test_the_least_clearance_counts_a_part_that_comes_back_and_not_one_that_leaves():
    wall = scene(wall=((0.1, 0.1, 0.1), (0.8, 0, 0.15), False))
    for table, points, pair in (
        (TABLE, [REST, LIFTED, ASIDE], ("part", "wall")),
        (TABLE.require(0.03), DIP, ("part", "table")),
    ):
        way = Way(points, table, wall)
        states = way.states()
        row, found = least_clearance(way.model, states)
        assert set(found.pair) == set(pair)
        every = clearance_batch(way.model, states)
        assert every.distances[row] == found.distance == every.distances.min()
        assert every.least == row


# ---- what a part rests on -----------------------------------------------------------------------------


def names_of(supports):
    return {(support.part, support.base) for support in supports}


def resting_in(*things, fixtures=()):
    """What rests in a cell of boxes 0.1 m wide at places; those in ``fixtures`` are not movable."""
    cell = wc.Cell()
    for name, at in things:
        cell.add_solid(wc.solids.box(0.1, 0.1, 0.1), name=name, at=P(*at), movable=name not in fixtures)
    model, state = collision_model(cell.snapshot()), cell.state
    return model, state, rests(model, state)


@pytest.mark.parametrize("gap", [0.0, 1e-5, 1.5e-4])
def test_what_is_beside_a_part_in_mid_air_does_not_carry_it(gap):
    model, state, found = resting_in(("wall", (0, 0, 0)), ("peg", (0.1 + gap, 0, 0)), fixtures=("wall",))
    assert found == ()
    assert bool(check(at_rest(model, state), state)) == (gap == 0.0)
    wide = model.with_pairs(TABLE.require(0.005))
    assert [one.pair for one in check(at_rest(wide, state), state).contacts] == [("peg", "wall")]
    assert resting_in(("a", (0, 0, 0)), ("b", (0.1 + gap, 0, 0)))[2] == ()
    assert resting_in(("wall", (0, 0, 0)), ("hung", (0, 0, -0.1 - gap)), fixtures=("wall",))[2] == ()


def test_what_lies_on_something_may_stand_against_what_is_beside_it():
    floor, stop = ("floor", (0, 0, 0)), ("stop", (0.05, 0.1, 0.1))
    model, state, found = resting_in(floor, stop, ("part", (0.0, 0, 0.1)), fixtures=("floor", "stop"))
    assert names_of(found) == {("part", "floor"), ("part", "stop")}
    assert {one.base: lies_on(model, state, one) for one in found} == {"floor": True, "stop": False}
    assert check(at_rest(model, state), state).free
    # A gap is not a touch: it must keep its margin.
    model, state, found = resting_in(
        floor, ("stop", (0.05, 0.10015, 0.1)), ("part", (0, 0, 0.1)), fixtures=("floor", "stop")
    )
    assert names_of(found) == {("part", "floor")}
    # Of two parts both must lie on something.
    assert names_of(resting_in(floor, ("one", (-0.02, 0, 0.1)), ("two", (0.08, 0, 0.1)), fixtures=("floor",))[2]) == {
        ("one", "floor"),
        ("two", "floor"),
        ("one", "two"),
    }
    high = resting_in(floor, ("one", (-0.02, 0, 0.1)), ("two", (0.08, 0, 0.15)), fixtures=("floor",))[2]
    assert names_of(high) == {("one", "floor")}


def test_a_round_part_rests_within_the_deviation_of_its_mesh():
    cell = wc.Cell()
    cell.add_solid(wc.solids.box(1, 1, 0.1), name="table", at=P(0, 0, -0.05))
    lying = P(0, 0, 0.05) @ wc.Pose.from_axis_angle((1, 0, 0), np.pi / 2)
    cell.add_solid(wc.solids.cylinder(0.05, 0.2), name="roll", at=lying, movable=True)
    model = collision_model(cell.snapshot(), tolerance=2e-3)
    gaps = []
    for turn in np.linspace(0.0, 0.4, 9):
        rolled = lying @ wc.Pose.from_axis_angle((0, 0, 1), float(turn))
        state = cell.state.with_(poses={**cell.state.poses, "roll": rolled})
        assert names_of(rests(model, state)) == {("roll", "table")}
        gaps.append(distance_between(model, state, "roll", "table").distance)
    assert max(gaps) > 5e-4


def test_a_part_put_against_a_stop_or_between_walls_arrives_and_leaves():
    walls = {"left": ((0.1, 0.1, 0.1), (0.2, 0, 0.05), False), "right": ((0.1, 0.1, 0.1), (0.4, 0, 0.05), False)}
    snapshot = scene(**walls)
    down = [(0.3, 0, 0.25), (0.3, 0, 0.05)]
    start = snapshot.initial.with_(poses={**snapshot.initial.poses, "part": P(*down[0])})
    end = snapshot.initial.with_(poses={**snapshot.initial.poses, "part": P(*down[1])})
    model = collision_model(snapshot)
    assert {one.base for one in supports_of(model, end, "part")} == {"table", "left", "right"}
    assert isinstance(certify(supported(model, end, ["part"], start), along(down[::-1]), end), Free)
    assert isinstance(certify(supported(model, start, ["part"], end), along(down), start), Free)


def test_a_link_that_pushes_a_part_from_the_side_does_not_support_it():
    cell = wc.Cell()
    cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
    cell.do("add solid bar box 100 100 100 at 1200,-150,595 --movable")
    gap = cell.do("clearance between Puma and bar")
    points = np.array(gap.points)
    x, y, z = 1e3 * (np.array([1.2, -0.15, 0.595]) - (points[1] - points[0]))
    cell.do(f"place bar at {x:.9f},{y:.9f},{z:.9f}")
    model, state = collision_model(cell.snapshot()), cell.state
    assert rests(model, state) == supports_of(model, state, "bar") == ()
    up = {"bar": PoseMotion.along(HandCurve.line(state.poses["bar"], P(0, 0, 1e-4) @ state.poses["bar"]), 0.1)}
    found = certify(supported(model, state, ["bar"]), up, state)
    assert isinstance(found, ContactAt)
    assert str(found).endswith("touches bar from the start.") or str(found).startswith("bar touches")


# ---- long proofs and what they say --------------------------------------------------------------------


def rounded_scene(gap, tolerance):
    cell = wc.Cell()
    cell.add_solid(wc.solids.cylinder(0.5, 0.1), name="ceiling", at=P(0, 0, 1.0))
    cell.add_solid(wc.solids.cylinder(0.1, 0.1), name="disc", at=P(0, 0, 0.0), movable=True)
    snapshot = cell.snapshot()
    model = collision_model(snapshot, tolerance=tolerance)
    apart = distance_between(model, snapshot.initial, "ceiling", "disc").distance
    ways = [P(x, 0, apart - gap) for x in (-0.3, 0.3)]
    return model, {"disc": PoseMotion.along(HandCurve.line(*ways), 0.1)}


def test_a_gap_below_the_deviations_is_given_up_soon_and_said_so():
    model, motions = rounded_scene(5e-6, 1e-3)
    found = certify(model, motions)
    assert isinstance(found, Undecided)
    assert found.tests < 1500
    assert found.reason.startswith("the meshes are 0.005 mm apart and they may lie ")
    found = certify(model.with_pairs(TABLE.require(0.004)), {"disc": rounded_scene(4.005e-3, 1e-3)[1]["disc"]})
    assert "apart, 4 mm are required and they may lie" in str(found)
    assert "use finer meshes" in str(found)


def test_a_proof_tells_how_far_it_is_and_can_be_cancelled():
    model, motions = rounded_scene(5e-6, 1e-3)
    told = []
    certify(model, motions, progress=lambda share, label: told.append((share, label)))
    assert told
    assert all(0.0 <= share <= 1.0 and label.endswith(" tests") for share, label in told)
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled, match="The proof was cancelled"):
        certify(model, motions, cancel=stop)


def test_a_contact_behind_an_undecided_pair_names_that_pair():
    model, motions = rounded_scene(5e-6, 1e-3)
    cell = wc.Cell()
    cell.add_solid(wc.solids.cylinder(0.5, 0.1), name="ceiling", at=P(0, 0, 1.0))
    cell.add_solid(wc.solids.cylinder(0.1, 0.1), name="disc", at=P(0, 0, 0.0), movable=True)
    cell.add_solid(wc.solids.box(0.1, 0.5, 0.1), name="wall", at=motions["disc"].curve.end)
    model = collision_model(cell.snapshot(), tolerance=1e-3)
    start = cell.state.with_(poses={**cell.state.poses, "disc": motions["disc"].curve.start})
    found = certify(model, motions, start)
    assert isinstance(found, ContactAt)
    assert set(found.pair) == {"disc", "wall"}
    assert set(found.undecided.pair) == {"disc", "ceiling"}
    assert str(found).endswith("from where it is undecided for " + " and ".join(found.undecided.pair) + ".")
