"""The Agent language, command by command and error by error, as its definition prints them."""

from __future__ import annotations

import ast
from pathlib import Path

import agent_transcripts as transcripts
import pytest
from agent_talk import names_sent, talk

from workcell.commands.cell import Cell
from workcell.commands.language.registry import registry
from workcell.languages.agent import codes
from workcell.languages.agent.stream import AgentStream
from workcell.languages.agent.table import COMMANDS

DEFINED = [
    "make-object",
    "translate-object",
    "rotate-object",
    "make-composite-object",
    "link-objects",
    "make-robosim-object",
    "make-agent",
    "destroy-object",
    "drive",
    "drive-find",
    "move-straight",
    "move-inter",
    "find-path",
    "move-straight-to",
    "move-inter-to",
    "find-path-to",
    "translate-agent",
    "rotate-agent",
    "drive2",
    "movexy",
    "shift",
    "minimal-step",
    "set-solution",
    "set-large-move-limit",
    "get-solution",
    "get-valid-solutions",
    "freeze-solution",
    "set-collision-check",
    "display-tries",
    "get-position",
    "get-angles",
    "record-angles",
    "save-positions",
    "load-positions",
    "define-grasping-point",
    "define-grasping-opening",
    "define-default-grasping-gap",
    "define-approach-opening",
    "move-to-grasp",
    "grasp",
    "release",
    "look-from",
    "look-at",
    "twist-camera",
    "define-color",
    "light-source",
    "display-type",
    "load",
    "set-echo",
    "exit",
    "end",
    "clear",
]
"""The 52 commands of the definition."""
ABOUT_THE_STREAM = {"load", "set-echo", "exit", "end"}
ROOM = Path(__file__).resolve().parents[2] / "src" / "workcell" / "languages" / "agent"


@pytest.fixture
def stream(cell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("inner.cmd").write_text(
        "get-angles arm\nhere: load innermost.cmd\njump arm ; not there\nend\nget-angles arm\n"
    )
    Path("innermost.cmd").write_text("get-angles nobody\nexit\nget-angles arm\n")
    Path("loop.cmd").write_text("load loop.cmd\n")
    return AgentStream(cell.session)


def test_the_table_has_the_52_commands_and_only_these():
    assert len(DEFINED) == 52
    assert set(COMMANDS) == set(DEFINED)


def test_every_command_is_an_adapter_onto_commands_of_the_registry():
    for name, command in COMMANDS.items():
        assert command.name == name
        assert (command.act is None) != (command.move is None)
        assert bool(command.onto) == (name not in ABOUT_THE_STREAM)
        assert all(one in registry() for one in command.onto), name


def test_no_command_has_an_engine_of_its_own():
    """Only sessions, values and words: whatever simulates, plans, tests or stores is behind the registry."""
    allowed = ("commands", "errors", "languages", "spatial", "wording", "world")
    translating = {"agent_programs.py", "translation.py"}  # Agent text as programs, which are data
    for file in ROOM.glob("*.py"):
        if file.name in translating:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            rooms = [module.split(".")[1] for module in modules if module.startswith("workcell.")]
            assert all(room in allowed for room in rooms), file.name
            if "world" in rooms:
                # the names of colours, and what a command is given as a thing of the cell, which is a value
                assert modules in (["workcell.world.expand"], ["workcell.world.entities"]), file.name
    engines = ("simulation", "planning", "collision", "motion", "kinematics")
    for name in translating:
        assert not any(f"from workcell.{room}" in (ROOM / name).read_text() for room in engines), name


def test_every_command_and_every_code_is_in_a_transcript():
    assert set().union(*(names_sent(text) for text in transcripts.ALL)) >= set(DEFINED)
    printed = {int(line.split("--- ")[1].split()[0]) for text in transcripts.ALL for line in text.split("\n")
               if line.strip().startswith("*** Error")}  # fmt: skip
    assert printed | {12} == set(codes.CODES)  # 12: test_agent_robots.py


@pytest.mark.parametrize("name", ["OBJECTS", "MOTIONS", "SEVERAL", "SOLUTIONS", "GRASPING", "PICTURES", "FILES"])
def test_a_transcript_character_for_character(stream, cell, name):
    talk(stream, getattr(transcripts, name))
    assert cell.replayed().database.rows() == cell.database.rows()


def test_a_movement_error_without_a_number_of_its_own():
    """A straight move in which a joint would have to jump to another branch is such an error."""
    from workcell.errors import KinematicsError, MotionError, MotionStop

    assert codes.message(MotionError("A joint would have to jump.", joint=4), {}) == "12 Internal movement error"
    assert codes.message(MotionStop("Stopped."), {}) == "12 Internal movement error"
    assert codes.code_of(KinematicsError("Joint 3 is at its end.", joint=3)) == codes.JOINT


def test_a_collision_of_an_agent_names_both_sides_and_the_joints(stream):
    stream.line("make-agent arm PUMA 560")
    stream.line("make-object post box 100 100 2000")
    stream.line("translate-object post x=600 y=300")
    (line,) = stream.line("drive arm 60 0 -90 0 90 0")
    place, _, collision = line.partition(" --- 11 Collision: ")
    assert place == "*** Error in line 3"
    kind, first, second, joint = collision.split()
    assert (kind, first, second) == ("1", "arm", "post")
    assert 1 <= int(joint) <= 6
    stream.line("destroy-object post")
    stream.line("drive arm 0 0 -90 0 90 0")
    stream.line("make-agent other PUMA 560")
    stream.line("translate-object other x=1100 y=500")
    (line,) = stream.line("drive other -130 0 -90 0 90 0")
    kind, first, second, *joints = line.partition(" --- 11 Collision: ")[2].split()
    assert (kind, {first, second}) == ("2", {"arm", "other"})
    assert [1 <= int(joint) <= 6 for joint in joints] == [True, True]


def test_an_error_prints_its_reason_as_a_comment_if_asked(cell):
    stream = AgentStream(cell.session, reasons=True)
    error, reason = stream.line("drive nobody 0")
    assert error == "*** Error in line 0 --- 2 Unknown object: drive nobody 0"
    assert reason == "; There is no object or agent called 'nobody'."


def test_a_command_is_one_step_of_the_history(stream, cell):
    for line in ("make-agent arm PUMA 560", "make-object a line 1 2 3", "define-color c 1 0 0", "light-source 0 0 0 c"):
        before = cell.database.rows()
        stream.session.call("watch", {"how": "yes"})
        before = cell.database.rows()
        assert stream.line(line) == []
        assert cell.database.rows() != before
        cell.do("undo")
        assert cell.database.rows() == before
        cell.do("redo")


def test_two_streams_have_their_own_lines_and_settings_and_one_cell():
    with Cell() as cell:
        one, other = AgentStream(cell.session), AgentStream(cell.session)
        assert one.line("label: make-agent arm PUMA 560") == []
        assert other.line("get-angles arm") == ["position of agent arm in line 0 --- 0 0 -90 0 90 0"]
        assert one.line("get-angles arm") == ["position of agent arm in line label:1 --- 0 0 -90 0 90 0"]
        one.line("exit")
        assert one.ended
        assert not other.ended
