"""The gripper that a robot comes with is a body of its own; the geometry that is tested is that of the united link."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import workcell as wc
from shares import share
from workcell.collision.bodies import collision_model
from workcell.collision.certify import certify
from workcell.collision.check import check
from workcell.collision.clearance import clearance, distance_between
from workcell.collision.pairs import PairTable
from workcell.collision.probes import counting
from workcell.collision.zones import entered, pair_table_of, zones_of
from workcell.motion.trajectory import Trajectory
from workcell.pictures.scene import scene_of
from workcell.world.cell_print import cell_print
from workcell.world.snapshot import Snapshot
from workcell.world.state import Attachment

DATA = Path(__file__).parents[1] / "data" / "collision"
PALM, LINK = "Puma/two-finger gripper", "Puma/link 6"
CELL = (
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "add solid table box 560 800 30 at 780,-100,385",
    "add solid post box 60 60 900 at 300,500,450",
    "add solid cube box 40 40 40 at 700,150,420 --movable",
)


def made(*lines):
    cell = wc.Cell()
    for line in (*CELL, *lines):
        cell.do(line)
    return cell


def united(snapshot: Snapshot) -> Snapshot:
    """The snapshot as it would be were every palm part of the body of its link, put together by hand."""
    palms = {body.built_on: body for body in snapshot.bodies if body.built_on}
    bodies, places = [], {}
    for place, body in enumerate(snapshot.bodies):
        if body.built_on:
            continue
        places[place] = len(bodies)
        palm = palms.get(body.name)
        if palm is not None:
            tested = (*body.touchable, *palm.touchable) if body.tested else ()
            body = dataclasses.replace(body, pieces=(*body.pieces, *palm.pieces), tested=tested)
        bodies.append(body)
    gone = {palm.name for palm in palms.values()}
    robots = tuple(
        dataclasses.replace(
            placed,
            bodies=tuple(places.get(place, -1) for place in placed.bodies),
            held_tool="" if placed.held_tool in gone else placed.held_tool,
        )
        for placed in snapshot.robots
    )
    return dataclasses.replace(snapshot, bodies=tuple(bodies), robots=robots)


def whole(snapshot):
    """The name that a body has where palms are part of their links."""
    return {body.name: body.built_on or body.name for body in snapshot.bodies}


def model_of(snapshot, table=None):
    return collision_model(snapshot, table or pair_table_of(snapshot), zones=zones_of(snapshot), warn=False)


def models(snapshot):
    return model_of(snapshot), model_of(united(snapshot))


def pairs_of(model, state):
    arrangement = model.arrangement(state)
    named = [model.bodies[place].name for place in range(len(model.bodies))]
    return {
        (frozenset((named[a], named[b])), float(m))
        for a, b, m in zip(arrangement.first, arrangement.second, arrangement.margins, strict=True)
    }


def same_questions(snapshot, state):
    """Both models test the same geometry with the same margins, and give the same answers; returns the contacts."""
    now, then = models(snapshot)
    link_of = whole(snapshot)
    palms = {body.name for body in snapshot.bodies if body.built_on}
    found = {(frozenset(link_of.get(one, one) for one in pair), m) for pair, m in pairs_of(now, state)}
    assert found == pairs_of(then, state)
    for pair, m in pairs_of(now, state):  # both halves of a united link are tested where the whole is
        for name in pair:
            for half in [one for one, link in link_of.items() if link == link_of.get(name) and one != name]:
                if not now.bodies[now.index[half]].untouchable:
                    assert ((pair - {name}) | {half}, m) in pairs_of(now, state), (pair, half)
    contacts = {contact.pair for contact in check(now, state).contacts}
    told = {frozenset(link_of.get(one, one) for one in pair) for pair in contacts}
    assert told == {frozenset(contact.pair) for contact in check(then, state).contacts}
    near, was = clearance(now, state), clearance(then, state)
    assert (near is None) == (was is None)
    if near is not None:
        assert near.distance == pytest.approx(was.distance, abs=1e-12)
    zones = {(one.zone.name, link_of.get(one.body, one.body)) for one in entered(now, state)}
    assert zones == {(one.zone.name, one.body) for one in entered(then, state)}
    return contacts, palms


RIGS = {
    "plain": (),
    "margin": ("margin 30mm", 'margin 80mm between "Puma/link 6" and post', "margin 50mm between Puma and table"),
    "allowed": ('allow "Puma/link 6" with table because "it is soft"', 'allow Puma with post because "padded"'),
    "tested": (
        'test "Puma/link 6" with "Puma/link 5"', 'test "Puma/right finger" with "Puma/link 6"',
        'test "Puma/link 6" with Puma', 'test Puma with "Puma/left finger"',
    ),
    "ignored": ('ignore body "Puma/link 6"',),
    "not itself": ("test-self Puma no",),
    "zones": (
        "add zone wall box 300 60 2000 at 600,-600,1000", "add zone lane box 500 500 500 at 700,300,500 rule slow-down",
        'ignore body "Puma/link 6"',
    ),
    "mounted": (
        "create robot Small puma260 at 0,0,0", "mount Small on Puma link 6 at 0,0,150", "create tool torch",
        "add solid side box 200 200 800 at -500,0,400",
    ),
    "fitted": ("create robot Arm ur5e at 900,700,0", "create tool vac vacuum-2x2", "fit tool vac to Arm"),
    "bare": ("create robot Arm ur5e at 900,700,0", "take-off Arm"),
    "second": ("create robot Puma2 irb140 at 900,300,0", 'allow "Puma2/link 6" with "Puma/link 6" because "they meet"'),
}  # fmt: skip


@pytest.mark.sampled
@pytest.mark.parametrize("rig", RIGS)
def test_what_is_tested_is_the_geometry_of_the_united_links(rig):
    rng = np.random.default_rng(sorted(RIGS).index(rig))
    with made(*RIGS[rig]) as cell:
        snapshot = cell.snapshot()
        seen, palms = set(), set()
        for number in range(share(30)):
            state = snapshot.initial
            for placed in snapshot.robots:
                low, high = placed.robot.limits.T
                state = state.with_joints(placed.name, rng.uniform(low, high))
            flange = wc.Pose(snapshot.link_frames(state, "Puma")[6])
            thing = ("table", "post")[number % 2]
            near = flange @ wc.Pose.from_xyz(*rng.uniform(-0.4, 0.4, 2), 0.0)
            state = state.with_(poses={**state.poses, thing: near})
            if number % 3 == 0:
                held = Attachment(LINK, wc.Pose.from_xyz(*rng.uniform(-0.1, 0.2, 3)))
                poses = {name: pose for name, pose in state.poses.items() if name != "cube"}
                state = state.with_(poses=poses, attached={"cube": held})
            contacts, palms = same_questions(snapshot, state)
            seen |= contacts
        assert PALM in palms
        named = {name for pair in seen for name in pair}
        assert (PALM in named) == (rig not in ("ignored", "zones"))


@pytest.mark.parametrize("model", ["gantry", "stanford", "irb6400", "panda", "cobra600"])
def test_palms_of_other_arms_are_tested_as_before(model):
    rng = np.random.default_rng(5)
    with wc.Cell() as cell:
        cell.do(f"create robot A {model}")
        cell.do("add solid wall box 300 300 300 at 700,200,600")
        snapshot = cell.snapshot()
        low, high = snapshot.robot("A").robot.limits.T
        for _ in range(10):
            same_questions(snapshot, snapshot.initial.with_joints("A", rng.uniform(low, high)))


def onto_the_table(cell):
    """The palm of the Puma goes into a block that its fingers leave alone; returns the joints."""
    state = cell.state
    palm = cell.snapshot().body_pose(state, PALM)
    low, high = cell.snapshot().body(PALM).mesh().bounds
    middle = palm @ wc.Pose.from_xyz(0.0, 0.0, float(low[2] + 0.8 * (high[2] - low[2])))
    x, y, z = middle.xyz * 1e3
    cell.do(f"add solid stop box 400 400 10 at {x},{y},{z}")
    return state


def test_contacts_clearance_proofs_and_stops_name_the_gripper():
    with made() as cell:
        onto_the_table(cell)
        pairs = {tuple(one["pair"]) for one in cell.do("contacts").contacts}
        assert {PALM, "stop"} in [set(pair) for pair in pairs]
        assert not any(LINK in pair for pair in pairs)
        assert PALM in str(cell.do("pairs"))
        why = cell.do(f'why "{PALM}" with stop')
        assert why.pairs[0][2]
        for other in (LINK, "Puma/right finger", "Puma/left finger", "Puma/link 5"):
            assert not cell.do(f'why "{PALM}" with "{other}"').pairs[-1][2], other
        cell.do("move-joints-absolute Puma 40,0,-90,0,90,0")
        hit = cell.do("certify Puma 0,0,-90,0,90,0")
        assert hit.verdict == "contact"
        model = model_of(cell.snapshot())
        near = distance_between(model, cell.state, PALM, "stop")
        assert PALM in near.pair
        with_link = distance_between(model, cell.state, LINK, "stop")
        assert (with_link.distance, with_link.pair) == (near.distance, near.pair)
        cell.do("watch yes")
        cell.do('ignore body "Puma/right finger"')
        cell.do('ignore body "Puma/left finger"')
        with pytest.raises(wc.WorkcellError) as stopped:
            cell.do("move-joints-absolute Puma 0,0,-90,0,90,0")
        assert PALM in str(stopped.value)
        assert LINK not in str(stopped.value)


def test_a_proof_over_a_motion_is_that_of_the_united_link():
    rng = np.random.default_rng(11)
    with made("allow cube with table because rests") as cell:
        snapshot = cell.snapshot()
        verdicts = set()
        for _ in range(8):
            start = snapshot.initial.joints["Puma"] + rng.uniform(-0.3, 0.3, 6)
            end = start + rng.uniform(-0.8, 0.8, 6)
            found = [
                certify(model, {"Puma": _line(start, end)}, model.snapshot.initial.with_joints("Puma", start))
                for model in models(snapshot)
            ]
            assert type(found[0]) is type(found[1])
            verdicts.add(type(found[0]))
        assert len(verdicts) > 1


def _line(start, end):
    return Trajectory(np.array([0.0, 1.0]), np.stack([start, end - start])[None])


def test_a_decision_about_the_link_covers_the_gripper_and_one_about_the_gripper_only_that():
    with made() as cell:
        onto_the_table(cell)
        state = cell.state
        model = model_of(cell.snapshot(), PairTable().allow(LINK, "stop", "as before"))
        assert not [c for c in check(model, state).contacts if PALM in c.pair]
        assert not model.arrangement(state).tested(PALM, "stop")
        assert model.arrangement(state).reason(PALM, "stop") == "allowed: as before"
        later = model_of(cell.snapshot(), PairTable().allow(LINK, "stop", "as before").test(PALM, "stop"))
        assert later.arrangement(state).tested(PALM, "stop")
        assert not later.arrangement(state).tested(LINK, "stop")
        only = model_of(cell.snapshot(), PairTable().allow(PALM, "stop", "soft"))
        assert not only.arrangement(state).tested(PALM, "stop")
        assert only.arrangement(state).tested(LINK, "stop")


def test_the_gripper_is_tested_against_its_link_only_when_exactly_this_is_asked():
    with made() as cell:
        snapshot, state = cell.snapshot(), cell.state
        for first, second in ((LINK, "Puma"), ("Puma", PALM)):
            model = model_of(snapshot, PairTable().test(first, second))
            assert not model.arrangement(state).tested(LINK, PALM), (first, second)
        model = model_of(snapshot, PairTable().test(LINK, PALM))
        assert model.arrangement(state).tested(LINK, PALM)


def test_a_cell_and_a_recording_of_before_keep_their_meaning():
    """Written while palms were part of their links: pairs, margins, a view and a sensor that name `Puma/link 6`."""
    with wc.Cell.copy_of(DATA / "palm_in_link.celltext") as cell:
        snapshot = cell.snapshot()
        state = snapshot.initial
        arrangement = model_of(snapshot).arrangement(state)
        assert arrangement.reason(PALM, "stop") == "allowed: the stop is soft"
        near = distance_between(model_of(snapshot), state, PALM, "far")
        assert (near.pair[0], near.margin) == (PALM, 0.005)
        same_questions(snapshot, state)
        shown = {item.name for item in scene_of(snapshot, state, ["Puma/link 6", "stop"]).items}
        assert shown == {LINK, PALM, "stop"}
        (bump,) = snapshot.sensors
        seen = counting(model_of(snapshot), bump)
        assert {snapshot.bodies[place].name for place in np.flatnonzero(seen)} == {LINK, PALM}
        cell.do(f"load-recording {DATA / 'palm_in_link.rec'}")
        answer = str(cell.do("check recording"))
        assert answer.startswith("proved: nothing touches at any instant of 1.1154 s"), answer


def test_a_recording_knows_the_cell_in_which_palms_were_part_of_links():
    with made("create robot Other ur5e at 2000,0,0") as cell:
        snapshot = cell.snapshot()
        assert cell_print(snapshot) == cell_print(united(snapshot))
        cell.do("take-off Other")
        assert cell_print(cell.snapshot()) != cell_print(snapshot)


def test_the_gripper_goes_with_renames_copies_undo_and_other_arms():
    with made() as cell:

        def palms():
            return [body.name for body in cell.snapshot().bodies if body.built_on]

        cell.do(f'allow "{PALM}" with table because soft')
        cell.do("modify Puma name Bob")
        assert palms() == ["Bob/two-finger gripper"]
        assert "Bob/two-finger gripper" in cell.database.setting("pairs")
        assert not model_of(cell.snapshot()).arrangement(cell.state).tested("Bob/two-finger gripper", "table")
        cell.undo()
        assert palms() == [PALM]
        cell.do("copy Puma as Second")
        cell.do("place Second at 2000,0,0")
        assert palms() == [PALM, "Second/two-finger gripper"]
        cell.do("replace robot Puma with ur5e")
        assert palms() == [PALM, "Second/two-finger gripper"]
        cell.do("take-off Puma")
        assert palms() == ["Second/two-finger gripper"]
        cell.do("put-back Puma")
        cell.do("create tool torch")
        cell.do("fit tool torch to Puma tcp 0,0,120")
        assert palms() == ["Second/two-finger gripper"]
        assert cell.replayed().database.rows() == cell.database.rows()


def test_the_palm_is_where_the_flange_is():
    rng = np.random.default_rng(3)
    with made() as cell:
        snapshot = cell.snapshot()
        for _ in range(5):
            state = snapshot.initial.with_joints("Puma", rng.uniform(-1, 1, 6))
            flange = snapshot.link_frames(state, "Puma")[6]
            assert np.array_equal(snapshot.body_pose(state, PALM).matrix, flange)


@pytest.mark.parametrize("name", ["gripper", "opening", "link 6", "right finger", "base", ""])
def test_the_gripper_takes_no_name_that_something_of_its_robot_has(name):
    hand = dataclasses.replace(wc.robot("puma560").gripper, name=name)
    with wc.Cell() as cell:
        cell.add_robot(wc.robot("puma560").replace(gripper=hand), name="Puma")
        snapshot = cell.snapshot()
        names = [body.name for body in snapshot.bodies]
        (palm,) = [body for body in snapshot.bodies if body.built_on]
        assert len(set(names)) == len(names)
        assert palm.name not in ("Puma/gripper", "Puma/opening", "Puma/")
        assert (palm.built_on, palm.name) == (LINK, snapshot.robot("Puma").held_tool)


def test_a_part_that_comes_to_lie_on_the_gripper_goes_with_the_link():
    from workcell.simulation.falling import _carrying

    with made() as cell:
        assert _carrying(cell.snapshot(), cell.state, PALM) == LINK
        assert _carrying(cell.snapshot(), cell.state, "table") == "table"
        assert _carrying(cell.snapshot(), cell.state, "") == ""


@pytest.mark.parametrize(("reach", "turned"), [(0.12, 0.0), (0.9, 1.0), (0.3, 2.5)])
def test_drawn_links_that_touch_by_how_they_are_drawn_are_judged_with_the_gripper(reach, turned):
    rng = np.random.default_rng(8)
    rows = [
        {"theta": 0, "d": 0.1 * (1 + k % 2), "a": 0.2 * (k % 2), "alpha": (1.57, 0.0, -1.57)[k % 3]} for k in range(6)
    ]
    hand = wc.Gripper(opening=0.3, reach=reach, turn=turned)
    with wc.Cell() as cell:
        cell.add_robot(wc.Robot.from_dh(rows, name="A").replace(gripper=hand), name="A")
        snapshot = cell.snapshot()
        low, high = snapshot.robot("A").robot.limits.T
        for _ in range(8):
            same_questions(snapshot, snapshot.initial.with_joints("A", rng.uniform(low, high)))
