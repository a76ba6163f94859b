"""Scripts: commands in a file, loaded as one step; programs that edit the cell are reported; files of steps run."""

from __future__ import annotations

import warnings

import pytest
from click.testing import CliRunner

import workcell as wc
from workcell.cli import main
from workcell.commands.script import ScriptStopped, carry_out_together
from workcell.errors import FileProblem, Refused, WorkcellError

SETUP = """# a cell
create robot A puma560 joints 0,0,-90,0,90,0
create signal \\
  ready
program turn
  repeat 2
    move-joints-relative A 5,0,0,0,0,0
  end
end
run turn
"""


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        yield cell


@pytest.fixture
def script(tmp_path):
    def write(text, name="setup.txt"):
        file = tmp_path / name
        file.write_text(text)
        return f'"{file}"'

    return write


def rows(cell):
    return sorted(map(repr, cell.database.rows()))


def test_a_script_is_one_step_that_is_undone_redone_and_replayed(cell, script):
    before, steps = rows(cell), len(cell.journal)
    answer = cell.do(f"load {script(SETUP)}")
    assert str(answer) == "4 commands of setup.txt carried out; one `undo` reverts all of them"
    assert len(cell.journal) == steps + 1
    assert cell.journal.entries()[-1].label == "load setup.txt"
    assert cell.state.joints["A"][0] == pytest.approx(0.174532925)
    after, recorded = rows(cell), cell.session.recording.to_bytes()
    cell.do("undo")
    assert rows(cell) == before
    cell.do("redo")
    assert rows(cell) == after
    assert cell.session.recording.to_bytes() == recorded
    assert cell.replayed().state == cell.state
    cell.do("move-joints-relative A 5,0,0,0,0,0")  # the recording goes on after the script
    assert len(cell.session.recording.moves) == 3


def test_an_undo_is_promised_only_for_a_script_that_changed_the_cell(cell, script, tmp_path):
    steps, copy = len(cell.journal), tmp_path / "copy.celltext"
    looks, broken = script(f'robots\nsave "{copy}"'), script(f'save "{copy}"\nmvoe', "broken.txt")
    answer = cell.do(f"load {looks}")
    assert str(answer) == "2 commands of setup.txt carried out; the cell is as before"
    assert len(cell.journal) == steps
    lists, makes = script("robots", "lists.txt"), script("create block b", "makes.txt")
    together = carry_out_together(cell.session, [f"load {lists}", f"load {makes}", f"load {lists}"])
    assert together.texts[0] == together.texts[2] == "1 command of lists.txt carried out; the cell is as before"
    assert together.texts[1] == "1 command of makes.txt carried out; `undo` reverts them with their step"
    cell.do("undo")
    copy.unlink()
    with pytest.raises(ScriptStopped, match=r"The cell is as before the script\.$"):
        cell.do(f"load {broken}")
    assert copy.exists()


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("create signal a\n\n  create robot B puma56O", 3, 18, "puma56O"),
        ("create signal a\ncreate \\\n   robot B \\\n  puma56O", 4, 3, "puma56O"),
        ("create signal a\ncreate signal a", 2, 1, "called 'a' already"),
        ("create signal a\nprogram p\n  wait 1\n", 2, 1, "no `end`"),
        ("create signal a\nundo", 2, 1, "A script cannot undo"),
        ("create signal a\ngroup", 2, 1, "A script cannot begin a group"),
        ("create signal a\nend", 2, 1, "no group to end"),
        ("create signal a\nwhile ready = 0\nend", 2, 1, "between `program NAME` and `end`"),
    ],
)
def test_a_refused_line_is_named_and_nothing_of_the_script_is_done(cell, script, text, line, column, words):
    cell.do("create robot A puma560 joints 0,0,-90,0,90,0")
    cell.do("move-joints-relative A 5,0,0,0,0,0")
    before, recorded = rows(cell), cell.session.recording.to_bytes()
    steps = len(cell.journal)
    with pytest.raises(ScriptStopped, match=rf"^Line {line}, column {column} of setup\.txt: ") as caught:
        cell.do(f"load {script(text)}")
    assert words in str(caught.value)
    assert str(caught.value).endswith("The cell is as before the script.")
    assert caught.value.evidence["line_number"] == line
    assert (rows(cell), len(cell.journal)) == (before, steps)
    assert cell.session.recording.to_bytes() == recorded
    cell.do("create signal a")
    cell.do("move-joints-relative A 5,0,0,0,0,0")
    assert len(cell.session.recording.moves) == 2


