"""Events hold data: every kind has a text, survives bytes, follows renames, and is the same whatever drives."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.robots.payload import JointMoment, Load
from workcell.simulation import events as e
from workcell.simulation.event_text import text_of
from workcell.simulation.gantt import gantt
from workcell.simulation.loading import load_notes
from workcell.simulation.recording import Recording
from workcell.world.renaming import Renaming
from workcell.world.state import CellState

DATA = Path(__file__).parent.parent / "data" / "simulation"
NUMBERS = st.floats(-1e3, 1e3)
WORDS = st.text("abcxyz-", min_size=1, max_size=8)
VALUES = {
    float: NUMBERS,
    int: st.integers(1, 9),
    str: WORDS,
    bool: st.booleans(),
    tuple[str, ...]: st.lists(WORDS, min_size=1, max_size=3).map(tuple),
    tuple[int, ...]: st.lists(st.integers(1, 9), max_size=3).map(tuple),
    tuple[float, ...]: st.lists(NUMBERS, max_size=3).map(tuple),
    tuple[tuple[float, ...], ...]: st.lists(st.lists(NUMBERS, max_size=3).map(tuple), max_size=2).map(tuple),
    tuple[float, float, float]: st.tuples(NUMBERS, NUMBERS, NUMBERS),
    tuple[str, str] | None: st.none() | st.tuples(WORDS, WORDS),
    float | None: st.none() | NUMBERS,
    bool | None: st.none() | st.booleans(),
    dict[str, float]: st.dictionaries(WORDS, NUMBERS, max_size=2),
    tuple[Load, ...]: st.lists(
        st.builds(Load, WORDS, st.none() | NUMBERS, st.none() | st.tuples(NUMBERS, NUMBERS, NUMBERS), WORDS), max_size=2
    ).map(tuple),
    tuple[e.Stuck, ...]: st.lists(
        st.builds(
            e.Stuck,
            WORDS,
            st.lists(WORDS, max_size=2).map(tuple),
            st.sampled_from(["zone", "signal", "branches"]),
            WORDS,
        ),
        min_size=1,
        max_size=3,
    ).map(tuple),
    tuple[JointMoment, ...]: st.lists(st.builds(JointMoment, st.integers(1, 6), NUMBERS, NUMBERS), max_size=2).map(
        tuple
    ),
}
"""Values for every type that a field of an event has; a new type needs a line here."""
NO_NAMES = {
    e.MoveBegan: {"move"},
    e.Gripped: {"grasp", "by"},
    e.Released: {"by"},
    e.StoppedUndecided: {"reason"},
    e.StoppedAtLimit: {"limit"},
    e.SteeringRefused: {"what", "reason"},
    e.GivenUp: {"reason"},
    e.CallbackFailed: {"name", "reason"},
    e.ZoneAwaited: {"program", "holders"},
    e.ZoneEntered: {"program"},
    e.ZoneLeft: {"program"},
    e.FaultBegan: {"fault", "does"},
    e.FaultEnded: {"fault", "does"},
    e.ProcessSet: {"process"},
    e.TrackingEnded: {"reason"},
    e.GraspMissed: {"of"},
    e.PathTried: {"how", "outcome"},
    e.GuidanceEnded: {"outcome"},
    e.Message: {"text"},
    e.Noted: {"was", "text", "figures"},
}
"""The texts of events that are no names of robots, bodies or signals."""


def fields(kind):
    """The fields of a kind and their types, the time left out."""
    hints = get_type_hints(kind)
    return {one.name: hints[one.name] for one in msgspec.structs.fields(kind) if one.name != "time"}


@st.composite
def events(draw, kind=None):
    """Any event."""
    kind = kind or draw(st.sampled_from(e.KINDS))
    words = {"limit": st.sampled_from(["position", "speed", "acceleration", "jerk"])}
    made = {name: draw(words.get(name, VALUES[hint])) for name, hint in fields(kind).items()}
    return kind(draw(st.floats(0.0, 1e3)), **made)


def named(value):
    """Every name in the value of a field."""
    if isinstance(value, str):
        return [value]
    return [name for one in value or () for name in names_in(one)]


def names_in(one):
    """Every name in an item of the value of a field."""
    if isinstance(one, e.Stuck):
        return [*one.holds, *([one.waits_for] if one.what == "zone" else [])]
    return [one.name if isinstance(one, Load) else one]


class Elsewhere(Renaming):
    """Calls everything otherwise."""

    def __call__(self, name):
        return f"new/{name}"


@pytest.mark.parametrize("kind", e.KINDS, ids=lambda kind: kind.__name__)
@given(data=st.data())
@settings(max_examples=15)
def test_every_kind_has_a_sentence_survives_bytes_and_follows_new_names(kind, data):
    event = data.draw(events(kind))
    text = text_of(event)
    assert text.strip() == text != ""
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(event), type=e.Event) == event
    after = e.renamed(event, Elsewhere())
    for field, hint in fields(kind).items():
        before, now = getattr(event, field), getattr(after, field)
        if field in e.NAMES.get(kind, {}) and field != "signal":
            assert named(now) == [f"new/{name}" for name in named(before)]
        else:
            assert now == before
            texts = hint is str or str in get_args(hint)
            assert not texts or field == "signal" or field in NO_NAMES.get(kind, ()), f"{field} may hold a name"


def test_the_signal_of_a_robot_follows_its_robot_and_others_keep_their_name():
    new = Renaming({"A": "B"})
    assert e.renamed(e.SignalSet(0.0, "A/gripper", 1.0), new) == e.SignalSet(0.0, "B/gripper", 1.0)
    assert e.renamed(e.SignalSeen(0.0, "A", 1.0), new) == e.SignalSeen(0.0, "A", 1.0)
    assert e.renamed(e.SignalSeen(0.0, "A", 1.0), Renaming(signals={"A": "C"})) == e.SignalSeen(0.0, "C", 1.0)


def test_what_is_gone_keeps_its_name_in_events():
    new = Renaming({"A": ""}, {"ready": ""})
    assert e.renamed(e.Gripped(0.0, "A", "cube", "", "", 0.04), new).robot == "A"
    assert e.renamed(e.SignalSet(0.0, "ready", 1.0), new).signal == "ready"


def test_kinds_have_different_words():
    assert len({kind.__struct_config__.tag for kind in e.KINDS}) == len(e.KINDS)


@given(st.lists(events(), max_size=6))
@settings(max_examples=40)
def test_recordings_keep_events_and_sources_apart(found):
    recording = Recording(CellState())
    sources = [e.Issued(0.0, "main", 3, (("outer", 1),)), e.Issued(0.5, who="Ann")]
    for event in found:
        recording.event(event)
    plain = recording.to_bytes()
    for source in sources:
        recording.source(source)
    assert recording.to_bytes() == plain
    again = Recording.from_bytes(recording.to_bytes(sources=True))
    assert (again.events, again.sources) == (found, sources)
    assert again.to_bytes(sources=True) == recording.to_bytes(sources=True)
    mark = recording.mark()
    recording.event(e.Message(2e3, "more"))
    recording.source(e.Issued(2e3))
    cut = recording.cut(mark)
    assert (cut.events, cut.sources) == (found, sources)


PROGRAM = (
    "move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip",
    "close-gripper Puma",
    "move-end-effector Puma 450,250,90 euler fanuc_wpr 180,0,180 of grip",
    "open-gripper Puma --settle",
    "wait 0.5",
    "set-signal ready 1",
    "wait-for ready",
    "process Puma on weld",
)


@pytest.fixture
def ready(pick):
    pick.do("create signal ready")
    return pick


def test_plant_events_are_the_same_typed_and_run_and_sources_say_who(ready):
    for line in PROGRAM:
        ready.do(line)
    typed = ready.session.recording
    ready.do("reset")
    ready.do(f'write program inner "{"%0A".join(PROGRAM[4:])}"')
    ready.do(f'write program main "{"%0A".join([*PROGRAM[:4], "call inner"])}"')
    ready.do("run main")
    run = ready.session.recording
    assert run.events == typed.events
    assert run.to_bytes() == typed.to_bytes()
    assert {type(event) for event in run.events} > {e.MoveBegan, e.Gripped, e.Released, e.Settled, e.SignalSeen}
    assert [one.who for one in typed.sources] == [ready.session.who] * len(PROGRAM)
    assert {one.program for one in typed.sources} == {""}
    assert [(one.program, one.line, one.callers) for one in run.sources] == [
        *(("main", line, ()) for line in range(1, 6)),
        *(("inner", line, (("main", 5),)) for line in range(1, 5)),
    ]
    times = [one.time for one in run.sources]
    assert all(a <= b for a, b in itertools.pairwise(times))


def test_a_rename_reaches_every_event(ready, tmp_path):
    for line in PROGRAM:
        ready.do(line)
    ready.do("modify Puma name Arm")
    ready.do("modify cube name brick")
    recording = ready.session.recording
    texts = [text_of(event) for event in recording.events]
    assert "Arm takes brick" in texts
    assert "brick settles on stage, 10 mm below" in texts
    assert not [text for text in texts if text.startswith(("Puma", "cube"))]
    ready.do(f'save-recording "{tmp_path / "a.rec"}"')
    assert Recording.load(tmp_path / "a.rec").sources == recording.sources
    ready.do(f'gantt "{tmp_path / "a.svg"}"')
    assert "<title>Arm takes brick</title>" in (tmp_path / "a.svg").read_text()


@pytest.mark.parametrize("name", ["old_recording.rec", "old_recording_in_segments.rec"])
def test_recordings_of_before_are_read_and_their_events_are_notes(name, tmp_path):
    recording = Recording.load(DATA / name)
    assert {type(event) for event in recording.events} == {e.Noted}
    notes = {event.was: event.text for event in recording.events}
    assert notes["grip"] == "Puma takes cube"
    assert notes["stop"] == "Puma/right finger and stage would touch"
    assert [text_of(event) for event in recording.events] == [event.text for event in recording.events]
    (load,) = load_notes(recording.events)
    assert (load.robot, load.verdict, load.figures["payload"]) == ("Puma", "load unknown", 2.5)
    assert recording.sources == []
    assert len(recording.moves) == 3
    assert recording.state_at(recording.end).signals["ready"] == 1.0
    recording.save(tmp_path / "new.rec")
    again = Recording.load(tmp_path / "new.rec")
    assert again.events == recording.events
    assert again.renamed(Renaming({"Puma": "Arm"})).events[3].robot == "Arm"
    marks = gantt(recording).svg()
    assert "<title>Puma takes cube</title>" in marks
    assert "<title>Puma/right finger and stage would touch</title>" in marks


def test_both_kinds_of_old_file_tell_the_same():
    one, other = (Recording.load(DATA / name) for name in ("old_recording.rec", "old_recording_in_segments.rec"))
    assert one.events == other.events
    assert one.changes == other.changes


def test_a_chart_finds_the_robot_of_a_grip_by_its_field(ready):
    """One robot's name begins with the other's: the mark stands in the right row."""
    ready.do('create robot "Puma 2" puma560 at 0,2000,0')
    sim = wc.Simulator(ready)
    sim.robot("Puma 2").move_joints_relative([0.1, 0, 0, 0, 0, 0])
    sim.robot("Puma").move_joints_relative([0.1, 0, 0, 0, 0, 0])
    sim.recorder.event(e.Gripped(sim.time, "Puma", "2 boxes", "", "", 0.04))
    rows = {mark.title: mark.box[1] for mark in gantt(sim.recording).marks if getattr(mark, "title", "")}
    assert rows["Puma takes 2 boxes"] < 40 + 34
