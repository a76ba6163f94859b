"""Programs of Agent lines: kept like any program, checked, and carried out line by line."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.commands.program_completion import program_completions
from workcell.errors import Refused
from workcell.languages.agent.stream import AgentStream
from workcell.languages.agent.table import COMMANDS

LINES = ["make-agent arm PUMA 560", "drive arm 10 0 -90 0 90 0", "get-angles arm", "drive arm 900 0 -90 0 90 0"]


def test_an_agent_program_does_what_a_stream_of_its_lines_does():
    cell, other = wc.Cell(), wc.Cell()
    text = "\n".join(["verbatim agent", *(f"  {line}" for line in LINES), "end"])
    cell.session.call("write program", {"name": "demo", "text": text})
    ran = cell.do("run-agent demo")
    stream = AgentStream(other.session, reasons=True, first=1)
    expected = [stream.line(line) for line in LINES]
    assert [one.text for one in ran.outputs] == ["\n".join(one) for one in expected if one]
    assert [(one.line, one.refused) for one in ran.outputs] == [(4, False), (5, True)]
    assert "in line 4 --- 10" in ran.outputs[1].text  # as the editor counts
    assert ran.outputs[1].reason.startswith("Joint 1 (waist) of puma560")
    assert cell.session.recording.to_bytes() == other.session.recording.to_bytes()
    outline = cell.do("outline demo")
    assert (outline.language, [(row.line, row.last) for row in outline.rows]) == ("agent", [(1, 6)])


def test_the_cell_watches_after_a_run_of_agent_lines_as_before_it():
    for before in ("no", "yes", "certified --allow-undecided"):
        cell = wc.Cell()
        cell.do("create robot Puma puma560")
        cell.do(f"watch {before}")
        kept = cell.database.setting("watch")
        for line in ("get-angles Puma", "set-collision-check 0", "set-collision-check 1", "nothing"):
            cell.session.call("write program", {"name": "demo", "text": f"verbatim agent\n  {line}\nend"})
            cell.do("run-agent demo")
            assert cell.database.setting("watch") == kept
            cell.do("remove program:demo")


def test_one_undo_takes_back_a_run_of_agent_lines_and_redo_brings_it_back():
    with wc.Cell() as cell:
        lines = [
            "make-agent arm PUMA 560",
            "make-object part box 40 40 40",
            "drive arm 10 0 -90 0 90 0",
            "drive arm 900",
        ]
        text = "\n".join(["verbatim agent", *lines, "end"])
        cell.session.call("write program", {"name": '"my demo"', "text": text})
        before = cell.session.state.to_json(), cell.database.setting("watch"), str(cell.do("list"))
        cell.do('run-agent "my demo"')
        after = cell.session.state.to_json(), cell.database.setting("watch"), str(cell.do("list"))
        assert after != before
        assert 'undone: run-agent "my demo" (by python)' in str(cell.do("undo"))
        assert (cell.session.state.to_json(), cell.database.setting("watch"), str(cell.do("list"))) == before
        cell.do("redo")
        assert (cell.session.state.to_json(), cell.database.setting("watch"), str(cell.do("list"))) == after
        assert cell.replayed().session.state.to_json() == after[0]


def test_a_run_of_agent_lines_that_changes_nothing_in_a_cell_that_watches_is_no_step():
    cell = wc.Cell()
    cell.do("create robot Puma puma560")
    cell.session.call("write program", {"name": "demo", "text": "verbatim agent\n  get-angles Puma\nend"})
    cell.do("watch yes")
    cell.do("run-agent demo")
    assert "undone: watch yes" in str(cell.do("undo"))


def test_an_error_in_a_continued_command_is_at_its_first_line():
    cell = wc.Cell()
    cell.session.call("write program", {"name": "demo", "text": "verbatim agent\n  drive \\\n  nobody 1\nend"})
    [output] = cell.do("run-agent demo").outputs
    assert (output.line, output.reason) == (2, "There is no object or agent called 'nobody'.")


def test_a_program_of_steps_is_not_run_as_agent_lines():
    cell = wc.Cell()
    cell.do('write program demo "wait 1"')
    with pytest.raises(Refused, match="verbatim agent"):
        cell.do("run-agent demo")


def test_mistakes_of_agent_lines_have_their_lines():
    found = wc.Cell().do('check agent "make-agent arm%0A; nothing%0A drve arm 1%0Agrasp a \\%0Ab c%0Aload a b"')
    assert [(one.line, one.column) for one in found.problems] == [(1, 0), (3, 1), (4, 0), (6, 7)]
    assert "did you mean drive?" in found.problems[1].message


def test_every_command_of_the_transcripts_passes_the_check():
    cell = wc.Cell()
    for name in COMMANDS:
        assert "no command" not in str(cell.session.call("check agent", {"text": name}))


def test_agent_lines_become_steps_that_are_stepped_through_and_made_again():
    cell = wc.Cell()
    cell.do("create robot arm puma560 joints 0,0,-90,0,90,0")
    cell.do("create robot other puma560 joints 0,0,-90,0,90,0 at 3000,0,0")
    lines = ["drive arm 10 0 -90 0 90 0", "", "drive arm 20 0 -90 0 90 0, drive other 0 0 -90 0 90 0"]
    text = "\n".join(["verbatim agent", *(f"  {line}" for line in lines), "end"])
    cell.session.call("write program", {"name": "demo", "text": text})
    cell.do("agent-steps demo as job")
    assert [cell.do("debug job").line, cell.do("step-over").line] == [1, 3]
    cell.do("stop-run")
    made = {one.name for one in cell.database.entities("program")}
    cell.do("agent-steps demo as job")  # the same again: nothing is made beside it
    assert {one.name for one in cell.database.entities("program")} == made
    cell.do("undo")
    assert {one.name for one in cell.database.entities("program")} == {"demo"}
    with pytest.raises(Refused, match="The steps of 'demo' need another name"):
        cell.do("agent-steps demo as demo")
    cell.do('write program plain "wait 1"')
    with pytest.raises(Refused, match="is not a program of Agent lines"):
        cell.do("agent-steps plain as other")


def with_a_robot_and_a_crate() -> wc.Cell:
    cell = wc.Cell()
    cell.do("create robot Puma puma560")
    cell.do("add solid crate box 100 100 100")
    return cell


CHECKED = {
    "make-object part box 40 x 40": "1:24 Argument 4 must be a number; found 'x'.",
    "make-object part box 40 40 40 blau": "1:30 There is no colour called 'blau'; define-color makes one.",
    "define-color blau 0 0 1\nmake-object part box 40 40 40 blau": "",
    "make-object part bx 40": "1:17 An object is box, cylinder, cone, truncated-cone, sphere, line, polyline, polygon; "
    "found 'bx'.",
    "drive Puma 1 2 3": "1:11 drive needs 7 arguments; found 4.",
    "drive arm 1 2 3 4 5 6\nmake-agent arm PUMA 560": "1:6 There is no object or agent called 'arm'.",
    "make-agent arm PUMA 560\ndrive arm 1 2 3 4 5 6, drive Puma 1 2 3 4 5 6": "",
    "drive Puma 1 2 3 4 5 6, drive Pma 1 2 3 4 5 6": "1:30 There is no object or agent called 'Pma'.",
    "drive Puma 0 500 -90 0 90 0": "1:13 Joint 2 (shoulder) of puma560 would be 275 ° out of its range -45 … 225 °.",
    "make-agent arm PUMA 560\ndrive-find arm 0 0 -90 0 90 900": "2:28 Joint 6 (flange) of puma560 would be 634 ° "
    "out of its range -266 … 266 °.",
    "make-agent arm PUMA 560\ndrive arm 0 0 -90": "2:10 drive needs 7 arguments; found 4.",
    "make-agent arm nobody\ndrive arm 0 0 -90": "1:15 There is no agent type 'nobody'; such types are PUMA 560 and "
    "irb6400.; 2:6 There is no object or agent called 'arm'.",
    "drive crate 1": "1:6 'crate' is not a robot.",
    "record-angles Puma rest\ndrive Puma rest\ndrive Puma nest": "3:11 Argument 2 must be a number; found 'nest'.",
    "translate-object crate q=3": "1:23 Argument 2 must be x=, y= or z= with a number, each once.",
    "make-agent arm PUMA 560\ndefine-color arm 1 0 0\nget-angles arm": "",
    "make-object part box 10 20 30\nmake-agent arm PUMA 560\nrecord-angles arm part\ntranslate-object part x=1": "",
    "make-object part sphere 4, make-agent part\ndestroy-object part": "1:27 make-agent needs 2 arguments: "
    "make-agent <name> <agent-type> [<color>]; found 1.",
    "make-agent arm\nget-angles arm": "1:0 make-agent needs 2 arguments: make-agent <name> <agent-type> [<color>]; found 1.; "
    "2:11 There is no object or agent called 'arm'.",
    "display-type sold": "1:13 A display type is wireframe, solid, shade; found 'sold'.",
    "load more.agent\ndrive nobody 1": "",
    "load more.agent\nlook-at 1 2 c": "2:12 Argument 3 must be a number; found 'c'.",
}


def test_arguments_are_checked_with_the_sentence_of_the_run_at_their_place():
    cell = with_a_robot_and_a_crate()
    before = cell.database.history.written
    for text, wanted in CHECKED.items():
        found = cell.session.call("check agent", {"text": text}).problems
        assert "; ".join(f"{one.line}:{one.column} {one.message}" for one in found) == wanted
    assert cell.database.history.written == before


COMPLETED = {
    "dri": ["drive", "drive-find", "drive2"],
    "start: driv": ["drive", "drive-find", "drive2"],
    "drive ": ["Puma"],
    "drive Puma 1, get-a": ["get-angles"],
    "make-agent arm PUMA 560\n  drive2 Puma ": ["arm"],
    "make-agent arm puma5": ["puma560"],
    "grasp Puma \\\n  ": ["crate"],
    "make-object part tr": ["truncated-cone"],
    "make-object part sphere 40 ste": ["steel"],
    "record-angles Puma rest\n  drive Puma ": ["rest"],
    "set-echo ": ["1", "0"],
    "translate-object crate x=3 ": ["y=", "z="],
    "display-type sh": ["shade"],
    "look-at ": [],
    "drive Puma ; g": [],
    "nothing ": [],
}


def test_agent_lines_of_a_program_are_completed():
    cell = with_a_robot_and_a_crate()
    for text, wanted in COMPLETED.items():
        found = program_completions(cell.session, f"wait 1\nverbatim agent\n  {text}")
        assert [one.text for one in found] == wanted, text
        assert all(one.help for one in found)


def test_files_are_completed_in_the_folder_that_is_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs").mkdir()
    for name in ("jobs/weld.agent", "jobs/weld.txt", "setup.cmd", "two words.agent", "rest.positions", "part.robosim"):
        (tmp_path / name).touch()
    cell = wc.Cell()
    wanted = {
        "load ": ["jobs/", "setup.cmd"],
        "load s": ["setup.cmd"],
        "load jobs/": ["jobs/weld.agent"],
        "get-angles Puma, load jobs/w": ["jobs/weld.agent"],
        "load-positions r": ["rest.positions"],
        "make-robosim-object part p": ["part.robosim"],
        "make-robosim-object ": [],
        "load missing/": [],
    }
    for text, paths in wanted.items():
        found = program_completions(cell.session, f"verbatim agent\n  {text}")
        assert [one.text for one in found] == paths, text
        assert all(one.help in ("a file", "a folder") for one in found)
