"""The language: abbreviations, help at any point, completion, errors with a caret, parameters by name."""

from __future__ import annotations

import pytest

from workcell.commands.cell import Cell
from workcell.commands.language.line_reader import MissingParameter
from workcell.commands.language.registry import registry
from workcell.errors import CommandSyntaxError, UnknownName, WorkcellError


def test_any_unambiguous_beginning_of_a_word_will_do(cell):
    cell.do("cr bl cube1")
    cell.do("cre obj part1")
    cell.do("att cube1 to part1 as c tran 0,0,5")
    assert cell.do("sh cube1 br").kind == "block"
    assert cell.journal.entries()[-1].command == "attach block:cube1 to object:part1 as c translate (0.0, 0.0, 0.005) m"


def test_ambiguous_and_unknown_words_say_what_there_is(cell):
    with pytest.raises(CommandSyntaxError, match=r"'c' could be create or copy or") as error:
        cell.do("c bl cube1")
    assert error.value.column == 0
    with pytest.raises(CommandSyntaxError, match="did you mean block"):
        cell.do("create blcok cube1")
    with pytest.raises(CommandSyntaxError, match="could be"):
        cell.do("create s x")


def test_an_error_shows_the_line_with_a_caret_at_the_place(cell):
    with pytest.raises(WorkcellError) as error:
        cell.do("create block table box 800 wide 40")
    line, caret, message = error.value.pointed().split("\n")
    assert line == "create block table box 800 wide 40"
    assert caret.index("^") == line.index("wide")
    assert "'wide'" in message
    cell.do("create block cube1")
    with pytest.raises(UnknownName) as unknown:
        cell.do("attach cube1 to nothing")
    assert unknown.value.column == len("attach cube1 to ")


def test_questions_list_what_may_come_next_with_help(cell):
    cell.do("create block cube1")
    texts = {item.text: item.help for item in cell.session.expectations("create ")}
    assert set(texts) >= {"surface", "block", "object", "scene", "robot", "view"}
    assert all(texts.values())
    (item,) = cell.session.expectations("attach cube1 ")
    assert item.text == "to"
    item, *names = cell.session.expectations("attach cube1 to")
    assert item.text == "PARENT"
    assert {one.text for one in names} == {one.text for one in cell.session.complete("attach cube1 to ")}
    rest = [item.text for item in cell.session.expectations("create block x ")]
    shapes = [item.text for item in cell.session.complete("create block x ")][:-2]
    assert {"box", "sphere"} <= set(shapes)
    assert rest == ["SHAPE", *shapes, "colour", "description", "(enter)"]
    with pytest.raises(CommandSyntaxError, match="not a command word"):
        cell.session.expectations("frobnicate ")


def test_tab_completes_words_and_names_of_the_right_level(cell):
    cell.do("create block cube1")
    cell.do("create block cubic")
    cell.do("create object cupboard")
    cell.do('create object "two words"')

    def completed(text: str) -> list[str]:
        return [item.text for item in cell.session.complete(text)]

    assert completed("cre") == ["create"]
    assert completed("create blo") == ["block"]
    assert completed("attach cu") == ["cube1", "cubic", "cupboard"]
    assert completed("remove block:cu") == ["block:cube1", "block:cubic"]
    assert completed("place cupb") == ["cupboard"]
    assert completed('show "two') == [] or completed('show "two') == ['"two words"']
    assert "puma560" in completed("create robot P pu")
    assert "translate" in completed("attach cube1 to cupboard as x tr")
    assert "colour" in completed("modify cube1 col")
    cell.do("attach cube1 to cupboard as left")
    assert completed("detach cupboard/le") == ["cupboard/left"]
    assert completed("nonsense x") == []


def test_missing_parameters_are_named_and_refused_when_nobody_can_be_asked(cell):
    with pytest.raises(MissingParameter, match="Expected NAME") as missing:
        cell.do("create block")
    assert missing.value.parameter == "name"
    with pytest.raises(MissingParameter, match="PARENT"):
        cell.do("create object o") and cell.do("attach o to")


def test_parameters_by_name_in_any_order(cell):
    cell.do("create block name=cube1 shape=box 10 20 30 colour=red")
    assert cell.do("show cube1").facts["colour"] == "red"
    cell.do("create object part1")
    cell.do("attach parent=part1 child=cube1 name=inner transform=rotate 0,0,90")
    assert cell.do("show part1/inner").facts["of"] == "object:part1"


