"""The table of pairs: rules, decisions, switches, supports, zones, and that it survives being saved."""

from __future__ import annotations

import numpy as np
import pytest
from collision_cells import arm, box_mesh, cell_of
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.collision.bodies import collision_model
from workcell.collision.check import check
from workcell.collision.pairs import PairTable, Support
from workcell.collision.proposals import confirmed, proposals
from workcell.collision.zones import Zone, entered, speed_factor
from workcell.errors import InvalidValue, NameTaken, UnknownName
from workcell.spatial.pose import Pose
from workcell.world.state import Attachment


def reach_cell(pairs=None, **more):
    """A planar arm along x, a block at its tip, a table far below, a part."""
    things = {
        "block": (box_mesh(0.2, 0.2, 0.2), Pose.from_xyz(1.1, 0.0, 0.32)),
        "table": (box_mesh(1.0, 1.0, 0.1), Pose.from_xyz(0.6, 0.0, -0.5)),
        "part": (box_mesh(0.05, 0.05, 0.05), Pose.from_xyz(3.0, 0.0, 0.0)),
    }
    snapshot, meshes = cell_of({"Arm": (arm("planar"), Pose.identity())}, things, ("part",))
    return collision_model(snapshot, pairs, meshes=meshes, **more)


def pairs_in_contact(model, state=None):
    return {frozenset(c.pair) for c in check(model, state or model.snapshot.initial).contacts}


def test_the_table_says_why_a_pair_is_not_tested():
    model = reach_cell()
    said = model.arrangement(model.snapshot.initial).reason
    assert said("Arm/link 1", "Arm/link 2") == "adjacent links: they share a joint"
    assert said("Arm/base", "Arm/link 1") == "adjacent links: they share a joint"
    assert said("Arm/link 3", "block") == "tested"
    assert said("block", "table") == "fixtures: neither can move"
    assert said("part", "table") == "tested"
    assert said("block", "block") == "the same body"
    off = model.with_pairs(PairTable().test_self("Arm", False))
    assert off.arrangement(model.snapshot.initial).reason("Arm/link 1", "Arm/link 3").startswith("self-collision")
    allowed = model.with_pairs(PairTable().allow("Arm", "block", "it holds the arm at home"))
    assert (
        allowed.arrangement(model.snapshot.initial).reason("Arm/link 3", "block") == "allowed: it holds the arm at home"
    )


def test_switching_by_name():
    model = reach_cell()
    assert frozenset(("Arm/link 3", "block")) in pairs_in_contact(model)
    for name in ("block", "Arm", "Arm/link 3"):
        off = model.pairs.do_not_use(name)
        assert frozenset(("Arm/link 3", "block")) not in pairs_in_contact(model.with_pairs(off))
        assert off.use(name) == model.pairs
    allowed = model.pairs.allow("Arm", "block", "a stop")
    assert pairs_in_contact(model.with_pairs(allowed)) == set()
    assert frozenset(("Arm/link 3", "block")) in pairs_in_contact(model.with_pairs(allowed.test("Arm/link 3", "block")))
    assert allowed.forget("block", "Arm") == model.pairs


def test_a_decision_beats_a_rule():
    model = reach_cell()
    assert frozenset(("Arm/link 1", "Arm/link 2")) not in pairs_in_contact(model)
    asked = model.with_pairs(model.pairs.test("Arm/link 1", "Arm/link 2"))
    assert frozenset(("Arm/link 1", "Arm/link 2")) in pairs_in_contact(asked)


def test_a_held_part_may_touch_its_hand_and_nothing_else():
    model = reach_cell(PairTable().do_not_use("block"))
    held = model.snapshot.initial.with_(attached={"part": Attachment("Arm/link 3", Pose.from_xyz(0.0, 0.0, 0.03))})
    assert check(model, held).free
    assert model.arrangement(held).reason("part", "Arm/link 3") == "a part and what holds or carries it"
    beside = held.with_(attached={"part": Attachment("Arm/link 3", Pose.from_xyz(-0.6, 0.0, -0.12))})
    assert frozenset(("part", "Arm/link 2")) in pairs_in_contact(model, beside)
    assert model.arrangement(model.snapshot.initial).reason("part", "Arm/link 3") == "tested"


def test_pairs_that_touch_at_home_are_proposed_and_not_allowed_by_themselves():
    model = reach_cell()
    (proposal,) = proposals(model)
    assert proposal.pair == ("Arm/link 3", "block")
    assert "mm deep at home, at" in proposal.evidence
    assert check(model, model.snapshot.initial)
    table = confirmed(model.pairs, proposal, "the block is a rest for the arm")
    assert table.decisions[0].evidence == proposal.evidence
    assert check(model.with_pairs(table), model.snapshot.initial).free
    with pytest.raises(InvalidValue, match="needs a reason"):
        confirmed(model.pairs, proposal, " ")


