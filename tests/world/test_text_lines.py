"""The text form that git can merge: small, stable, one fact a line, and damage named by its line."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from script_maker import ScriptMaker

from workcell.commands.cell import Cell
from workcell.commands.converting import contents_in, convert, database_of
from workcell.errors import DamagedCell, FileProblem, NothingToUndo, WorkcellError
from workcell.geometry import solids
from workcell.world.contents import Contents
from workcell.world.database import Database
from workcell.world.text_form import contents_of, from_text, to_text

LINES = (
    "create block a box 100 200 300 colour red", "create block b sphere 50", "create object o description \"x\"",
    "attach a to o as r translate 10,20,30", "attach b to o as s", "create robot Left puma560 at 1000,0,0",
    "create robot Right puma560 at -1000,0,0", "place o at 0,0,500", 'allow o with Left because "they fit"', "units mm deg",
    'write program first "move-joints-relative Left 10,0,0,0,0,0%0Await 1%0A%0Await 2"',
    "move-joints-relative Left 10,0,0,0,0,0",
)  # fmt: skip


@pytest.fixture(scope="module")
def whole() -> Cell:
    cell = Cell(who="test")
    for line in LINES:
        cell.do(line)
    return cell


@pytest.fixture(scope="module")
def lines(whole) -> list[str]:
    return to_text(whole.database).removesuffix("\n").split("\n")


def read_back(text: str) -> Database:
    database = Database.memory()
    from_text(text, database)
    return Database(database.store)


def test_reading_the_text_gives_the_same_rows_and_the_same_snapshot_and_a_history_that_begins_there(whole):
    back = Cell(read_back(to_text(whole.database)))
    assert back.database.rows() == whole.database.rows()
    assert back.snapshot().hash == whole.snapshot().hash
    assert len(back.journal) == 0
    with pytest.raises(NothingToUndo):
        back.undo()
    back.do("create block later")
    assert back.replayed().database.rows() == back.database.rows()
    back.undo()
    assert back.database.rows() == whole.database.rows()


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_the_text_of_a_random_cell_gives_its_rows_back_and_is_the_same_text_again(seed):
    with Cell(who="tester") as cell:
        for line in ScriptMaker(seed).lines(50):
            try:
                cell.do(line)
            except WorkcellError:
                continue
        text = to_text(cell.database)
        back = read_back(text)
        assert back.rows() == cell.database.rows()
        assert to_text(back) == text
        back.close()


def test_a_new_name_changes_one_line_and_a_line_of_a_program_is_a_line(whole, lines):
    other = Cell(read_back("\n".join(lines)))
    other.do("modify block:a name box")
    changed = to_text(other.database).removesuffix("\n").split("\n")
    assert [(old, new) for old, new in zip(lines, changed, strict=True) if old != new] == [
        ('name = "a"', 'name = "box"')
    ]
    at = lines.index("property text:")
    assert lines[at + 1 : at + 5] == ["| move-joints-relative Left 10,0,0,0,0,0", "| wait 1", "|", "| wait 2"]
    other.do('write program first "move-joints-relative Left 10,0,0,0,0,0%0Await 1.5%0A%0Await 2"')
    edited = to_text(other.database).removesuffix("\n").split("\n")
    assert [new for old, new in zip(changed, edited, strict=True) if old != new] == ["| wait 1.5"]


def test_the_order_does_not_depend_on_the_order_of_the_rows(whole):
    text = to_text(whole.database)
    contents = contents_of(text)
    for rows in contents.rows.values():
        random.Random(3).shuffle(rows)
    assert to_text(database_of(contents)) == text


def test_two_robots_of_one_model_share_one_file_and_no_history_is_in_the_text(whole, lines):
    assert sum(line.startswith("[file ") for line in lines) == 1
    assert sum(line.startswith("[robot ") for line in lines) == 2
    assert not any("step" in line for line in lines if not line.startswith(("|", "+")))
    assert len("\n".join(lines)) < 12_000 < len(to_text(whole.database, journal=True))


def test_the_bytes_of_a_mesh_are_lines_of_their_own_and_come_back(tmp_path):
    with Cell() as cell:
        solids.box(0.1, 0.2, 0.3).save(tmp_path / "part.step")
        cell.do(f"import solid part {tmp_path / 'part.step'}")
        text = to_text(cell.database)
        assert max(map(len, text.split("\n"))) < 400
        assert read_back(text).rows() == cell.database.rows()
        cell.do("remove part --deep")
        assert "[file" not in to_text(cell.database), "a file goes with what needs it"


# ---- damage -----------------------------------------------------------------------------------------------


def refusal(text: str) -> DamagedCell:
    with pytest.raises(DamagedCell) as refused:
        contents_of(text, "line.celltext")
    return refused.value


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "a"', 'name = "b"', "a block 'b' already exists"),
        ('name = "a"', 'nmae = "a"', "the field 'name' is missing"),
        ('name = "a"', 'name = 5', "the field 'name' must be a text; found 5"),
        ('name = "a"', 'name = "a', "the value of name is not JSON"),
        ('name = "a"', 'name "a"', "is neither a heading nor a fact"),
        ('name = "a"', 'name = "a"\nname = "a"', "the field 'name' occurs twice"),
        ("shape x = 0.1", "shape x = \"wide\"", "not a solid's recipe"),
        ("shape x = 0.1", "<<<<<<< HEAD\nshape x = 0.1\n=======\nshape x = 0.2\n>>>>>>> theirs", "settle the merge first"),
        ("| wait 1", "wait 1", "is neither a heading nor a fact"),
        ("property text:", "", "no field with a colon is above it"),
        ('property model = "puma560"', "property speed = 0", "the speed of robot 'Left'|there twice"),
        ('| name = "puma560"', '| name = "puma561"', "do not have the hash that names it"),
        ('[{"form":"translate","xyz":[0.01,0.02,0.03]}]', '[{"form":"slide"}]', "Invalid value 'slide'"),
        ('[{"form":"translate","xyz":[0.01,0.02,0.03]}]', "7", "must be a list of steps"),
        ("[cell]", "[cell 5]", "has the wrong number of words"),
        ("[cell]", "[CELL]", "is not the heading of a block"),
        ("time = ", "tyme = ", "the field 'time' is missing"),
    ],
)  # fmt: skip
def test_each_fault_is_named_with_its_line(lines, old, new, said):
    text = "\n".join(lines)
    assert old in text
    at = text[: text.index(old)].count("\n") + 1
    error = refusal(text.replace(old, new, 1))
    assert str(error).startswith("Line ")
    assert " of line.celltext cannot be read: " in str(error)
    assert any(re.search(said, one) for one in error.problems), error.problems
    assert min(abs(line - at) for line in error.lines) <= 8


def mutated(lines: list[str], chance: random.Random) -> str:
    """A text with some lines deleted, doubled, swapped, cut or spoilt."""
    made = list(lines)
    for _ in range(chance.choice((1, 1, 2, 5))):
        if len(made) < 3:
            break
        at, other = chance.randrange(1, len(made)), chance.randrange(1, len(made))
        what = chance.randrange(7)
        if what == 0:
            del made[at]
        elif what == 1:
            made.insert(other, made[at])
        elif what == 2:
            made[at], made[other] = made[other], made[at]
        elif what == 3:
            made[at] = made[at][: chance.randrange(len(made[at]) + 1)]
        elif what == 4:
            made = made[: max(at, 2)]
        elif what == 5:
            made.insert(at, chance.choice(["<<<<<<< HEAD", "=======", ">>>>>>> theirs", "||||||| base"]))
        elif made[at]:
            place = chance.randrange(len(made[at]))
            made[at] = made[at][:place] + chance.choice('"\\{}[]=|+: 019eax\x00\u2028é\ud7ff') + made[at][place + 1 :]
    return "\n".join(made)


def lines_refused(text: str) -> tuple[list[int], Contents]:
    """The lines that are refused, or what the text says."""
    try:
        return [], contents_of(text)
    except DamagedCell as error:
        return error.lines, Contents.empty()


def test_damaged_text_is_refused_with_its_lines_or_read_as_what_it_says(lines):
    chance = random.Random(19)
    read = refused = 0
    for _ in range(400):
        text = mutated(lines, chance)
        found, contents = lines_refused(text)
        if found:
            refused += 1
            assert all(1 <= line <= text.count("\n") + 1 for line in found)
            continue
        database = database_of(contents)
        assert read_back(to_text(database)).rows() == database.rows()
        database.close()
        read += 1
    assert refused > 200, "most damage is found"
    assert read > 10, "some damage says something else"


# ---- the history in a file of its own ----------------------------------------------------------------------


def test_the_history_goes_to_a_second_file_and_comes_back(tmp_path, whole):
    whole.do(f"save {tmp_path / 'a.celltext'} journal {tmp_path / 'a.celljournal'}")
    assert convert(tmp_path / "a.celltext", tmp_path / "a.cell", tmp_path / "a.celljournal") == ""
    with Cell.open(tmp_path / "a.cell") as back:
        assert back.journal.entries() == whole.journal.entries()
        back.undo()
        back.redo()
        assert back.database.rows() == whole.database.rows()


def test_a_history_of_another_text_can_be_read_and_not_be_undone(tmp_path, whole):
    whole.do(f"save {tmp_path / 'a.celltext'} journal {tmp_path / 'a.celljournal'}")
    edited = (tmp_path / "a.celltext").read_text().replace('name = "a"', 'name = "other"')
    (tmp_path / "b.celltext").write_text(edited)
    note = convert(tmp_path / "b.celltext", tmp_path / "b.cell", tmp_path / "a.celljournal")
    assert "a.celljournal is the history of another version of the cell" in note
    with Cell.open(tmp_path / "b.cell") as back:
        assert len(back.journal) == len(whole.journal)
        with pytest.raises(NothingToUndo, match="can be read and replayed, but not undone"):
            back.undo()
        back.do("create block later")
        back.undo()
    (tmp_path / "a.celljournal").write_text((tmp_path / "a.celljournal").read_text().replace('"step":2', '"step":"x"'))
    with pytest.raises(DamagedCell, match=r"Line \d+ of a.celljournal cannot be read"):
        convert(tmp_path / "a.celltext", tmp_path / "c.cell", tmp_path / "a.celljournal")
    assert not (tmp_path / "c.cell").exists()


@pytest.mark.parametrize("ending", ["cell", "celltext"])
def test_a_file_that_is_there_is_replaced_only_when_asked(tmp_path, ending, monkeypatch):
    with Cell() as cell:
        cell.do("create block one")
        place = tmp_path / f"a.{ending}"
        cell.do(f"save {place}")
        cell.do("create block two")
        with pytest.raises(FileProblem, match=r"already exists; choose another name, or add --replace"):
            cell.do(f"save {place}")
        before = place.read_bytes()
        with monkeypatch.context() as patched:
            patched.setattr(
                "workcell.commands.file_place.os.replace",
                lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space")),
            )
            with pytest.raises(FileProblem, match="No space"):
                cell.do(f"save {place} --replace")
        assert place.read_bytes() == before
        assert [one.name for one in tmp_path.iterdir()] == [place.name]
        cell.do(f"save {place} --replace")
    assert {row[2] for row in contents_in(place).rows["entity"]} == {"one", "two"}
    with pytest.raises(FileProblem, match="--replace"):
        convert(place, place)
    convert(place, tmp_path / "b.cell")
    convert(place, tmp_path / "b.cell", replace=True)