def test_calls_by_name_take_si_and_refuse_what_is_wrong(cell):
    cell.call(
        "add solid",
        name="box",
        shape="box 100 100 100",
        pose=[[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    )
    assert cell.snapshot().initial.poses["box"].xyz[0] == 0.5
    with pytest.raises(WorkcellError, match="has no parameter 'colr'"):
        cell.call("create block", name="x", colr="red")
    with pytest.raises(WorkcellError, match="needs 'name'"):
        cell.call("create block")
    with pytest.raises(UnknownName, match="create block"):
        cell.call("creat block", name="x")


def test_units_of_numbers(cell):
    from workcell.geometry.recipe import decode

    def size(name: str) -> float:
        return float(decode(cell.database.entity("block", name).shape.encode()).x)

    cell.do("create block a box 250 1 1")
    cell.do("create block b box 0.25m 1 1")
    cell.do("create block c box 25cm 1mm 1mm")
    cell.do("create block d box 250 mm 1 1")
    assert size("a") == size("b") == size("c") == size("d") == 0.25
    cell.do("units m rad")
    cell.do("create block e box 0.25 1 1")
    assert size("e") == 0.25
    with pytest.raises(WorkcellError, match="unit of length"):
        cell.do("create block f box 250deg 1 1")


def test_vectors_are_read_however_they_are_written(cell):
    cell.do("create block a box 1 1 1")
    cell.do("create object o")
    for place, text in enumerate(
        ["1,2,3", "1, 2, 3", "(1,2,3)", "(1 2 3)", "1 2 3", "[1, 2, 3]", "0.001m,2,3", "1,2,3 mm"]
    ):
        cell.do(f"attach a to o as r{place} translate {text}")
    matrices = {r.packed for r in cell.database.relations(cell.database.entity("object", "o"))}
    assert len(matrices) == 1
    with pytest.raises(CommandSyntaxError, match="Expected 3 numbers"):
        cell.do("attach a to o as bad translate 1,2")


def test_names_with_blanks_and_comments(cell):
    cell.do('create block "main plate" box 1 1 1   # a comment')
    cell.do("create object o")
    cell.do('attach "main plate" to o as "first part"')
    assert cell.do('show o/"first part"').facts["to"] == 'block:"main plate"'
    cell.do('modify block:"main plate" name plate')
    assert cell.replayed().database.rows() == cell.database.rows()


def test_the_reference_has_what_the_declarations_have(cell):
    everything = cell.do("command-reference").commands
    assert [one.name for one in everything] == [one.name for one in registry().commands]
    for one, declared in zip(everything, registry().commands, strict=True):
        assert [(p.shown, p.label, p.meaning) for p in one.parameters] == declared.explained()
        lines = {f"> {line}" for line in one.prepared} | set(one.examples)
        assert lines == set(declared.examples)
    family = cell.do("command-reference zones").commands
    assert {one.family for one in family} == {"Zones"}
    assert [one.name for one in cell.do("command-reference attach").commands] == ["attach"]
    with pytest.raises(WorkcellError):
        cell.do("command-reference nonsense")


def test_help_explains_a_command(cell):
    told = str(cell.do("help attach"))
    assert "attach CHILD to PARENT" in told
    assert "e.g. attach" in told
    assert "create block" in str(cell.do("help create"))


def test_a_cell_of_the_seed_is_described_from_python_alone():
    with Cell() as cell:
        cell.do("create surface square1 contour (0,0) (1,0) (1,1) (0,1)")
        assert repr(cell).startswith("<Cell in memory: 1 entities, 1 steps")


def test_a_relation_is_shown_in_the_units_of_the_cell_and_in_words(cell):
    cell.do("add solid table box 600 800 100 at 550,0,-50")
    cell.do("add solid cube box 40 40 40 at 0,0,200 --movable")
    assert "           550\n" in str(cell.do("show main/table"))
    cell.do("face attach cube bottom to table top")
    told = str(cell.do("show main/cube"))
    assert "its face 'bottom' lies on face 'top' of 'table'" in told
    assert "base_id" not in told


@pytest.mark.parametrize(
    "line",
    [
        "free-share Puma 100 seed -1",
        "add fault jam of Puma stops chance 0.5 seed -3",
        "find-path Puma joints 0,0,0,0,0,0 seed 1e30",
    ],
)
def test_a_seed_is_a_whole_number_of_zero_or_more(line):
    with Cell() as cell:
        cell.do("create robot Puma puma560")
        with pytest.raises(WorkcellError, match=r"must be 0 or more and below 2\^63"):
            cell.do(line)


def test_true_and_false_are_no_joint_values():
    with Cell() as cell:
        cell.do("create robot Puma puma560")
        with pytest.raises(WorkcellError, match=r"found \[True, 0"):
            cell.call("move-joints-absolute", robot="Puma", joints=[True, 0, 0, 0, 0, 0])


def test_a_written_file_has_no_line_end_in_its_name(tmp_path):
    with Cell() as cell, pytest.raises(WorkcellError, match="no line ends or control characters"):
        cell.call("save", file=f"{tmp_path}/a\nb.cell")
    assert not list(tmp_path.iterdir())