names = st.sampled_from(["Arm", "block", "table", "part", "Arm/link 2"])


@given(
    st.lists(names, max_size=3),
    st.lists(st.tuples(names, names, st.booleans()), max_size=4),
    st.lists(st.tuples(names, names, st.floats(0, 0.5)), max_size=3),
    st.floats(0, 0.1),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_saving_and_loading_gives_the_same_table(unused, decided, margins, margin):
    table = PairTable(margin=margin)
    for name in unused:
        table = table.do_not_use(name)
    for a, b, tested in decided:
        if a != b:
            table = table.test(a, b) if tested else table.allow(a, b, "because")
    for a, b, value in margins:
        table = table.require(value, a, b)
    table = table.resting(Support("part", "table", (0.0, 0.0, 1.0)))
    assert PairTable.from_json(table.to_json()) == table


def test_wrong_tables_are_refused_in_one_line():
    with pytest.raises(UnknownName, match="no body, object or robot called 'blok'; did you mean block"):
        reach_cell(PairTable().do_not_use("blok"))
    with pytest.raises(UnknownName, match="The pair table names it"):
        reach_cell(PairTable().allow("Arm/link 9", "block", "x"))
    with pytest.raises(InvalidValue, match="This is not a pair table"):
        PairTable.from_json('{"margin": "wide"}')
    with pytest.raises(InvalidValue, match="A margin must be 0 mm or more, not -1 mm"):
        PairTable().require(-1e-3)
    with pytest.raises(InvalidValue, match="A margin must be 0 mm or more, not nan mm"):
        PairTable(margin=float("nan"))
    with pytest.raises(InvalidValue, match="50,000 mm is more than any cell needs; check its unit"):
        PairTable().require(50.0)
    with pytest.raises(InvalidValue, match="two names; found one"):
        PairTable().require(0.01, "Arm")
    with pytest.raises(InvalidValue, match="unit vector"):
        PairTable().resting(Support("part", "table", (0.0, 0.0, 2.0)))
    with pytest.raises(UnknownName, match="decision"):
        PairTable().forget("a", "b")


# ---- zones --------------------------------------------------------------------------------------------


def test_zones_concern_robots_and_what_they_carry():
    table = PairTable().do_not_use("block")
    keep_out = Zone("gate", box_mesh(0.3, 0.3, 0.3), Pose.from_xyz(1.0, 0.0, 0.3))
    slow = Zone("slow", box_mesh(0.3, 0.3, 0.3), Pose.from_xyz(1.0, 0.0, 0.3), "slow down", 0.3)
    around_part = Zone("store", box_mesh(0.3, 0.3, 0.3), Pose.from_xyz(3.0, 0.0, 0.0))
    model = reach_cell(table, zones=(keep_out, around_part))
    state = model.snapshot.initial
    touched = pairs_in_contact(model)
    assert frozenset(("Arm/link 3", "gate")) in touched
    assert all("gate" in pair for pair in touched)
    assert {item.zone.name for item in entered(model, state)} == {"gate"}
    slowed = reach_cell(table, zones=(slow,))
    assert check(slowed, state).free
    assert speed_factor(slowed, state, "Arm") == 0.3
    away = state.with_joints("Arm", [2.0, 0.0, 0.0])
    assert speed_factor(slowed, away, "Arm") == 1.0
    assert check(model, away).free


def test_wrong_zones_are_refused():
    cube = box_mesh(0.1, 0.1, 0.1)
    with pytest.raises(InvalidValue, match="is keep out, slow down or shared, not"):
        Zone("z", cube, Pose.identity(), "avoid")  # type: ignore[arg-type]
    with pytest.raises(InvalidValue, match="above 0 and at most 1"):
        Zone("z", cube, Pose.identity(), "slow down", 0.0)
    with pytest.raises(NameTaken, match="'block' has the name of something else"):
        reach_cell(zones=(Zone("block", cube, Pose.identity()),))


def test_what_is_carried_goes_with_a_mounted_robot():
    snapshot, meshes = cell_of(
        {"Arm": (arm("planar"), Pose.identity()), "Tip": (arm("scara"), Pose.from_xyz(0.0, 0.0, 0.05))}, {}
    )
    from dataclasses import replace

    mounted = replace(snapshot.robots[1], parent="Arm", parent_link=3)
    snapshot = replace(snapshot, robots=(snapshot.robots[0], mounted))
    model = collision_model(snapshot, meshes=meshes)
    state = snapshot.initial.with_(joints={"Arm": [0.3, -0.2, 0.5], "Tip": [0.1, 0.7, 0.1, 0.2]})
    arrangement = model.arrangement(state)
    poses = arrangement.placed(state)[arrangement.frame]
    wanted = snapshot.body_poses(state)
    assert np.abs(poses[:, 9:] - wanted[:, :3, 3]).max() < 1e-12
    assert arrangement.reason("Tip/base", "Arm/link 3") == "the robot stands on it"
