"""Three-way merging: laws on random edits, conflicts as sentences, and `load` with the base that both began with."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.commands.cell import Cell
from workcell.commands.conflicts import sentence
from workcell.commands.converting import contents_in, database_of
from workcell.commands.merge_files import merge_files
from workcell.commands.merging import merged
from workcell.errors import FileProblem, Refused, WorkcellError
from workcell.spatial.units import Units
from workcell.world.contents import Contents, problems
from workcell.world.line_merge import merge_lines
from workcell.world.text_form import contents_of, text_of_rows, to_text

sys.path.insert(0, str(Path(__file__).parents[1] / "world"))
from script_maker import ScriptMaker

CELL = (
    "create robot Arm puma560 at 1000,0,0", "create robot Bob puma560 at -1000,0,0", "speed Arm 100", "speed Bob 100",
    "create block a box 100 200 300", "create block b box 10 10 10", "create object table", "attach a to table as top",
    "place table at 0,500,0", "create object pallet", "attach b to pallet as b", "place pallet at 0,-500,0",
    "create zone fence", "modify zone:fence robots Bob", "create signal ready",
    'write program p "wait 1%0Await 2%0Await 3%0Amove-joints-relative Bob 1,0,0,0,0,0"',
)  # fmt: skip


def made(*lines: str, after: Contents | None = None) -> Contents:
    """The rows of a cell, or of one that goes on from other rows, after some commands."""
    with Cell(database_of(after) if after is not None else None, who="test") as cell:
        for line in lines:
            cell.do(line)
        return contents_of(to_text(cell.database))


def rows(contents: Contents) -> dict[str, list[object]]:
    return {table: sorted(found) for table, found in contents.rows.items()}


@pytest.fixture(scope="module")
def base() -> Contents:
    return made(*CELL)


def told(base: Contents, ours: Contents, theirs: Contents) -> list[str]:
    """The sentences of the conflicts, in millimetres and degrees; the result is a cell whatever is preferred."""
    for prefer in ("ours", "theirs"):
        found = merged(base, ours, theirs, prefer)
        assert problems(found.contents) == []
        assert found.conflicts
    found = merged(base, ours, theirs)
    return [sentence(Units(), one, ours, theirs) for one in found.conflicts]


def conflicts(base: Contents, mine: list[str], other: list[str]) -> list[str]:
    return told(base, made(*mine, after=base), made(*other, after=base))


# ---- laws -------------------------------------------------------------------------------------------------


def random_edits(contents: Contents, seed: int) -> Contents:
    """The rows after some random commands, of which some are refused."""
    maker = ScriptMaker(seed)
    for row in contents.rows["entity"]:
        maker.names.setdefault(row[1], []).append(row[2])
    maker.count = seed * 1000
    with Cell(database_of(contents), who="test") as cell:
        for line in maker.lines(25):
            try:
                cell.do(line)
            except WorkcellError:
                continue
        return contents_of(to_text(cell.database))


@settings(max_examples=8)
@given(st.integers(1, 10_000))
def test_what_one_side_changed_is_what_comes_out(seed):
    first = random_edits(Contents.empty(), seed)
    second = random_edits(first, seed + 1)
    for found in (merged(first, second, first), merged(first, first, second), merged(first, second, second)):
        assert found.conflicts == ()
        assert rows(found.contents) == rows(second)


@settings(max_examples=8)
@given(st.integers(1, 10_000))
def test_a_merge_is_a_cell_whatever_two_people_did_and_does_not_depend_on_who_merges(seed):
    first = random_edits(Contents.empty(), seed)
    mine, other = random_edits(first, seed + 1), random_edits(first, seed + 2)
    found, turned = merged(first, mine, other), merged(first, other, mine, "theirs")
    assert problems(found.contents) == []
    assert len(found.conflicts) == len(turned.conflicts)
    assert rows(found.contents) == rows(turned.contents)


MINE = (
    "speed Arm 50", "modify Arm name Left", "modify table description here", "create object new1", "place new1 at 1,2,3",
    "modify block:a colour red", "add property note to table 5", "create target t1", "modify Left description x",
    "allow table with Left because fits",
)  # fmt: skip
OTHER = (
    "speed Bob 70", "modify Bob name Right", "place pallet at 0,-700,0", "create object new2", "place new2 at 4,5,6",
    "modify block:b colour blue", "move-joints-relative Right 5,0,0,0,0,0", "modify zone:fence description y",
    "ignore body pallet", "remove ready",
)  # fmt: skip


@settings(max_examples=4)
@given(st.integers(0, 10_000))
def test_disjoint_edits_merge_to_what_both_together_give(base, seed):
    chance = random.Random(seed)
    always = ("modify Arm name", "modify Bob name", "create object")
    mine = [line for line in MINE if chance.random() < 0.6 or line.startswith(always)]
    other = [line for line in OTHER if chance.random() < 0.6 or line.startswith(always)]
    ours, theirs = made(*mine, after=base), made(*other, after=base)
    found = merged(base, ours, theirs)
    assert found.conflicts == ()
    assert rows(found.contents) == rows(merged(base, theirs, ours).contents)
    both = made(*mine, *other, after=base)
    assert told_apart(found.contents) == told_apart(both)


def told_apart(contents: Contents) -> list[object]:
    """What a cell holds without ids, which new things get anew, and with the table of pairs in any order."""
    names = {row[0]: (row[1], row[2]) for row in contents.rows["entity"]}
    entities = [row[1:] for row in contents.rows["entity"]]
    relations = [(*row[1:3], names[row[3]], names[row[4]], *row[6:]) for row in contents.rows["relation"]]
    with Cell(database_of(contents)) as cell:
        state = cell.state.to_json()
    settings = [(name, "".join(sorted(value))) for name, value in contents.rows["setting"]]
    return [*sorted(map(str, entities)), *sorted(map(str, relations)), *sorted(settings), state]


lines = st.lists(st.sampled_from("abcdef"), max_size=8)


@given(lines, lines, lines)
def test_lines_merge_by_the_same_laws(base, mine, other):
    assert merge_lines(base, mine, base) == (mine, [])
    assert merge_lines(base, base, other) == (other, [])
    assert merge_lines(base, mine, mine) == (mine, [])
    merged_lines, disputes = merge_lines(base, mine, other)
    turned, turned_disputes = merge_lines(base, other, mine, prefer_ours=False)
    assert merged_lines == turned
    assert len(disputes) == len(turned_disputes)


def test_lines_next_to_each_other_merge_and_the_same_line_does_not():
    base = ["a", "b", "c"]
    assert merge_lines(base, ["A", "b", "c"], ["a", "B", "c"]) == (["A", "B", "c"], [])
    assert merge_lines(base, ["a", "b", "c", "d"], ["a", "b", "C"]) == (["a", "b", "C", "d"], [])
    merged_lines, (dispute,) = merge_lines(base, ["a", "x", "c"], ["a", "y", "c"])
    assert merged_lines == ["a", "x", "c"]
    assert dispute == (2, ("b",), ("x",), ("y",))
    assert len(merge_lines(base, [*base, "x"], [*base, "y"])[1]) == 1, "two lines at one place have no order"


# ---- two people -------------------------------------------------------------------------------------------


def test_a_name_that_one_side_changed_is_followed_by_what_the_other_side_wrote(base):
    ours = made("modify Bob name Right", after=base)
    theirs = made(
        'write program p "wait 1%0Await 2%0Await 3%0Amove-joints-relative Bob 1,0,0,0,0,0%0Aspeed Bob 20"',
        'write program q "move-joints-relative Bob 2,0,0,0,0,0"', "create zone second", "modify zone:second robots Bob",
        after=base,
    )  # fmt: skip
    found = merged(base, ours, theirs)
    assert found.conflicts == ()
    database = database_of(found.contents)
    assert database.entity("program", "q").properties["text"] == "move-joints-relative Right 2,0,0,0,0,0"
    assert database.entity("program", "p").properties["text"].endswith("speed Right 20")
    assert [e.properties["robots"] for e in database.entities("zone")] == ["Right", "Right"]


def test_names_that_two_things_changed_with_each_other_are_followed(base):
    swap = ("modify Arm name x", "modify Bob name Arm", "modify robot:x name Bob")
    ours = made(*swap, after=base)
    theirs = made('write program q "move-joints-relative Bob 2,0,0,0,0,0"', after=base)
    found = merged(base, ours, theirs)
    assert found.conflicts == ()
    assert database_of(found.contents).entity("program", "q").properties["text"].startswith("move-joints-relative Arm")
    assert merged(base, theirs, ours).conflicts == ()


def test_both_sides_add_to_one_scene_and_both_are_there_in_order(base):
    ours = made("create object one", "place one at 1,0,0", after=base)
    theirs = made("create object two", "place two at 2,0,0", after=base)
    found = merged(base, ours, theirs)
    assert found.conflicts == ()
    database = database_of(found.contents)
    scene = database.entities("scene")[0]
    names = [relation.name for relation in database.relations(scene)]
    assert names[:4] == ["Arm", "Bob", "table", "pallet"]
    assert sorted(names[4:]) == ["one", "two"]


def test_sizes_of_one_box_changed_on_both_sides_are_both_taken(base):
    ours, theirs = (
        made("modify block:a shape box 111 200 300", after=base),
        made("modify block:a shape box 100 200 333", after=base),
    )
    found = merged(base, ours, theirs)
    assert found.conflicts == ()
    assert '"x":0.111,"y":0.2,"z":0.333' in str(database_of(found.contents).entity("block", "a").shape)


@pytest.mark.parametrize(
    ("mine", "other", "said"),
    [
        (["speed Arm 200"], ["speed Arm 150"],
         ["robot Arm: speed is 200 deg/s in ours, 150 deg/s in theirs; base 100 deg/s."]),
        (["modify Arm name Left"], ["modify Arm name West"],
         ["robot Left: name is Left in ours, West in theirs; base Arm."]),
        (["place table at 1,0,0"], ["place table at 2,0,0"],
         ["relation main/table: transform is `translate (0.001, 0.0, 0.0) m` in ours, `translate (0.002, 0.0, 0.0) m` in "
          "theirs; base `translate (0.0, 0.5, 0.0) m`."]),
        (["modify table colour red"], ["modify table colour blue"],
         ["object table: colour is red in ours, blue in theirs; base not set."]),
        (['write program p "wait 1%0Await 9%0Await 3%0Amove-joints-relative Bob 1,0,0,0,0,0"'],
         ['write program p "wait 1%0Await 8%0Await 3%0Amove-joints-relative Bob 1,0,0,0,0,0"'],
         ["program p: line 2 is `wait 9` in ours, `wait 8` in theirs; base `wait 2`."]),
        (["remove robot:Arm --deep"], ["speed Arm 150"], ["robot Arm: removed in ours, changed in theirs (speed)."]),
        (["modify block:a colour red"], ["remove table --deep"],
         ["block a: removed in theirs, changed in ours (colour)."]),
        (["create object lid", "attach a to lid as part"], ["remove table --deep"],
         ["relation lid/part: it needs block 'a', which theirs removed."]),
        (["create object twin"], ["create object twin"],
         ["object twin: ours and theirs each have one of that name, and they are different things; if both are kept, one of "
          "them is called twin-2."]),
        (["attach b to table as x"], ["attach a to table as x"],
         ["object 'table' has a relation called 'x' already: ours and theirs each added one; if both are kept, one of them "
          "is called x-2."]),
        (["attach block:a to block:b as x"], ["attach block:b to block:a as y"],
         ["relation 'y' makes block 'a' a part of itself, because of what ours and theirs attached."]),
        (["default-profile linear"], ["default-profile jerk"],
         ["setting profile is linear in ours, jerk in theirs; base trapezoid."]),
        (["allow table with Arm because one"], ["allow table with Arm because two"], ["setting pairs: decisions of Arm and table is "]),
        (["move-joints-relative Arm 1,0,0,0,0,0"], ["move-joints-relative Arm 2,0,0,0,0,0"], ["state: the joints of Arm are "]),
        (["create signal lamp"], ["create sensor lamp"], [": ours and theirs each have one of that name"]),
    ],
)  # fmt: skip
def test_a_conflict_is_one_sentence(base, mine, other, said):
    found = conflicts(base, mine, other)
    assert len(found) == len(said), found
    assert all(one in text for one, text in zip(said, found, strict=True)), found


def test_what_is_taken_back_comes_with_its_parts_and_its_place(base):
    ours, theirs = made("modify table description kept", after=base), made("remove table --deep", after=base)
    kept = merged(base, ours, theirs, "ours")
    assert rows(kept.contents) == rows(ours)
    gone = merged(base, ours, theirs, "theirs")
    assert rows(gone.contents) == rows(theirs)


# ---- files ------------------------------------------------------------------------------------------------


def test_files_of_both_forms_are_merged_and_the_history_of_ours_gets_one_step(base, tmp_path):
    with Cell.create(tmp_path / "ours.cell", who="ann") as cell:
        for line in CELL:
            cell.do(line)
        cell.do(f"save {tmp_path / 'base.celltext'}")
        cell.do("speed Arm 33")
        steps = len(cell.journal)
    began = contents_in(tmp_path / "base.celltext")
    (tmp_path / "theirs.celltext").write_text(text_of_rows(made("speed Bob 44", after=began)))
    three = tmp_path / "base.celltext", tmp_path / "ours.cell", tmp_path / "theirs.celltext"
    found = merge_files(*three, tmp_path / "out.cell")
    assert not found.open
    with Cell.open(tmp_path / "out.cell") as out:
        assert len(out.journal) == steps + 1
        assert out.journal.entries()[-1].label == "merge"
        speeds = [out.database.entity("robot", name).properties["speed"] for name in ("Arm", "Bob")]
        assert speeds == pytest.approx([0.5759586531581288, 0.767944870877505])
        after = out.database.rows()
        assert out.replayed().database.rows() == after
        out.undo()
        assert out.database.entity("robot", "Bob").properties["speed"] == pytest.approx(1.7453292519943295)
        out.redo()
        assert out.database.rows() == after
    assert merge_files(*three, tmp_path / "out.celltext").output.endswith("out.celltext")
    assert rows(contents_in(tmp_path / "out.celltext")) == rows(Contents({**Contents.empty().rows, **after}))
    with pytest.raises(FileProblem, match="--replace"):
        merge_files(*three, tmp_path / "out.celltext")
    with pytest.raises(FileProblem, match=r"There is no file .*missing"):
        merge_files(tmp_path / "missing", *three[1:])


def test_a_conflict_writes_what_is_undisputed_and_ours_where_it_is_not(base, tmp_path):
    texts = {
        "base": base, "ours": made("speed Arm 200", "modify table colour red", after=base),
        "theirs": made("speed Arm 150", "speed Bob 30", after=base),
    }  # fmt: skip
    for name, contents in texts.items():
        (tmp_path / name).write_text(text_of_rows(contents))
    three = tmp_path / "base", tmp_path / "ours", tmp_path / "theirs"
    found = merge_files(*three, tmp_path / "out.celltext")
    assert found.open
    (told,) = found.as_json()["conflicts"]
    assert (told["kind"], told["name"], told["field"]) == ("robot", "Arm", "speed")
    assert [told[side] for side in ("base", "ours", "theirs")] == pytest.approx(
        [1.745329, 3.490658, 2.617993], abs=1e-5
    )
    assert found.sentences == ("robot Arm: speed is 200 deg/s in ours, 150 deg/s in theirs; base 100 deg/s.",)
    speeds = [
        database_of(contents_in(tmp_path / "out.celltext")).entity("robot", n).properties["speed"]
        for n in ("Arm", "Bob")
    ]
    assert speeds == pytest.approx([3.490658503988659, 0.5235987755982988])
    assert not merge_files(*three, tmp_path / "out.celltext", "theirs", replace=True).open
    assert database_of(contents_in(tmp_path / "out.celltext")).entity("robot", "Arm").properties[
        "speed"
    ] == pytest.approx(2.6179938779914944)


# ---- load -------------------------------------------------------------------------------------------------


def test_load_reports_a_conflict_only_where_both_sides_changed(tmp_path):
    with Cell(who="ann") as cell:
        for line in (*CELL, f"save {tmp_path / 'other.cell'}", "speed Arm 33", "modify table colour red"):
            cell.do(line)
        with Cell.open(tmp_path / "other.cell", who="bob") as other:
            for line in ("speed Bob 44", "remove ready", "modify pallet name skid"):
                other.do(line)
        assert "2 changed, 1 removed" in str(cell.do(f"load {tmp_path / 'other.cell'}"))
        after = cell.database.rows()
        assert cell.database.find("signal", "ready") is None
        assert cell.database.entity("object", "table").colour == "red"
        assert cell.replayed().database.rows() == after
        cell.undo()
        assert cell.database.find("object", "pallet")
        cell.redo()
        with Cell.open(tmp_path / "other.cell", who="bob") as other:
            other.do("modify table colour blue")
        with pytest.raises(Refused, match="object table: colour is red in ours, blue in theirs; base not set"):
            cell.do(f"load {tmp_path / 'other.cell'}")
        assert cell.database.rows() == after
        assert "Taken: theirs" in str(cell.do(f"load {tmp_path / 'other.cell'} take theirs"))
        assert cell.database.entity("object", "table").colour == "blue"


def test_a_text_without_a_history_is_merged_by_what_the_history_here_knows(tmp_path):
    with Cell(who="ann") as cell:
        for line in (*CELL, f"save {tmp_path / 'other.celltext'}", "speed Arm 33"):
            cell.do(line)
        before = cell.database.rows()
        cell.do(f"load {tmp_path / 'other.celltext'}")
        assert cell.database.rows() == before, "the text has what was here before, and nothing new"
        text = (tmp_path / "other.celltext").read_text()
        (tmp_path / "new.celltext").write_text(text.replace('name = "pallet"', 'name = "skid"', 1))
        with pytest.raises(Refused, match="object pallet: name is pallet in ours, skid in theirs"):
            cell.do(f"load {tmp_path / 'new.celltext'}")
        cell.do(f"load {tmp_path / 'new.celltext'} base {tmp_path / 'other.celltext'}")
        assert cell.database.find("object", "skid")
        assert cell.replayed().database.rows() == cell.database.rows()


def test_what_a_script_made_before_it_loads_a_cell_stays(tmp_path):
    with Cell(who="ann") as cell:
        for line in (*CELL, f"save {tmp_path / 'other.cell'}"):
            cell.do(line)
        with Cell.open(tmp_path / "other.cell", who="bob") as other:
            other.do("speed Bob 44")
        (tmp_path / "s.txt").write_text(f"create block fresh\nload {tmp_path / 'other.cell'}")
        cell.do(f"load {tmp_path / 's.txt'}")
        assert cell.database.find("block", "fresh")
        assert cell.replayed().database.rows() == cell.database.rows()


def test_loading_a_script_takes_no_base(tmp_path, cell):
    (tmp_path / "s.txt").write_text("create block x")
    with pytest.raises(Refused, match="`take` is only for cells"):
        cell.do(f"load {tmp_path / 's.txt'} take ours")