def test_scripts_load_each_other_but_not_in_a_circle(cell, script, tmp_path):
    inner = script("create signal b\ncreate signal c", "inner.txt")
    cell.do(f"load {script(f'create signal a{chr(10)}load {inner}')}")
    assert cell.database.names("signal") == ["a", "b", "c"]
    cell.do("undo")
    assert cell.database.names("signal") == []
    script("create signal d\nmvoe", "inner.txt")
    with pytest.raises(ScriptStopped, match=r"^Line 2, column 1 of inner\.txt: 'mvoe'"):
        cell.do(f'load "{tmp_path / "setup.txt"}"')
    script(f'load "{tmp_path / "setup.txt"}"', "inner.txt")
    with pytest.raises(ScriptStopped, match=r"setup\.txt → inner\.txt → setup\.txt"):
        cell.do(f'load "{tmp_path / "setup.txt"}"')
    assert cell.database.names("signal") == []
    assert cell.session.scripts == []


def test_a_script_in_a_group_belongs_to_it(cell, script):
    cell.do("group")
    cell.do("create signal a")
    cell.do(f"load {script('create signal b')}")
    with pytest.raises(ScriptStopped):
        cell.do(f"load {script(f'create signal c{chr(10)}mvoe')}")
    cell.do("create signal d")
    cell.do("end")
    assert cell.database.names("signal") == ["a", "b", "d"]
    cell.do("undo")
    assert cell.database.names("signal") == []


def test_what_is_no_script_is_refused(cell, script, tmp_path):
    cell.do(f'save "{tmp_path / "one.cell"}"')
    (tmp_path / "one.cell").rename(tmp_path / "one.bak")
    with pytest.raises(FileProblem, match=r"one\.bak is a cell, not a script; give it the ending \.cell"):
        cell.do(f'load "{tmp_path / "one.bak"}"')
    cell.do(f'save "{tmp_path / "one.celltext"}"')
    (tmp_path / "one.celltext").rename(tmp_path / "one.txt")
    with pytest.raises(FileProblem, match=r"give it the ending \.celltext"):
        cell.do(f'load "{tmp_path / "one.txt"}"')
    with pytest.raises(FileProblem, match="has no commands"):
        cell.do(f"load {script('# nothing')}")
    with pytest.raises(Refused, match="`prefix` is only for cells"):
        cell.do(f"load {script('create signal a')} prefix left-")
    (tmp_path / "own").mkdir()
    cell.session.files = cell.session.files.confined_to([tmp_path / "own"])
    with pytest.raises(WorkcellError, match="setup"):
        cell.do(f"load {script('create signal a')}")
    script(f'save "{tmp_path / "out.cell"}"', "own/inside.txt")
    with pytest.raises(ScriptStopped, match=r"^Line 1, column 1 of inside\.txt"):
        cell.do("load inside.txt")
    assert not (tmp_path / "out.cell").exists()


def old(path):
    """A cell with a program as they once were, edits among moves."""
    with wc.Cell.create(path) as cell:
        cell.do("create robot A puma560")
        cell.do('write program "set up" "# first%0Await 1%0Acreate signal ready%0Amove-joints-relative A 5,0,0,0,0,0"')
        cell.do('write program turn "move-joints-relative A 5,0,0,0,0,0%0Aspeed A 0.3rad/s"')


def test_programs_that_edit_the_cell_are_reported_when_a_file_is_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    old("old.cell")
    told = (
        "Program 'set up' edits the cell (`create signal` in line 3) and cannot run; "
        '`save-program "set up" "set-up.txt"` and `load "set-up.txt"` carry it out as a script.'
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        wc.Cell.open("old.cell").close()
    assert [str(one.message) for one in caught] == [told]
    shell = CliRunner(mix_stderr=False) if "mix_stderr" in CliRunner.__init__.__code__.co_varnames else CliRunner()
    answer = shell.invoke(main, ["shell", "old.cell"], input='save-program "set up" "set-up.txt"\nload "set-up.txt"\n')
    assert answer.exit_code == 0, answer.stderr
    assert told in answer.stderr
    assert "3 commands of set-up.txt carried out" in answer.stdout


def test_the_command_line_runs_files_of_commands_and_files_of_steps(tmp_path):
    commands, steps = tmp_path / "commands.txt", tmp_path / "steps.txt"
    commands.write_text("move-joints-relative Puma 5,0,0,0,0,0\nwait 1\n")
    steps.write_text("let n = 0\nrepeat 2\n  move-joints-relative Puma 5,0,0,0,0,0\n  wait 1\nend\n")
    looks = tmp_path / "looks.txt"
    looks.write_text("move-joints-relative Puma 5,0,0,0,0,0\nreport\n")
    for file, words in ((commands, "commands: 2 steps"), (steps, "steps: "), (looks, "Puma moved in")):
        answer = CliRunner().invoke(main, ["run", str(file), "--sample", "puma"])
        assert answer.exit_code == 0, answer.output
        assert words in answer.output


def test_units_that_a_script_sets_hold_for_its_next_line(cell, script):
    cell.do(f"load {script('create target a{0}units m rad{0}place a at 0.5,0,0'.replace('{0}', chr(10)))}")
    assert cell.snapshot().place_pose(cell.state, "a").xyz == pytest.approx([0.5, 0, 0])
