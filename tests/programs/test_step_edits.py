"""Edits of single steps: they change what was asked, leave every other line alone, and can be undone."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from test_program_text import PARAMETERS, programs

import workcell as wc
from workcell.commands.language import program_outline as o
from workcell.commands.language.program_printer import program_text
from workcell.commands.language.program_reader import read_program
from workcell.commands.step_forms import form_of, forms, variables_of
from workcell.errors import Refused
from workcell.programs import steps as s
from workcell.programs.program import Program

FIND = (Phase.explicit, Phase.generate)
TURN = "move-joints-relative Puma 10,0,0,0,0,0"
TEXT = f"""# fetch and turn
repeat 2   # twice

    {TURN}  # a turn
    if ready
        wait 1
    else
        wait 2
    end
end
home \\
    Puma"""


@pytest.fixture
def cell() -> wc.Cell:
    made = wc.Cell()
    made.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
    made.do("create signal ready")
    made.session.call("write program", {"name": "demo", "text": TEXT})
    return made


def text_of(cell: wc.Cell) -> str:
    return cell.do("outline demo").text


def depths(block: s.Block, depth: int = 0):
    """The depth of every step, in the order written."""
    for step in block:
        yield depth
        if isinstance(step, s.Together):
            yield from [None] * len(step.moves)
            continue
        for inner in s.blocks(step):
            yield from depths(inner, depth + 1)


@settings(max_examples=150, deadline=None, derandomize=True, phases=FIND)
@given(programs)
def test_the_outline_has_the_blocks_that_the_reader_finds(body):
    text = program_text(Program("law", PARAMETERS, body))
    rows = {row.line: row for row in o.outline(text)}
    read = read_program("law", text).program
    for place, depth in zip(read.places, depths(read.body), strict=True):
        if depth is not None:
            assert rows[place.line].depth == depth
    assert all(row.fits for row in rows.values())
    covered = [line for row in rows.values() for line in range(row.line, row.last + 1)]
    assert covered == list(range(1, len(text.split("\n")) + 1))


@settings(max_examples=150, deadline=None, derandomize=True, phases=FIND)
@given(programs)
def test_a_line_that_is_written_from_its_fields_reads_to_the_same_step(body):
    text = program_text(Program("law", PARAMETERS, body))
    read = read_program("law", text).program
    rows = o.outline(text)
    for row in rows:
        found = form_of(row, variables_of(rows))
        if found is None:
            assert row.role in ("end", "blank") or row.word in ("verbatim", "together")
            continue
        form, texts = found
        line = form.line(texts) + (" else" if row.role == "opens" and row.word == "wait-until" else "")
        text, _ = o.changed(text, row.line, line)
    assert read_program("law", text).program == read


@settings(max_examples=150, deadline=None, derandomize=True, phases=FIND)
@given(programs, st.data())
def test_a_moved_step_takes_its_block_along_and_leaves_all_other_lines_as_they_were(body, data):
    text = program_text(Program("law", PARAMETERS, body))
    count = len(text.split("\n"))
    line, to = data.draw(st.integers(1, count)), data.draw(st.integers(1, count + 1))
    try:
        after, now = o.moved(text, [line], to)
    except Refused:
        return
    assert Counter(one.strip() for one in after.split("\n")) == Counter(one.strip() for one in text.split("\n"))
    assert all(row.fits for row in o.outline(after))
    assert o.row_at(after, now).code == o.row_at(text, line).code


@settings(max_examples=150, deadline=None, derandomize=True, phases=FIND)
@given(programs, st.data())
def test_a_step_that_is_removed_and_inserted_again_gives_the_same_program(body, data):
    text = program_text(Program("law", PARAMETERS, body))
    row = o.row_at(text, data.draw(st.integers(1, len(text.split("\n")))))
    if not row.whole:
        return
    lines = text.split("\n")[row.line - 1 : row.end]
    less, _ = o.removed(text, [row.line])
    again = o.inserted(less, row.line, "\n".join(lines))
    assert read_program("law", again).program == read_program("law", text).program


@settings(max_examples=300, deadline=None, derandomize=True, phases=FIND)
@given(
    st.lists(st.sampled_from(["if a", "else", "end", "wait 1", "parallel", "and", "#", "", "try", "on-error", "\\"]))
)
def test_any_lines_have_an_outline(lines):
    text = "\n".join(lines)
    rows = o.outline(text)
    assert [line for row in rows for line in range(row.line, row.last + 1)] == list(range(1, len(o.lines_of(text)) + 1))
    for row in rows:
        assert row.line <= row.last <= row.end <= len(lines)


def test_a_field_is_set_and_comment_layout_and_all_other_lines_stay(cell):
    cell.do('set-step demo 4 joints "0,5*2,0,0,0,0"')
    before, after = TEXT.split("\n"), text_of(cell).split("\n")
    assert after[3] == "    move-joints-relative Puma 0,5*2,0,0,0,0  # a turn"
    assert after[:3] + after[4:] == before[:3] + before[4:]
    cell.do("undo")
    assert text_of(cell) == TEXT


def test_a_field_may_have_the_name_of_a_kind_of_thing(cell):
    cell.do("create robot Other puma560 at 0,2000,0")
    cell.do("set-step demo 4 robot Other")
    assert text_of(cell).split("\n")[3] == f"    {TURN.replace('Puma', 'Other')}  # a turn"


def test_steps_are_inserted_in_the_indentation_of_their_place(cell):
    cell.do('insert-step demo 5 "repeat 3%0A  wait 1%0Aend"')
    assert text_of(cell).split("\n")[4:7] == ["    repeat 3", "      wait 1", "    end"]
    cell.do('insert-step demo 16 "wait 9"')
    assert text_of(cell).split("\n")[-1] == "wait 9"


def test_an_else_that_is_inserted_stands_under_its_if(cell):
    cell.do("remove-step demo 7")
    cell.do("insert-step demo 7 else")
    assert text_of(cell).split("\n")[4:8] == ["    if ready", "        wait 1", "    else", "    end"]


def test_steps_are_enclosed_in_a_loop(cell):
    cell.do('enclose-steps demo 4 to 5 in "while ready"')
    assert text_of(cell).split("\n")[3:11] == [
        "    while ready",
        f"      {TURN}  # a turn",
        "      if ready",
        "          wait 1",
        "      else",
        "          wait 2",
        "      end",
        "    end",
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("remove-step demo 9", "ends a block"),
        ("move-step demo 2 to 6", "into itself"),
        ("move-step demo 7 to 1", "belongs to its block"),
        ("insert-step demo 1 end", "belongs to no block"),
        ("insert-step demo 1 else", "belongs to no block"),
        ('insert-step demo 1 "repeat 2"', "has no `end`"),
        ('insert-step demo 99 "wait 1"', "before line 1 to 13"),
        ("insert-step demo 1 wait", "cannot be read: Expected SECONDS"),
        ('change-step demo 2 "wait 1"', "belongs to no block"),
        ("set-step demo 4 joint 3", "no field"),
        ('set-step demo 4 joints "10,"', "joints of `move-joints-relative` cannot be read"),
        ("set-step demo 10 count 3", "no fields"),
        ("set-step demo 40 count 3", "12 lines"),
        ('enclose-steps demo 6 to 8 in "repeat 2"', "not whole blocks"),
        ('enclose-steps demo 4 to 4 in "wait 1"', "opens a block"),
        ('insert-step demo 1 ""', "found nothing"),
    ],
)
def test_an_edit_that_would_break_the_program_is_refused_and_changes_nothing(cell, line, words):
    with pytest.raises(wc.WorkcellError) as refused:
        cell.do(line)
    assert words in str(refused.value)
    assert text_of(cell) == TEXT


def test_bare_numbers_keep_their_units_when_a_step_is_edited_after_the_units_of_the_cell_changed(cell):
    cell.do("units m rad")
    cell.do('set-step demo 4 joints "20,0,0,0,0,0"')
    cell.session.call("edit program", {"program": "demo", "text": text_of(cell) + "\nwait 3"})
    outline = cell.do("outline demo")
    assert (outline.length_unit, outline.angle_unit) == ("mm", "deg")
    assert not outline.problems


def test_kinds_of_steps_that_can_be_added_have_helps_of_their_own(cell):
    parts = {"else", "else if", "and", "on-error"}  # they are added to a block
    helps = [kind.help for kind in cell.do("step-kinds demo").kinds if kind.kind not in parts]
    assert len(set(helps)) == len(helps)


def test_every_first_line_reads_and_has_the_fields_of_its_kind(cell):
    cell.do("add conveyor belt 2000 at 0,-2000,0")
    cell.do("add target spot 600,0,300 rotate 180,0,0")
    for kind in cell.do("step-kinds demo").kinds:
        assert kind.line or kind.lacks, kind.kind
        rows = o.outline(kind.line)
        if not kind.line:
            continue
        found = form_of(rows[0], {"n"})
        assert found is not None, kind
        assert found[0].kind == kind.kind
        required = {field.name for field in kind.fields if field.required}
        assert required <= set(found[1])
        assert {field.name for field in forms()[kind.kind].fields} == {field.name for field in kind.fields}


def test_a_new_step_sets_a_signal_that_programs_may_set():
    cell = wc.Cell()
    cell.do("add conveyor belt 2000 at 0,-2000,0")
    (kind,) = [kind for kind in cell.do("step-kinds").kinds if kind.kind == "set-signal"]
    assert (kind.line, kind.lacks) == ("", "signal that a program may set")
    cell.do("create signal zeta")
    found = cell.do("step-kinds")
    assert next(kind.line for kind in found.kinds if kind.kind == "set-signal") == "set-signal zeta 1"
    assert found.names["set-signal signal"] == ("zeta",)
    assert len(found.names["signal"]) > 1


def test_a_new_variable_is_none_of_a_loop(cell):
    cell.session.call("edit program", {"program": "demo", "text": "for n from 1 to 3\n  wait n\nend\nlet m = 1"})
    lines = {kind.kind: kind.line for kind in cell.do("step-kinds demo").kinds}
    assert lines["let"] == "let n2 = 1"
    assert lines["for"].startswith("for n2 from 1 to 3")


def test_breakpoints_stay_with_their_lines(cell):
    cell.do("break demo 4")
    cell.do("break demo 11")

    def lines():
        return [row[1] for row in cell.do("breakpoints").rows]

    cell.do('insert-step demo 1 "wait 1"')
    assert lines() == [5, 12]
    cell.do("move-step demo 12 to 1")
    assert lines() == [1, 7]
    cell.do("undo 2")
    assert lines() == [4, 11]
    cell.do('change-step demo 4 "wait 5"')
    assert lines() == [4, 11]
    cell.do("remove-step demo 2")
    assert lines() == [2]
    cell.do("undo")
    assert lines() == [11]


def test_the_times_of_lines_are_those_at_which_a_run_stood_before_them(cell):
    text = "\n".join(
        ["repeat 2", f"  {TURN}", "  parallel", "    wait 1", "    wait 0.5", "  and", f"    {TURN}", "  end", "end"]
    )
    cell.session.call("write program", {"name": "demo", "text": text})
    stood, answer = [], cell.do("debug demo")
    while hasattr(answer, "line"):
        stood.append((answer.time, answer.line))
        answer = cell.do("step-into")
    found = cell.do("line-times").lines
    assert Counter((round(one.start, 6), one.line) for one in found) == Counter(
        (round(time, 6), line) for time, line in stood if line not in (1,)
    )
    end = cell.session.recording.end
    first, second = [one for one in found if one.line == 5], [one for one in found if one.line == 7]
    assert [round(one.end - one.start, 6) for one in first] == [0.5, 0.5]
    assert second[0].start < first[0].start < second[0].end, "branches go on side by side"
    assert max(one.end for one in found) == pytest.approx(end)


def test_a_draft_is_checked_and_not_kept(cell):
    before = cell.session.revision
    found = cell.do('check draft demo "wait -1%0Ahome Pma%0Arepeat 2"')
    assert [(one.line, one.warning) for one in found.problems] == [(1, False), (2, False), (3, False)]
    assert cell.do('check draft other "home Puma"').problems == ()
    assert cell.session.revision == before
    assert text_of(cell) == TEXT


def test_a_planned_step_shows_its_way_and_another_if_it_touches():
    cell = wc.Cell()
    cell.do("create robot Puma puma560 joints -70,0,-90,0,90,0")
    cell.do("add solid post box 100 100 2000 at 600,0,0")
    cell.do('write program demo "move-joints-relative Puma 10,0,0,0,0,0%0Amove-joints-absolute Puma 70,0,-90,0,90,0"')
    free = cell.do("plan-step demo 1")
    assert free.ways[0].free
    assert not free.instead
    snapshot, run = cell.session.snapshot(), cell.session.state
    assert free.ways[0].points[0] == pytest.approx(tuple(snapshot.tool_pose(run, "Puma").xyz))
    blocked = cell.do("plan-step demo 2")
    assert not blocked.ways[0].free
    assert "post" in blocked.ways[0].problem
    assert blocked.instead[0].free
    cell.session.call("change-step", {"program": "demo", "line": 2, "text": blocked.text})
    assert cell.do("plan-step demo 2").ways[0].free
    cell.do("move-joints-absolute Puma 70,0,-90,0,90,0")
    hand = cell.session.snapshot().tool_pose(cell.session.state, "Puma").xyz * 1e3
    cell.do("undo")
    cell.do(f"add solid crate box 200 200 200 at {hand[0]},{hand[1]},{hand[2]}")
    cell.do('edit program demo "move-joints-absolute Puma 70,0,-90,0,90,0%0Amove-hand Puma 0,0,-10"')
    shut = cell.do("plan-step demo 1")
    assert not shut.ways[0].free
    assert not shut.instead
    assert shut.reason.startswith("Puma touches something at the joint values:")
    assert cell.do("plan-step demo 2").reason == "a step of this kind keeps its path"
    with pytest.raises(Refused, match="not a move"):
        cell.do("plan-step demo 3")


def test_an_edit_that_names_the_lines_it_saw_changes_no_others(cell: wc.Cell) -> None:
    cell.call("edit program", program="demo", text="wait 1\nwait 1\nwait 1\nwait 1")
    seen = cell.do("outline demo").mark
    cell.do('insert-step demo 1 "wait 9"')
    before = text_of(cell)
    edits = [
        'edit program demo "wait 5"', 'insert-step demo 2 "wait 5"', 'change-step demo 2 "wait 5"', "set-step demo 2 seconds 5",
        "move-step demo 1 to 3", "remove-step demo 2 with 3", 'enclose-steps demo 1 to 2 in "repeat 2"',
    ]  # fmt: skip
    for edit in edits:
        with pytest.raises(
            Refused, match=r'changed program .demo. meanwhile: `insert-step demo 1 "wait 9"` \(by python\)'
        ):
            cell.do(f"{edit} seen {seen}")
    assert text_of(cell) == before
    for edit in edits:
        cell.do(f"{edit} seen {cell.do('outline demo').mark}")
        assert text_of(cell) != before
        cell.do("undo")
    assert "seen" not in cell.session.database.history.next_redo.command  # a replay asks nobody what he saw


def test_a_change_that_was_undone_is_no_change(cell: wc.Cell) -> None:
    seen = cell.do("outline demo").mark
    cell.do('insert-step demo 1 "wait 9"')
    other = cell.do("outline demo").mark
    cell.do("undo")
    cell.do(f"remove-step demo 4 seen {seen}")
    cell.do("undo")
    with pytest.raises(Refused, match="changed program 'demo' meanwhile"):
        cell.do(f"remove-step demo 4 seen {other}")


def test_a_loop_over_numbers_and_one_over_a_path_are_explained_differently(cell):
    helps = {kind.kind: kind.help for kind in cell.do("step-kinds").kinds}
    assert "number" in helps["for"]
    assert "path" not in helps["for"]
    assert "path" in helps["for in"]


def test_the_parts_of_a_statement_are_explained_each_by_itself():
    parts = ("if", "else if", "else", "parallel", "and", "try", "on-error")
    assert len({forms()[part].help for part in parts}) == len(parts)
    assert forms()["else"].help == "run this block if all conditions above are false"
