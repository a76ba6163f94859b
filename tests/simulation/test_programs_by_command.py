"""Programs of the cell in parallel, by command: one clock, signals, one step of the history."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import CollisionStop, WorkcellError
from workcell.simulation.recording import Recording

HOME = "0,0,-90,0,90,0"


@pytest.fixture
def two():
    with wc.Cell() as cell:
        for line in (
            f"create robot A puma560 joints {HOME}",
            f"create robot B puma560 at 0,2000,0 joints {HOME}",
            "create signal ready",
            "create signal done",
            "create program feed",
            "create program take",
        ):
            cell.do(line)
        yield cell


def write(cell, program, *lines):
    cell.do(f'modify {program} text "{"%0A".join(lines)}"')


def test_a_line_holds_up_its_own_program_only(two):
    two.do("default-profile linear")
    write(
        two, "feed", "speed A 0.5rad/s", "move-joints-relative A 30,0,0,0,0,0", "set-signal ready 1", "wait-for done",
        "move-joints-relative A -30,0,0,0,0,0 profile 345",
    )  # fmt: skip
    write(
        two, "take", "wait 0.25", "wait-for ready", "speed B 0.5rad/s", "move-joints-relative B 60,0,0,0,0,0",
        "set-signal done 1",
    )  # fmt: skip
    before = two.state
    answer = two.do("run-together feed & take")
    third = 0.5235987755982988 / 0.5
    assert answer.ended["take"] == pytest.approx(3 * third)
    assert answer.time == two.state.time == answer.ended["feed"]
    recording = two.session.recording
    assert recording.state_at(1.5 * third).joints["B"][0] == pytest.approx(0.25 * third)
    assert recording.state_at(answer.time) == two.state
    assert [move.device for move in recording.moves] == ["A", "B", "A"]
    # One step of the history, replayed from nothing but the journal.
    assert list(two.journal)[-1].command == 'run-together "feed" "take"'
    assert two.replayed().state == two.state
    again = two.session.recording.to_bytes()
    two.do("undo")
    assert two.state == before
    two.do("run-together feed take")
    assert two.session.recording.to_bytes() == again
    # The speeds held for the run only.
    assert two.do("move-joints-relative A 30,0,0,0,0,0").duration < 0.9 * third


def test_a_run_that_cannot_continue_is_refused_and_leaves_nothing(two):
    before, steps = two.state, len(two.journal)
    for feed, take, words in (
        (
            ["wait-for ready"],
            ["wait 1", "wait-for done"],
            r"The run cannot continue: .*feed in line 1 for ready = 1; take in line 2 for done = 1",
        ),
        (["wait 1", "move-joints-relative A 200,0,0,0,0,0"], ["wait 2"], r"Line 2 of program 'feed': Joint 1"),
        (["wait 1", "mvoe A"], ["wait 2"], r"feed:2:1: 'mvoe' is not a command word"),
        (["reset"], ["wait 1"], "`reset` is not a step of a program"),
        (["create signal more"], ["wait 1"], r"`create signal` edits the cell, so it cannot be a step"),
        (["follow-table A none.csv"], ["wait 1"], "none.csv cannot be read"),
        (["move-joints-relative A 9,0,0,0,0,0"], ["move-joints-relative A 5,0,0,0,0,0"], "cannot make two moves at"),
        (["close-gripper A"], ["wait 1"], "Line 1 of program 'feed': .*closes on nothing"),
    ):
        write(two, "feed", *feed)
        write(two, "take", *take)
        steps = len(two.journal)
        with pytest.raises(WorkcellError, match=words):
            two.do("run-together feed take")
        assert two.state == before
        assert len(two.journal) == steps
    for line in ("run-together feed feed", "run-together feed tkae"):
        with pytest.raises(WorkcellError, match=r"different programs|did you mean take"):
            two.do(line)


@pytest.mark.parametrize("how", ["yes", "certified"])
def test_a_watched_run_stops_all_before_the_contact_and_replays_to_the_same_place(two, how):
    two.do("place B at 0,1000,0")
    two.do(f"watch {how}")
    write(two, "feed", "move-joints-relative A 70,0,0,0,0,0", "set-signal done 1")
    write(two, "take", "wait 0.2", "move-joints-relative B -70,0,0,0,0,0", "wait-for done")
    before = two.state
    with pytest.raises(CollisionStop, match="A and B stopped at") as caught:
        two.do("run-together feed take")
    assert two.state.time == caught.value.stopped
    assert two.session.recording.state_at(two.state.time) == two.state
    assert two.replayed().state == two.state
    two.do("undo")
    assert two.state == before


def test_edits_between_moves_leave_the_recording_whole(two):
    write(two, "feed", "speed A 0.5rad/s", "move-joints-relative A 30,0,0,0,0,0", "speed A 0.25rad/s", "profile A 345")
    write(two, "take", "move-joints-relative A -30,0,0,0,0,0")
    two.do("run feed")
    two.do("move-joints-relative A -30,0,0,0,0,0")
    assert [move.profile for move in two.session.recording.moves] == [
        "trapezoid",
        "trapezoid",
    ]  # a program sets profiles for itself only
    assert two.session.recording.start.time == 0.0


MOVE = st.tuples(st.just("move"), st.sampled_from([-12, -5, 5, 12])).map(lambda step: [step])
BLOCKS = st.one_of(
    MOVE,
    st.sampled_from([0, 0.3, 1.0]).map(lambda seconds: [("wait", seconds)]),
    st.sampled_from([0, 1]).map(lambda value: [("set", value)]),
    st.sampled_from([0, 1]).map(lambda value: [("set", 1), ("see", value)]),
    st.sampled_from([0.6, 0.65]).map(lambda height: [("glide", height)]),
    st.tuples(st.lists(MOVE, max_size=2), st.booleans()).map(
        lambda found: [("pick", 0), ("close", 0), *(step for move in found[0] for step in move), ("open", found[1])]
    ),
    st.just([("pick", 0), ("close", 0)]),
)
STEPS = st.lists(BLOCKS, max_size=3).map(lambda blocks: [step for block in blocks for step in block])


def line_of(robot, what, value):
    other = {"A": "euler fanuc_wpr 180,0,180", "B": "rotate 0,-90,0"}[robot]
    return {
        "move": f"move-joints-relative {robot} {value},0,0,0,0,0 profile {'345' if value > 0 else 'linear'}",
        "pick": f"move-end-effector {robot} 650,0,600 {other} of grip",
        "close": f"close-gripper {robot} within 1m angle 180deg",
        "open": f"open-gripper {robot}{' --settle' if value else ''}",
        "wait": f"wait {value}",
        "set": f"set-signal {'ready' if robot == 'A' else 'done'} {value}",
        "see": f"wait-for {'done' if robot == 'A' else 'ready'} {value}",
        "glide": f"move-solid bar through 650,0,{value * 1e3:g} in 1s",
    }[what]


@settings(max_examples=25, deadline=None, derandomize=True)
@given(STEPS, STEPS)
def test_random_programs_side_by_side_keep_the_laws(first, second):
    with wc.Cell() as cell:
        for line in (
            "create robot A puma560",
            "create robot B puma560 at 1300,0,0 rotate 0,0,180",
            "add solid bar box 30 30 30 at 650,0,600 --movable",
            "create signal ready",
            "create signal done",
            "create program one",
            "create program two",
        ):
            cell.do(line)
        for name, robot, steps in (("one", "A", first), ("two", "B", second)):
            write(cell, name, *(line_of(robot, *step) for step in steps))
        before, journal = cell.state, len(cell.journal)
        try:
            cell.do("run-together one two")
        except WorkcellError:
            # Nothing of a refused run stays.
            assert (cell.state, len(cell.journal)) == (before, journal)
            return
        end, recording = cell.state, cell.session.recording
        data = recording.to_bytes()
        snapshot = cell.snapshot()
        read = Recording.from_bytes(data)
        assert read.to_bytes() == data
        assert read.state_at(read.end) == end
        held: dict[tuple[str, str], object] = {}
        for time in [*read.times.tolist(), *(read.end * k / 40 for k in range(41))]:
            state = read.state_at(time)
            assert state == recording.state_at(time)
            # Held by one or lying free, never both.
            assert ("bar" in state.attached) != ("bar" in state.poses)
            if "bar" in state.attached and snapshot.body(state.attached["bar"].frame).link >= 0:
                frame = state.attached["bar"].frame
                key = (frame, str(int(read.changed_by([time])[0])))
                assert held.setdefault(key, state.attached["bar"].X_frame_body) == state.attached["bar"].X_frame_body
        if len(cell.journal) > journal:
            assert cell.replayed().state == end
            cell.do("undo")
            assert cell.state == before
            cell.do("redo")
            assert cell.state == end
        cell.do("run-together one two")
        assert cell.session.recording.to_bytes() == data
