"""Collisions by commands: contacts, clearance, the pair table, motions proved free."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from workcell.collision.bodies import collision_model
from workcell.errors import Cancelled, CollisionStop, WorkcellError

CELL = [
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "add solid table box 560 800 30 at 780,-100,385",
    "add solid box box 100 100 100 at 1000,150,470 --movable",
]


@pytest.fixture
def puma(cell):
    for line in CELL:
        cell.do(line)
    return cell


def test_clearance_between_boxes_is_the_gap(puma):
    found = puma.do("clearance between box and table")
    assert found.distance == pytest.approx(0.02, abs=1e-9)
    assert set(found.pair) == {"box", "table"}
    assert puma.do("clearance of Puma").distance > 0.0


def test_contacts_name_the_pair_and_the_depth(puma):
    assert puma.do("contacts").contacts == []
    puma.do("place box at 1000,150,440")
    (contact,) = puma.do("contacts").contacts
    assert set(contact["pair"]) == {"box", "table"}
    assert contact["depth"] == pytest.approx(0.01, abs=1e-4)
    assert any(row[0] == "proposed" for row in puma.do("pairs").rows)
    puma.do('allow box with table because "it lies there"')
    assert puma.do("contacts").contacts == []
    puma.do("test box with table")
    assert len(puma.do("contacts").contacts) == 1
    puma.do("ignore body table")
    assert puma.do("contacts").contacts == []
    puma.do("undo")
    assert len(puma.do("contacts").contacts) == 1
    assert puma.replayed().database.rows() == puma.database.rows()


def test_contacts_and_clearance_at_a_time_of_the_recording_are_those_of_then(puma):
    puma.do("move-joints-absolute Puma 0,-30,-90,0,90,0")
    deep = puma.do("contacts")
    puma.do("move-joints-absolute Puma 0,0,-90,0,90,0")
    end = puma.session.recording.end
    (middle,) = {move.end for move in puma.session.recording.moves} - {end}
    assert puma.do("contacts").contacts == []
    then = puma.do(f"contacts at {middle}s")
    assert [one["pair"] for one in then.contacts] == [one["pair"] for one in deep.contacts] != []
    assert then.contacts[0]["depth"] == pytest.approx(deep.contacts[0]["depth"], abs=1e-6)
    assert puma.do("contacts at 0s").contacts == []
    assert puma.do(f"clearance at {middle}s").distance == 0.0
    now, last = puma.do("clearance"), puma.do(f"clearance at {end}s")
    assert (now.time, last.time, last.pair) == (None, end, now.pair)
    assert last.distance == pytest.approx(now.distance, abs=1e-9)
    assert puma.do(f"clearance between Puma and table at {middle}s").distance == 0.0
    puma.do("remove table --deep")  # among the bodies that there are now
    assert puma.do(f"contacts at {middle}s").contacts == []
    with pytest.raises(WorkcellError, match=r"The recording is from 0.0000 to .* s; found 99 s"):
        puma.do("contacts at 99s")


def test_contacts_at_a_time_need_a_recording(puma):
    with pytest.raises(WorkcellError, match=r"^There is no recording, so .* at 6\.3 s .* Leave out `at` for now"):
        puma.do("contacts at 6.3")


def test_a_margin_makes_a_near_miss_an_answer(puma):
    puma.do("margin 30mm")
    near = [c for c in puma.do("contacts").contacts if set(c["pair"]) == {"box", "table"}]
    assert [c["kind"] for c in near] == ["margin"]
    puma.do("margin 0")
    assert puma.do("contacts").contacts == []


def test_a_proof_is_of_the_move_that_would_be_made(puma):
    target = puma.session.simulator.state.joints["Puma"] * 180 / 3.141592653589793 + [3, 0, 0, 0, 0, 0]
    line = ",".join(f"{value:.6f}" for value in target)
    for profile in ("trapezoid", "jerk", "linear"):
        puma.do(f"profile Puma {profile}")
        proof = puma.do(f"certify Puma {line}")
        assert proof.verdict == "free"
        before = puma.session.recording.duration
        puma.do(f"move-joints-absolute Puma {line}")
        assert proof.last_free == pytest.approx(puma.session.recording.duration - before, rel=1e-6)
        assert puma.do(f"certify Puma {line}").verdict == "free"  # it is there already
        puma.do("undo")


def test_a_motion_is_proved_free_or_its_contact_found(puma):
    free = puma.do("certify Puma 40,0,-90,0,90,0")
    assert free.verdict == "free"
    assert free.bound > 0.0
    puma.do("add solid post box 60 60 1500 at 500,-500,750")
    hit = puma.do("certify Puma -80,0,-90,0,90,0")
    assert hit.verdict == "contact"
    assert "post" in hit.pair
    assert 0.0 < hit.last_free <= hit.time
    before = puma.state
    assert np.array_equal(before.joints["Puma"], puma.state.joints["Puma"])


def test_unknown_names_are_refused_with_the_closest(puma):
    with pytest.raises(WorkcellError, match="did you mean table"):
        puma.do("ignore body tabel")
    with pytest.raises(WorkcellError, match="did you mean box"):
        puma.do("clearance between Puma and bax")


# ---- what was recorded, random states, zones, swept volumes ---------------------------------------------


def test_a_recording_is_checked_sample_by_sample(puma):
    with pytest.raises(WorkcellError, match="nothing to test; move a robot"):
        puma.do("check recording")
    puma.do("move-joints-absolute Puma 40,0,-90,0,90,0")
    free = puma.do("check recording")
    assert (free.time, free.pair, free.touching) == (None, None, 0)
    assert free.samples > 10
    near = puma.do("least-clearance of Puma")
    assert 0.0 < near.distance < 0.5
    assert near.distance == pytest.approx(min(near.distance, puma.do("clearance of Puma").distance), abs=1e-12)
    assert puma.do("least-clearance").distance <= near.distance
    puma.do("add solid post box 60 60 1500 at 500,-500,750")
    puma.do("move-joints-absolute Puma -80,0,-90,0,90,0")
    found = puma.do("check recording")
    assert "post" in found.pair
    assert 0.0 < found.time < puma.state.time
    assert 0 < found.touching < found.samples
    assert puma.do("least-clearance").distance == 0.0


def test_what_is_carried_takes_part_in_a_recording(puma):
    puma.do("add solid part box 40 40 40 at 812,-150,300 --movable")
    puma.do("ignore body table")
    before = puma.do("least-clearance of Puma") if puma.session.recording.robots else None
    assert before is None
    puma.do("move-joints-absolute Puma 10,0,-90,0,90,0")
    assert puma.do("check recording").samples > 2


def test_the_free_share_is_the_same_for_the_same_seed(puma):
    one, again = puma.do("free-share Puma 400 seed 3"), puma.do("free-share Puma 400 seed 3")
    assert (one.free, one.pairs) == (again.free, again.pairs)
    assert 0 < one.free < one.states == 400
    assert sum(count for *_, count in one.pairs) <= one.states - one.free
    with pytest.raises(WorkcellError, match="At most 1,000,000 random states"):
        puma.do("free-share Puma 2000000")


def test_a_keep_out_zone_is_an_obstacle_for_robots_only(puma):
    puma.do("add zone gate box 300 300 300 at 1000,150,470")
    assert puma.do("contacts").contacts == []
    puma.do("add zone wall box 300 60 2000 at 600,-600,1000")
    hit = puma.do("certify Puma -80,0,-90,0,90,0")
    assert (hit.verdict, "wall" in hit.pair) == ("contact", True)
    puma.do("move-joints-absolute Puma -38,0,-90,0,90,0")
    assert {name for c in puma.do("contacts").contacts for name in c["pair"]} >= {"wall"}
    assert "wall" in puma.do("check recording").pair
    (row,) = [row for row in puma.do("zones").rows if row[0] == "wall"]
    assert row[1:4] == ("keep out", "", "all")
    assert "Puma/link 6" in row[4]
    puma.do("detach main/wall")
    assert puma.do("contacts").contacts == []
    assert puma.replayed().database.rows() == puma.database.rows()


def test_a_slow_down_zone_reports_when_a_robot_was_in_it(puma):
    puma.do("add zone door box 400 400 2000 at 900,-700,1000 rule slow-down speed 0.2 for Puma")
    assert puma.do("certify Puma -80,0,-90,0,90,0").verdict == "free"
    puma.do("move-joints-absolute Puma -80,0,-90,0,90,0")
    assert puma.do("check recording").touching == 0
    ((name, rule, start, end, who),) = puma.do("zone-times").rows
    assert who == "Puma"
    assert (name, rule) == ("door", "slow down")
    assert 0.0 < float(start) < float(end) < puma.state.time
    puma.do("create robot Other puma560 at 0,5000,0")
    puma.do("modify door robots Other")
    puma.do("move-joints-absolute Puma 0,0,-90,0,90,0")
    assert puma.do("zone-times").rows == ()


def test_wrong_zones_are_refused_and_change_nothing(puma):
    puma.do("add zone gate box 100 100 100 at 0,0,3000")
    rows = puma.database.rows()
    for line, told in {
        "add zone gate box 1 1 1": "There is a zone called 'gate' already",
        "add zone table box 1 1 1": "There is a body or robot called 'table' already",
        "add zone a box 10 10 10 speed 0.5": "Only a slow-down zone has a speed",
        "add zone b box 10 10 10 rule slow-down speed 2": "share of the robot's speed, at most 1; found 2",
        "add zone c box 10 10 10 rule stop": "Expected one of keep-out, slow-down",
        "add zone d box 0 10 10": "0",
    }.items():
        with pytest.raises(WorkcellError, match=told) as refused:
            puma.do(line)
        assert "\n" not in str(refused.value).strip()
    assert puma.database.rows() == rows
    puma.do("create zone empty")
    puma.do("place empty at 0,0,0")
    with pytest.raises(WorkcellError, match="Zone 'empty' has no shape; attach a block to it"):
        puma.do("contacts")


def test_the_way_of_one_robot_keeps_another_out(puma):
    puma.do("create robot Other puma560 joints 90,0,-90,0,90,0 at 1500,-300,0")
    puma.do("ignore body box")
    puma.do("ignore body table")
    assert puma.do("certify Other 155,0,-90,0,90,0").pair != ("Puma/link 6", "lane")
    puma.do("add swept lane of Puma 20,0,-90,0,90,0 tolerance 60mm")
    assert puma.do("contacts").contacts == []
    assert [row[3] for row in puma.do("zones").rows] == ["all but Puma"]
    assert puma.do("clearance between Other and lane").distance > 0.0
    hit = puma.do("certify Other 155,0,-90,0,90,0")
    assert (hit.verdict, "lane" in hit.pair) == ("contact", True)
    puma.do("add swept solid1 of Puma 5,0,-90,0,90,0 tolerance 60mm as block")
    assert puma.do("measure solid1").volume > 0.01
    assert puma.replayed().database.rows() == puma.database.rows()


def test_a_size_that_looks_wrong_is_told_in_the_answer(puma):
    puma.do("add solid hall box 900000 200 200 at 0,0,-50000")
    assert "hall is 900 m long: was it given in millimetres" in str(puma.do("contacts"))
    with pytest.warns(UserWarning, match="hall is 900 m long"):
        collision_model(puma.snapshot())


def test_robots_that_are_watched_stop_before_a_keep_out_zone(puma):
    puma.do("watch yes")
    puma.do("add zone gate box 200 200 1500 at 700,500,750")
    with pytest.raises(CollisionStop, match="gate"):
        puma.do("move-joints-relative Puma 60,0,0,0,0,0")
    puma.do("reset")
    puma.do("modify gate rule slow-down")
    puma.do("move-joints-relative Puma 60,0,0,0,0,0")


def test_bad_shapes_and_poses_are_refused_in_one_line(puma):
    for line in ("add solid flat box 100 100 0", "place box at nan,0,0", "add solid far box 1 1 1 at inf,0,0"):
        with pytest.raises(WorkcellError) as refused:
            puma.do(line)
        assert str(refused.value).strip()
    assert puma.do("contacts").contacts == []


def test_what_the_table_says_of_a_body_waits_while_it_is_gone(puma):
    puma.do("ignore body table")
    puma.do("margin 7mm between box and table")
    puma.do("detach main/table")
    assert puma.do("contacts").contacts == []
    gone = [row for row in puma.do("pairs").rows if "table" in row]
    assert [row[3].endswith("(does not exist now)") for row in gone] == [True, True]
    puma.do("place table at 780,-100,385")
    assert [row[3] for row in puma.do("pairs").rows if row[0] == "not used"] == [""]


# ---- parts at rest, margins, zones in the table ----------------------------------------------------------


PICK = [
    "create robot Puma puma560",
    "add solid table box 600 800 100 at 550,0,-50",
    "add solid cube box 40 40 40 at 500,-150,20 --movable",
    "move-end-effector Puma 500,-150,150 rotate 0,180,0 of grip",
    "move-straight-line Puma 500,-150,20 rotate 0,180,0 of grip",
    "close-gripper Puma",
    "move-hand Puma 0,0,100 along world",
    "move-hand Puma 0,0,-100 along world",
    "open-gripper Puma",
    "move-hand Puma 0,0,100 along world",
]


@pytest.fixture
def rested(puma):
    puma.do("place box at 1000,150,450")
    return puma


def test_a_part_at_rest_spoils_no_question(rested):
    found = rested.do("contacts")
    assert (found.contacts, found.rests) == ([], (("box", "table"),))
    assert "box rests on table" in str(found)
    assert "box" not in rested.do("clearance").pair
    assert rested.do("clearance between box and table").distance == pytest.approx(0.0, abs=1e-9)
    assert rested.do("certify Puma 10,0,-90,0,90,0").verdict == "free"
    assert rested.do("free-share Puma 200").free > 100
    assert not [row for row in rested.do("pairs").rows if row[0] == "proposed"]
    rested.do("move-joints-absolute Puma 5,0,-90,0,90,0")
    assert rested.do("check recording").touching == 0
    assert set(rested.do("least-clearance").pair) != {"box", "table"}
    assert rested.do("least-clearance between box and table").distance == pytest.approx(0.0, abs=1e-9)


def test_a_part_that_is_pushed_in_or_named_is_a_contact(rested):
    rested.do("test box with table")
    assert [set(c["pair"]) for c in rested.do("contacts").contacts] == [{"box", "table"}]
    rested.do("undo")
    rested.do("place box at 1000,150,449.8")
    found = rested.do("contacts")
    assert ([set(c["pair"]) for c in found.contacts], found.rests) == ([{"box", "table"}], ())


def test_a_stack_rests_from_the_top_down(rested):
    rested.do("add solid upper box 50 50 50 at 1000,150,525 --movable")
    assert set(rested.do("contacts").rests) == {("box", "table"), ("upper", "box")}


def test_a_carried_part_leaves_and_arrives(cell):
    for line in PICK:
        cell.do(line)
    found = cell.do("check recording")
    assert (found.pair, found.touching) == (None, 0)
    assert set(cell.do("least-clearance").pair) != {"cube", "table"}
    cell.do("move-hand Puma 0,0,-100 along world")
    cell.do("close-gripper Puma")
    cell.do("move-hand Puma 0,0,-2 along world")
    found = cell.do("check recording")
    assert set(found.pair) == {"cube", "table"}


@pytest.mark.parametrize("margin", ["margin 30mm between cube and table", "margin 30mm"])
def test_a_carried_part_that_was_clear_keeps_its_margin_afterwards(cell, margin):
    cell.do("default-profile linear")  # whose samples are evenly spread over the way
    for line in PICK[:6]:
        cell.do(line)
    cell.do(margin)
    cell.do("ignore body Puma")
    for way in (100, -90, 90, -100):
        cell.do(f"move-hand Puma 0,0,{way} along world")
    found = cell.do("check recording")
    assert set(found.pair) == {"cube", "table"}
    assert "cube and table come nearer than 30 mm" in str(found)
    assert 2 <= found.touching < 60
    least = cell.do("least-clearance")
    assert set(least.pair) == {"cube", "table"}
    assert least.distance == pytest.approx(0.01, abs=1e-6)


@pytest.mark.parametrize("line", ["ignore body table", "allow cube with table because slot"])
@pytest.mark.parametrize("watch", ["yes", "certified"])
def test_what_is_not_tested_stops_no_part_that_was_taken_from_it(cell, watch, line):
    for taken in PICK[:6]:
        cell.do(taken)
    cell.do(line)
    cell.do("ignore body Puma")
    cell.do(f"watch {watch}")
    cell.do("move-hand Puma 0,0,-30 along world")
    assert cell.do("check recording").touching == 0


@pytest.mark.parametrize("watch", ["yes", "certified"])
def test_a_solid_that_moves_by_itself_keeps_its_margin_once_it_was_clear(cell, watch):
    cell.do("add solid table box 2000 1000 100 at 0,0,-50")
    cell.do("add solid part box 100 100 100 at 0,0,50 --movable")
    cell.do("margin 30mm")
    cell.do(f"watch {watch}")
    cell.do("move-solid part through 0,0,150 through 300,0,150 through 300,0,50 speed 100")
    with pytest.raises(CollisionStop, match="would come nearer than 30 mm"):
        cell.do("move-solid part through 300,0,150 through 0,0,150 through 0,0,60 through 0,0,150 speed 100")
    assert cell.state.poses["part"].xyz[2] == pytest.approx(0.08, abs=2e-4)


@pytest.mark.parametrize("watch", ["yes", "certified"])
def test_a_zone_stops_robots_and_not_solids_that_move_by_themselves(cell, watch):
    cell.do("add solid ball sphere 50 at 0,0,500 --movable")
    cell.do("add zone pit box 200 200 200 at 500,0,500")
    cell.do(f"watch {watch}")
    cell.do("move-solid ball through 500,0,500 speed 100")
    assert cell.state.poses["ball"].xyz[0] == pytest.approx(0.5)


def test_a_watched_contact_behind_an_undecided_pair_names_that_pair(cell):
    cell.do("add solid ceiling cylinder 500 100 at 0,0,1000")
    cell.do("add solid disc cylinder 100 100 at -300,0,0 --movable")
    top = 1e3 * cell.do("clearance between disc and ceiling").distance - 0.005
    cell.do(f"place disc at -300,0,{top - 50:.6f}")
    cell.do(f"add solid wall box 100 500 100 at 300,0,{top:.6f}")
    cell.do("watch certified")
    said = (
        r"disc stopped at 0\.\d+ s: whether .*ceiling.* touch is undecided from there "
        r"\(the meshes are .* off their solids\), and .*wall.* would touch at"
    )
    with pytest.raises(CollisionStop, match=said):
        cell.do(f"move-solid disc through -300,0,{top:.6f} through 300,0,{top:.6f} through 300,0,0 speed 100")


def test_what_comes_too_near_is_told_with_both_distances(puma):
    puma.do("add solid post box 60 60 1500 at 500,-500,750")
    puma.do("margin 30mm")
    assert puma.do("contacts").contacts == [] or "Puma/link" not in str(puma.do("contacts"))
    puma.do("margin 25mm between box and table")
    text = str(puma.do("contacts"))
    assert "box comes too near to table: 20 mm apart, 25 mm wanted, near" in text
    assert "-" not in text.split("wanted", maxsplit=1)[0]
    puma.do("margin 50mm")
    puma.do("ignore body box")
    assert "comes nearer than 50 mm to" in str(puma.do("certify Puma -80,0,-90,0,90,0"))
    puma.do("watch yes")
    with pytest.raises(CollisionStop, match=r"post would come nearer than 50 mm at"):
        puma.do("move-joints-absolute Puma -80,0,-90,0,90,0")
    puma.do("margin 60mm")
    with pytest.raises(CollisionStop, match=r"Puma cannot start: .* are nearer than 60 mm already"):
        puma.do("move-joints-absolute Puma 0,0,-90,0,90,0")
    puma.do("margin 50mm")
    puma.do("watch no")
    puma.do("move-joints-absolute Puma -80,0,-90,0,90,0")
    assert "come nearer than 50 mm at" in str(puma.do("check recording"))


def test_a_margin_leaves_a_robots_own_links_alone_unless_it_names_them(puma):
    puma.do("margin 15mm")
    assert puma.do("contacts").contacts == []
    assert puma.do("clearance").own < 0.015
    puma.do("margin 15mm between Puma and Puma")
    assert {tuple(c["pair"]) for c in puma.do("contacts").contacts} >= {("Puma/link 5", "Puma/link 3")}
    with pytest.raises(WorkcellError, match="A margin must be 0 mm or more, not -3 mm"):
        puma.do("margin -3")


def test_clearance_tells_the_surroundings_and_the_robots_own_links(puma):
    puma.do("add solid post box 60 60 1500 at 500,-600,750")
    puma.do("move-joints-absolute Puma -10,0,-90,0,90,0")
    for line in ("clearance of Puma", "least-clearance of Puma"):
        found = puma.do(line)
        assert "post" in found.pair or "table" in found.pair
        assert all(name.startswith("Puma/") for name in found.own_pair)
        assert "\namong links of one robot " in str(found)
    between = puma.do("least-clearance between Puma and post")
    assert "post" in between.pair
    assert between.own is None
    assert between.distance == pytest.approx(
        min(puma.do("clearance between Puma and post").distance, between.distance), abs=1e-12
    )


def test_zones_are_never_proposed_and_places_are_on_the_robot(puma):
    puma.do("add zone around box 3000 3000 3000 at 0,0,500")
    assert not [row for row in puma.do("pairs").rows if row[0] == "proposed"]
    found = puma.do("contacts")
    assert "is inside zone around near" in str(found)
    for contact in found.contacts:
        assert np.linalg.norm(contact["point"]) < 1.3
    finger = next(c for c in found.contacts if c["pair"][0] == "Puma/right finger")
    tool = puma.snapshot().tool_pose(puma.state, "Puma").xyz
    assert np.linalg.norm(np.subtract(finger["point"], tool)) < 0.2


def test_why_tells_whether_two_bodies_are_tested(puma):
    assert str(puma.do('why "Puma/link 1" with "Puma/link 2"')).endswith(
        "not tested: adjacent links: they share a joint"
    )
    assert str(puma.do("why box with table")) == "table and box: tested"
    puma.do("margin 5mm")
    assert str(puma.do("why box with table")) == "table and box: tested, to stay 5 mm apart"
    puma.do('allow box with table because "it lies there"')
    assert str(puma.do("why box with table")) == "table and box: not tested: allowed: it lies there"
    assert len(puma.do("why Puma with table").pairs) > 6
    assert any(tested for *_, tested, _ in puma.do("why Puma with Puma").pairs)


def test_a_swept_volume_tells_how_far_it_is_and_can_be_cancelled(puma):
    told = []
    puma.session.progress = lambda part, label: told.append((part, label))
    puma.do("add swept way of Puma 3,0,-90,0,90,0 tolerance 60mm as block")
    assert len(told) > 2
    assert [part for part, _ in told] == sorted(part for part, _ in told)
    puma.session.cancel = threading.Event()
    puma.session.progress = lambda part, label: puma.session.cancel.set()
    rows = puma.database.rows()
    with pytest.raises(Cancelled, match="swept volume was cancelled"):
        puma.do("add swept other of Puma 3,0,-90,0,90,0 tolerance 60mm as block")
    assert puma.database.rows() == rows


def test_a_recording_in_which_only_a_solid_moved_is_looked_along(puma):
    puma.do("add solid ball sphere 50 at 700,2000,700 --movable")
    puma.do("move-solid ball through 700,-2000,700 speed 600")
    found = puma.do("check recording")
    assert found.touching > 0
    assert "ball" in str(found)
    puma.do("least-clearance")
