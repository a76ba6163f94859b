"""The text form: any text there and back, and everything that is wrong in it named by its line before it counts."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workcell.commands.cell import Cell
from workcell.commands.script import lines_of, logical_lines
from workcell.errors import DamagedCell, FileProblem, NewerFile, NotACell, Refused, WorkcellError
from workcell.world.database import Database
from workcell.world.ids import Ids
from workcell.world.names import is_name
from workcell.world.text_form import from_text, to_text

BREAKS = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\r\n\0\ufeff\x7f\x9f"
texts = st.text(st.one_of(st.sampled_from(BREAKS), st.characters(blacklist_categories=("Cs",))), max_size=30)
legal = st.text(st.sampled_from("aß字9 _-+Ωé"), min_size=1, max_size=12).filter(is_name)


def read_back(text: str) -> Database:
    database = Database.memory()
    from_text(text, database)
    return Database(database.store)


@given(legal, texts, texts, texts, texts)
def test_every_text_of_a_cell_comes_back_as_it_was(name, description, material, program, own):
    with Cell() as cell:
        cell.do(f'create block "{name}"')
        cell.do("create program p")
        database = cell.database
        with database.edit(lambda: f"made {own}", f"who {own}", typed=own) as rows:
            block = database.entity("block", name)
            rows.update("entity", block.id, description=description, colour=own)
            database.set_properties(rows, block, {"material": material, own or "x": own})
            database.set_properties(rows, database.entity("program", "p"), {"text": program})
            database.set_setting(rows, f"s{own}", own)
        text = to_text(database, journal=True)
        back = read_back(text)
        assert back.rows() == database.rows()
        assert [(e.command, e.typed, e.who, e.changes) for e in back.history] == [
            (e.command, e.typed, e.who, e.changes) for e in database.history
        ]
        assert to_text(back, journal=True) == text
        assert text.splitlines() == text.removesuffix("\n").split("\n"), "no reader finds other lines"
        assert to_text(read_back("\ufeff" + text.replace("\n", "\r\n")), journal=True) == text
        back.close()


@given(texts)
def test_a_program_has_the_lines_that_it_was_given(text):
    comment = "# " + text.replace("\r", "").replace("\n", "")
    assert list(logical_lines(lines_of(comment))) == [], "a comment stays one, whatever breaks it has"
    assert [line for _, line in logical_lines(lines_of(f"{comment}\nwait 1\r\n{comment}\rwait 2"))] == [
        "wait 1",
        "wait 2",
    ]


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """A cell as the first version of the text form wrote it: blocks a, b, c, object o, tool t, robot R, ten steps."""
    return (Path(__file__).parents[1] / "data/world/version-1.celltext").read_text().removesuffix("\n").split("\n")


def spoilt(lines: list[str], find: str, **fields: object) -> tuple[str, int]:
    """The text with fields of the line that holds a text changed, and the number of the line."""
    at = next(n for n, line in enumerate(lines) if find in line)
    data = json.loads(lines[at])
    for name, value in fields.items():
        if value is KeyError:
            del data[name]
        else:
            data[name] = value
    return "\n".join([*lines[:at], json.dumps(data), *lines[at + 1 :]]), at + 1


def refusal(text: str, number: int) -> str:
    """What is said about a text; the line must be named and nothing be written."""
    database = Database.memory()
    with pytest.raises(DamagedCell) as refused:
        from_text(text, database)
    assert {number, number + 1} & set(refused.value.lines)
    assert not any(database.rows().values())
    assert len(database.history) == 0
    return " ".join(refused.value.problems)


def id_of(lines: list[str], entity: str) -> str:
    return next(json.loads(line)["id"] for line in lines if f'"entity":"{entity}"' in line)


A, R, S, STEP = '"entity":"block:a"', '"relation":"object:o/r"', '"relation":"block:a/s"', '"step":3'

SETTING = '"setting":"profile"'


@pytest.mark.parametrize(
    ("find", "fields", "said"),
    [
        (A, {"entity": "brick:a"}, "'brick' is not a kind of entity"),
        ('"entity":"block:b"', {"entity": "block:a"}, "a block 'a' already exists"),
        (A, {"entity": "block:"}, "cannot be the name of a block"),
        (A, {"entity": "block:\u2028"}, "cannot be the name of a block"),
        (A, {"id": "xyz"}, "16 hexadecimal digits; found 'xyz'"),
        (A, {"id": "0"}, "not a whole number"),
        (A, {"movable": 2}, "movable .1. or not"),
        (A, {"movable": KeyError}, "the field 'movable' is missing"),
        (A, {"colr": 2}, "the field 'colr' does not belong to a line for an entity"),
        (A, {"description": 5}, "is not a text"),
        (A, {"shape": {"kind": "sphere", "radius": "x"}}, "not a solid's recipe"),
        (A, {"properties": [1]}, "Expected `object`"),
        (A, {"properties": {"density": "heavy"}}, "the density of block 'a' must be a number; found 'heavy'"),
        (A, {"properties": {"mass": -3}}, "the mass of block 'a' must be more than zero; found -3"),
        (A, {"properties": {"density": 0}}, "the density of block 'a' must be more than zero; found 0"),
        ('"entity":"tool:t"', {"properties": {"payload": -1.5}}, "the payload of tool 't' must be more than zero"),
        ('"entity":"robot:R"', {"properties": {"speed": 0.0}}, "the speed of robot 'R' must be more than zero"),
        ('"entity":"robot:R"', {"properties": {"profile": "zigzag"}}, "the profile of robot 'R' must be one of linear"),
        (SETTING, {"value": "zigzag"}, "the setting 'profile' must be one of linear, .*; found 'zigzag'"),
        (SETTING, {"setting": "mode", "value": "sideways"}, "the setting 'mode' must be one of joint-by-joint"),
        (SETTING, {"setting": "watch", "value": "no"}, "the setting 'watch' must be one of yes, certified"),
        (SETTING, {"setting": "step", "value": "-1"}, "the setting 'step' must be an angle of more than zero"),
        (SETTING, {"setting": "step", "value": "nan"}, "the setting 'step' must be an angle of more than zero"),
        (SETTING, {"setting": "step", "value": "wide"}, "could not convert"),
        (SETTING, {"setting": "units", "value": '{"length":"ell","angle":"deg"}'}, "ell"),
        ('"entity":"robot:R"', {"properties": {"joints": "x"}}, "joints of robot 'R' must be a row of numbers"),
        ('"entity":"tool:t"', {"properties": {"tcp": [1, 2]}}, "tcp of tool 't' must be twelve numbers"),
        (R, {"child": "1234"}, "the id 0000000000001234, which no entity has"),
        (R, {"parent": "1234"}, "the id 0000000000001234, which no entity has"),
        (R, {"kind": "mount"}, "must be of the kind transform-block; found 'mount'"),
        (R, {"position": 1.5}, "the position or the description"),
        (R, {"position": 10**30}, "the position or the description"),
        (R, {"to": "block:b"}, "it names 'object:o/r' and 'block:b'"),
        (R, {"form": [{"form": "translate", "xyz": [0, 0]}]}, "Expected `array` of length 3"),
        (R, {"form": [{"form": "rotate", "angles": [0, 0, 1]}, {"form": "scale", "factors": [1, 2, 1]}]}, "contains shear"),
        ('{"state"', {"state": {"time": "soon"}}, "not a state of a cell"),
        (STEP, {"step": 2}, "there is already a step 2"),
        (STEP, {"step": -1}, "not a whole number"),
        (STEP, {"time": "noon"}, "could not convert|not a number"),
        (STEP, {"undone": 1}, "is in force after step 3, which is undone"),
        (STEP, {"changes": [["sqlite_master", [], None, [1]]]}, "a table 'sqlite_master'"),
        (STEP, {"changes": [["entity", ["id", "name = '' --"], [1, "a"], [1, "b"]]]}, "columns of the table entity"),
        (STEP, {"changes": 7}, "not iterable"),
        (STEP, {"who": 3}, "not a text"),
    ],
)  # fmt: skip
def test_each_fault_is_named_with_its_line_and_nothing_is_written(lines, find, fields, said):
    text, number = spoilt(lines, find, **fields)
    assert re.search(said, refusal(text, number)), refusal(text, number)


def test_duplicates_circles_and_wrong_levels_are_refused(lines):
    for find in (A, R, STEP, '{"state"'):
        twice = next(line for line in lines if find in line)
        assert "already" in refusal("\n".join([*lines, twice]), len(lines) + 1)
    ids = {name: id_of(lines, f"block:{name}") for name in "abc"} | {"o": id_of(lines, "object:o")}
    relation = json.loads(next(line for line in lines if S in line))
    circle = {**relation, "relation": "block:b/k", "to": "block:a", "name": "k", "id": "7", "parent": ids["b"],
              "child": ids["a"]}  # fmt: skip
    assert "makes block" in refusal("\n".join([*lines, json.dumps(circle)]), len(lines) + 1)
    itself = {**circle, "to": "block:b", "child": ids["b"]}
    assert "makes block 'b' a part of itself" in refusal("\n".join([*lines, json.dumps(itself)]), len(lines) + 1)
    up = {**circle, "to": "object:o", "child": ids["o"]}
    assert "cannot be attached to a block" in refusal("\n".join([*lines, json.dumps(up)]), len(lines) + 1)


def test_many_faults_are_all_told(lines):
    text, _ = spoilt(lines, A, movable=3)
    text, _ = spoilt(text.split("\n"), R, kind="x")
    with pytest.raises(
        DamagedCell, match=r"^Line \d+ of the text form cannot be read: .*\. Line \d+: .*\.$"
    ) as refused:
        from_text(text + "\nnonsense\n{}\n[1]\n" + "[" * 100_000, Database.memory())
    assert len(refused.value.problems) == 6


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        ('{"workcell":"text","version":3,"schema":1}', NewerFile),
        ('{"workcell":"text","version":1,"schema":9}', NewerFile),
        ('{"workcell":"text","version":"1","schema":1}', DamagedCell),
        ('{"workcell":"text","version":1,"schema":0}', DamagedCell),
        ('{"workcell":"text"}', DamagedCell),
        ('{"workcell":"txt"}', NotACell),
        ("", NotACell),
        ("[" * 10_000, NotACell),
    ],
)
def test_a_wrong_first_line_is_refused(head, kind):
    with pytest.raises(kind):
        from_text(head + "\n", Database.memory())


def test_a_broken_text_or_file_is_not_loaded_into_a_healthy_cell(lines, tmp_path, cell):
    cell.do("create block healthy")
    rows = cell.database.rows()
    text, _ = spoilt(lines, R, child="1234")
    (tmp_path / "bad.celltext").write_text(text)
    (tmp_path / "binary.celltext").write_bytes(b"\xff\xfe\0\1")
    for name in ("bad.celltext", "binary.celltext", "missing.celltext"):
        with pytest.raises(FileProblem):
            cell.do(f"load {tmp_path / name}")
        assert cell.database.rows() == rows
    assert [entity.name for entity in cell.database.entities()] == ["healthy"]


def test_what_is_sound_alone_and_not_together_is_not_loaded(tmp_path, cell):
    for line in ("create block a", "create block b", f"save {tmp_path / 'one.cell'}", "attach a to b as r"):
        cell.do(line)
    with Cell.open(tmp_path / "one.cell") as other:
        other.do("attach b to a as r")
    rows = cell.database.rows()
    with pytest.raises(Refused, match=r"does not fit this one: relation 'r' makes block '[ab]' a part of itself"):
        cell.do(f"load {tmp_path / 'one.cell'}")
    assert cell.database.rows() == rows
    with Cell.open(tmp_path / "one.cell") as other:
        other.undo()
        other.do("create block c")
        other.do("attach c to b as r")
    with pytest.raises(Refused, match=r"block 'b' has a relation called 'r' already"):
        cell.do(f"load {tmp_path / 'one.cell'}")
    assert cell.database.rows() == rows
    cell.do(f"load {tmp_path / 'one.cell'} prefix new-")
    assert cell.database.find("block", "new-c")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE relation SET child = 99 WHERE name = 'r'", "which no entity has"),
        ("UPDATE relation SET child = parent, kind = 'operand' WHERE name = 's'", "a part of itself"),
        ("UPDATE entity SET kind = 'brick' WHERE name = 'c'", "'brick' is not a kind of entity"),
        ("UPDATE entity SET properties = '{' WHERE name = 'c'", "truncated|malformed"),
        ("UPDATE entity SET properties = '[1]' WHERE name = 'c'", "Expected `object`"),
        ("UPDATE entity SET shape = '{\"kind\":\"ball\"}' WHERE name = 'c'", "recipe"),
        ("UPDATE entity SET name = '../x' WHERE name = 'c'", "cannot be the name"),
        ("UPDATE relation SET matrix = x'00'", "16 numbers"),
        ("UPDATE relation SET matrix = zeroblob(128)", "does not follow from its steps"),
        ("UPDATE relation SET form = '['", "truncated|malformed"),
        ("UPDATE state SET data = '{}'", "not a state of a cell"),
        ("INSERT INTO setting VALUES ('units', '{\"length\":7}')", "Expected"),
        ("UPDATE journal SET undone = 1 WHERE seq = 2", "in force after step 2"),
        ("UPDATE entity SET name = CAST(x'ff' AS TEXT) WHERE name = 'c'", "Could not decode"),
    ],
)
def test_a_database_with_other_rows_than_a_cell_has_is_refused(lines, tmp_path, change, said):
    path = tmp_path / "a.cell"
    database = Database.memory()
    from_text("\n".join(lines), database)
    database.store.save_as(path)
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    connection.close()
    for read_only in (True, False):
        with pytest.raises(DamagedCell, match=said) as refused:
            Cell.open(path, read_only)
        assert str(refused.value).endswith("; `workcell recover a.cell` copies everything readable into a new cell.")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.cell"]


def test_copies_opened_in_the_same_second_do_not_give_the_same_ids(monkeypatch):
    monkeypatch.setattr("workcell.world.ids.time.time", lambda: 1_800_000_000.0)
    after = Ids().new()
    firsts = {Ids(after).new() for _ in range(200)}
    assert len(firsts) == 200
    assert min(firsts) > after


def test_a_history_that_cannot_be_read_refuses_undo_only(tmp_path):
    path = tmp_path / "a.cell"
    with Cell.create(path) as cell:
        cell.do("create block one")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE journal SET difference = x'c1'")
    connection.close()
    with Cell.open(path) as cell:
        with pytest.raises(WorkcellError, match="step 1 of the history cannot be read"):
            cell.undo()
        cell.do("create block two")
        assert cell.database.names("block") == ["one", "two"]
