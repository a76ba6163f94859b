"""Differences: whoever follows them sees what a newcomer sees, and they cost what changed and not what is there."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import numpy as np
import pytest

from workcell.commands.cell import Cell
from workcell.commands.session import Session
from workcell.errors import WorkcellError
from workcell.service import keyframes as kf
from workcell.service import protocol
from workcell.service.client import connect
from workcell.service.mirror import Mirror
from workcell.service.picture import TABLES, Picture
from workcell.service.server import Server
from workcell.service.shapes import Shapes
from workcell.service.shown import Showing, Shown
from workcell.simulation.playback import body_poses, poses_of

STAGE = (
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "create robot Arm irb6400",
    "place Arm at 4000,0,0",
    "add solid table box 600 800 30 at 780,-100,385",
    "add solid cube box 50 50 50 at 700,0,425 --movable",
    "add zone gate box 300 300 600 at 200,-700,300",
    "program demo\n  move-joints-relative Puma 5,0,0,0,0,0\n  wait 0.5\n  move-joints-relative Puma -5,0,0,0,0,0\nend",
)


@contextmanager
def staged(lines: tuple[str, ...] = STAGE) -> Iterator[Session]:
    with Cell() as cell:
        for line in lines:
            cell.do(line)
        yield cell.session


def random_line(rng: random.Random, number: int, names: list[str], folder: str) -> str:
    name = rng.choice(names)
    x, y = rng.randrange(1500, 4000), rng.randrange(-2000, 2000)
    return rng.choice(
        [
            f"add solid part{number} box 40 {20 + number % 60} 30 at {x},{y},15{rng.choice([' --movable', ''])}",
            f"place {name} at {x},{y},500",
            f"modify {name} colour {rng.choice(['red', 'green', 'blue'])}",
            f"modify object:{name} name renamed{number}",
            f"remove object:{name} --deep",
            f"create block loose{number}",
            f"add zone zone{number} box 100 100 {100 + number} at {x},{y},0 rule slow-down",
            f"create robot Robot{number} puma560",
            f"modify Puma name Puma{number}" if rng.random() < 0.3 else f"create target spot{number}",
            f"create signal go{number}",
            f"units {rng.choice(['mm', 'm', 'inch'])} deg",
            f"look view{rng.randrange(3)} {rng.choice(['top', 'front', 'iso'])}",
            f'write program prog{rng.randrange(4)} "wait {1 + number % 3}"',
            f"move-joints-relative Arm {rng.randrange(-5, 6)},1,0,0,0,0",
            "run demo",
            "close-gripper Puma",
            "open-gripper Puma",
            *[f"move-joints-relative Puma {rng.randrange(-9, 10)},0,{rng.randrange(-9, 10)},0,0,0"] * 3,
            "reset",
            f"save-recording {folder}/r{rng.randrange(3)}.rec --replace",
            f"load-recording {folder}/r{rng.randrange(3)}.rec",
            "group",
            "end",
            "undo",
            "undo",
            "undo 3",
            "redo",
            "redo",
            "redo 2",
        ]
    )


def names_in(picture: Picture) -> list[str]:
    return [node.name for node in picture.nodes.values() if node.kind == "object"] or ["table"]


def seen(mirror: Mirror) -> dict[str, object]:
    """All that a client shows, whatever the order of its tables and however often it was told."""
    assert mirror.picture is not None
    assert mirror.recording is not None
    tables = {table: dict(getattr(mirror.picture, table)) for table in TABLES}
    recording = msgspec.structs.replace(
        mirror.recording, number=0, moving=sorted(mirror.recording.moving), robots=sorted(mirror.recording.robots)
    )
    return {"facts": mirror.picture.facts, **tables, "recording": recording}


def where(shown: Shown, ids: list[str], times: list[float]) -> np.ndarray:
    names = [shown.picture.bodies[one].name for one in ids]
    return poses_of(shown.snapshot, shown.track.recording, np.array(times), names)


def motion_holds(before: Shown, after: Shown, kept: float, rng: random.Random) -> None:
    """What was fetched of the motion before an instant is what would be fetched now."""
    start = before.track.recording.start.time
    ids = [one for one in before.track.bodies if one in after.track.bodies]
    times = [start + rng.uniform(0.0, kept) * (1.0 - 1e-12) for _ in range(5)]
    np.testing.assert_allclose(where(before, ids, times), where(after, ids, times), atol=1e-9)


def rest_stands_still(shown: Shown, rng: random.Random) -> None:
    """What is not said to move is where the scene shows it, at any time of the recording."""
    recording = shown.track.recording
    if recording.duration <= 0.0:
        return
    ids = [one for one in shown.picture.bodies if one not in shown.track.bodies]
    times = [recording.start.time + rng.uniform(0.0, recording.duration) for _ in range(3)]
    scene = np.array([shown.picture.bodies[one].pose for one in ids]).reshape(len(ids), 7)
    for row in kf.seven(where(shown, ids, times)):
        np.testing.assert_allclose(row, scene, atol=1e-9)


def agree(seed: int, steps: int) -> None:
    """One session, one who follows the differences, and after every step a newcomer."""
    rng = random.Random(seed)
    with staged() as session, tempfile.TemporaryDirectory() as folder:
        shapes, showing, follower = Shapes(), Showing(Shapes()), Mirror()
        showing.take(session)
        assert showing.now is not None
        for message in (showing.now.picture.scene(), showing.now.track.info()):
            follower.receive(message)
        for number in range(steps):
            assert follower.picture is not None
            with suppress(WorkcellError):
                session.do(random_line(rng, number, names_in(follower.picture), folder))
            if rng.random() < 0.4:
                continue  # shown together with what follows
            before = showing.now
            for message in showing.take(session):
                again = protocol.decode_server(protocol.encode(message))
                follower.receive(again)
                if isinstance(again, protocol.Recorded):
                    motion_holds(before, showing.now, again.kept, rng)
            assert not follower.missed
            rest_stands_still(showing.now, rng)
            fresh = Showing(shapes)
            fresh.take(session)
            assert fresh.now is not None
            newcomer = Mirror()
            for message in (fresh.now.picture.scene(), fresh.now.track.info()):
                newcomer.receive(message)
            assert seen(follower) == seen(newcomer)


@pytest.mark.parametrize("seed", range(3))
def test_whoever_follows_the_differences_sees_what_a_newcomer_sees(seed: int) -> None:
    agree(seed, 60)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 120))
def test_whoever_follows_for_long_sees_what_a_newcomer_sees(seed: int) -> None:
    agree(seed, 400)


SHIFT = (
    "program shift\n  repeat 3\n    move-joints-relative Puma 12,0,-6,0,0,0\n    wait 4\n    home Puma\n  end\nend",
    "program watchman\n  for i from 1 to 4\n    move-joints-relative Arm 5,0,0,0,0,0\n    wait i\n  end\n  home Arm\nend",
)
"""Programs that let simulated time pass."""


def time_passing(rng: random.Random) -> str:
    """A line that simulates some seconds, alone or with programs."""
    return rng.choice([f"wait {rng.randrange(1, 21)}", "run shift", "run watchman", "run-together shift watchman"])


def simulated_by(line: str, before: float, after: float) -> float:
    """How much time a line simulated that was not refused [s]: a run begins at zero, undo and redo only show."""
    word = line.partition(" ")[0]
    if word in ("run", "run-together"):
        return after
    return after - before if word in ("wait", "move-joints-relative") else 0.0


def on_the_wire(seed: int, until: float, most: int, often: float = 0.0) -> float:
    """Two stores of pages and a Python client on one cell: edits, runs, undos, until so much time is simulated [s].

    Args:
        seed: of the lines.
        until: how much time is to be simulated [s].
        most: after so many lines it is over in any case.
        often: which part of the lines is chosen for the time that it takes.

    Returns how much time was simulated [s].
    """
    rng = random.Random(seed)
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(lambda: staged((*STAGE, *SHIFT)), allow=[Path(folder)]) as server,
        connect(server.url) as one,
        connect(server.url) as two,
        connect(server.url) as three,
    ):

        def agreed() -> None:
            with connect(server.url) as late:
                whole = seen(late.look())
                for client in (one, two, three):
                    found = seen(client.look())
                    assert found.keys() == whole.keys()
                    for field, value in whole.items():
                        assert found[field] == value, field

        simulated = 0.0
        for number in range(most):
            if simulated >= until:
                break
            client = rng.choice((one, two, three))
            picture, before = client.look().picture, client.state.time
            assert picture is not None
            line = time_passing(rng) if rng.random() < often else random_line(rng, number, names_in(picture), folder)
            with suppress(WorkcellError):
                client.do(line)
                simulated += simulated_by(line, before, client.state.time)
            if number % 250 == 249:
                agreed()
        agreed()
    return simulated


def test_two_stores_and_a_client_end_with_the_picture_of_a_newcomer() -> None:
    on_the_wire(1, 20.0, 80)


@pytest.mark.soak
def test_two_stores_and_a_client_end_with_the_picture_of_a_newcomer_after_an_hour() -> None:
    assert on_the_wire(2, 3600.0, 20_000, often=0.15) >= 3600.0


# ---- what a difference holds -----------------------------------------------------------------------------


def followed(session: Session, *lines: str) -> tuple[Showing, list[protocol.ServerMessage]]:
    showing = Showing(Shapes())
    showing.take(session)
    for line in lines:
        session.do(line)
    return showing, showing.take(session)


def bodies_by_name(showing: Showing) -> dict[str, str]:
    assert showing.now is not None
    return {body.name: body.id for body in showing.now.picture.bodies.values()}


def test_a_thing_keeps_its_id_under_another_name_in_another_place_and_after_undo_and_redo() -> None:
    with staged() as session:
        showing, _ = followed(session)
        ids = bodies_by_name(showing)
        for line in (
            "modify object:cube name die",
            "modify Puma name Bob",
            "place die at 1,2,3",
            "remove object:table --deep",
            "undo",
            "redo",
            "undo 2",
        ):
            session.do(line)
            showing.take(session)
        now = bodies_by_name(showing)
        assert now["die"] == ids["cube"]
        assert now["table"] == ids["table"]
        assert {name.replace("Bob", "Puma"): one for name, one in now.items() if "Bob" in name} == {
            name: one for name, one in ids.items() if "Puma" in name
        }


def test_only_the_fields_that_changed_are_sent() -> None:
    with staged() as session:
        showing, (difference,) = followed(session, "place cube at 1,2,3")
        assert isinstance(difference, protocol.Difference)
        assert isinstance(difference.bodies, protocol.BodyDifference)
        (change,) = difference.bodies.changed
        assert msgspec.json.decode(protocol.encode(change)).keys() == {"id", "pose"}
        assert not difference.bodies.appeared
        assert difference.robots is msgspec.UNSET
        session.do("modify object:cube name die")
        (renamed,) = showing.take(session)
        assert isinstance(renamed, protocol.Difference)
        assert isinstance(renamed.bodies, protocol.BodyDifference)
        assert [(one.name, one.pose) for one in renamed.bodies.changed] == [("die", msgspec.UNSET)]


def test_nothing_is_sent_where_nothing_is_to_be_seen() -> None:
    with staged() as session:
        showing, _ = followed(session)
        assert showing.take(session) == []
        session.do("help")
        assert showing.take(session) == []


@pytest.mark.parametrize("count", [10, 1000])
def test_the_bytes_of_an_edit_do_not_grow_with_the_cell(count: int) -> None:
    lines = tuple(f"add solid thing{n} box 10 10 10 at {n},0,0" for n in range(count))
    with staged((*STAGE, *lines)) as session:
        showing, _ = followed(session)
        for line in (
            "create block new",
            "place thing7 at 1,2,3",
            "add solid more box 1 2 3",
            "undo",
            "remove more",
            "redo",
        ):
            try:
                session.do(line)
            except WorkcellError:
                continue
            sent = b"".join(protocol.encode(message) for message in showing.take(session))
            assert 0 < len(sent) < 1000


# ---- the recording ---------------------------------------------------------------------------------------


def test_an_edit_that_touches_no_recorded_device_leaves_the_track() -> None:
    with staged() as session:
        session.do("run demo")
        showing, _ = followed(session)
        for line in (
            "create block b",
            "add solid far box 10 10 10 at 3000,0,0",
            "modify table colour red",
            "units m deg",
        ):
            session.do(line)
            messages = showing.take(session)
            # What is said of runs may change: this one is not the last step any more.
            assert all(isinstance(one, protocol.Difference | protocol.RunInfo) for one in messages), (line, messages)


def test_new_motion_extends_the_track_and_undo_cuts_it() -> None:
    with staged() as session:
        session.do("run demo")
        showing, _ = followed(session)
        assert showing.now is not None
        length = showing.now.track.recording.duration
        session.do("move-joints-relative Puma 5,0,0,0,0,0")
        (more,) = [one for one in showing.take(session) if isinstance(one, protocol.Recorded)]
        assert more.kept == length < more.duration
        assert more.moving == more.still == []
        session.do("undo")
        (less,) = [one for one in showing.take(session) if isinstance(one, protocol.Recorded)]
        assert less.kept == less.duration == length


def test_a_rename_of_what_moves_keeps_the_track() -> None:
    with staged() as session:
        session.do("run demo")
        showing, messages = followed(session, "modify Puma name Bob")
        assert showing.now is not None
        assert showing.now.track.recording.robots == ("Bob",)
        (change,) = [one for one in messages if not isinstance(one, protocol.Difference | protocol.RunInfo)]
        assert isinstance(change, protocol.Recorded)  # the words of events, and no motion
        assert change.kept == change.duration
        assert change.moving == change.still == []


def test_a_part_that_an_edit_moves_is_in_the_track_from_then_on() -> None:
    with staged() as session:
        session.do("run demo")
        showing, messages = followed(session, "place cube at 1000,1000,500")
        (change,) = [one for one in messages if isinstance(one, protocol.Recorded)]
        assert change.moving == [bodies_by_name(showing)["cube"]]
        assert change.kept == change.duration


def test_the_motion_of_a_robot_that_moves_elsewhere_is_forgotten() -> None:
    with staged() as session:
        session.do("run demo")
        _, messages = followed(session, "place Puma at 0,0,200")
        assert [one.duration for one in messages if isinstance(one, protocol.RecordingInfo)] == [0.0]


def test_who_missed_a_difference_asks_for_the_whole() -> None:
    with staged() as session:
        showing, first = followed(session, "create block a")
        session.do("create block b")
        second = showing.take(session)
        late = Mirror()
        assert showing.now is not None
        late.receive(msgspec.structs.replace(showing.now.picture.scene(), number=1))
        late.receive(second[0])
        assert late.missed
        del first


# ---- keyframes -------------------------------------------------------------------------------------------

MOVES = (
    "speed Puma 1.5rad/s",
    "move-joints-relative Puma -70,-10,10,30,-20,-10",
    "profile Puma trapezoid",
    "move-joints-relative Puma 60,10,-10,-30,20,40",
    "place cube at 900,300,425",
    "move-joints-relative Puma 3,0,0,0,0,0",
)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_drawn_between_keyframes_is_within_the_bounds(seed: int) -> None:
    with staged((*STAGE, *MOVES)) as session:
        snapshot, recording = session.snapshot(), session.recording
        names = [body.name for body in snapshot.bodies]
        frames = kf.keyframes(snapshot, recording, 0.0, recording.end, names, ["Puma", "Arm"])
        times = np.sort(np.random.default_rng(seed).uniform(0.0, recording.end, 2000))
        drawn = kf.drawn_at(frames, times)
        true = body_poses(snapshot, recording, times)
        sevens = kf.seven(true)
        joints = np.hstack([recording.way(name).at(times) for name in ("Puma", "Arm")])
        away, turned, joint = kf.apart(drawn, kf.Keyframes(times, sevens, joints))
        assert away.max() < 1.5 * kf.POSITION
        assert turned.max() < 1.5 * kf.TURN
        assert joint.max() < 1.5 * kf.JOINT
        assert len(frames.times) < 100 * recording.end


def test_corners_and_jumps_are_exact() -> None:
    with staged((*STAGE, *MOVES)) as session:
        snapshot, recording = session.snapshot(), session.recording
        names = [body.name for body in snapshot.bodies]
        frames = kf.keyframes(snapshot, recording, 0.0, recording.end, names, ["Puma"])
        corners = [moment for piece in recording.way("Puma").pieces for moment in (piece.begin, piece.end)]
        jumps = [change.time for change in recording.changes]
        assert jumps
        for moment in (*corners, *jumps):
            drawn = kf.drawn_at(frames, np.array([moment]))
            expected = kf.seven(snapshot.body_poses(recording.state_at(moment)))
            np.testing.assert_allclose(drawn.poses[0], expected, atol=1e-9)
            before = np.nextafter(moment, -np.inf)
            if before >= 0.0:
                drawn = kf.drawn_at(frames, np.array([before]))
                expected = kf.seven(snapshot.body_poses(recording.state_at(float(before))))
                np.testing.assert_allclose(drawn.poses[0], expected, atol=1e-6)
