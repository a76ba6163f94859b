"""What is known of names without asking the file is what the file says, whatever was done meanwhile."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from workcell.commands.cell import Cell
from workcell.errors import WorkcellError
from workcell.world.database import Database
from workcell.world.entities import Entity
from workcell.world.operations import Combine, is_operation, operation_text

NAMES = ("a", "b", "c")
KINDS = ("block", "object", "scene")
WORDS = {
    "create {kind} {name}": 6, "create block {name} box 10 10 10": 3, "attach {one}:{name} to {kind}:{other}": 8,
    "combine {name} union block:{other} block:{third}": 3, "modify {kind}:{name} name {other}": 3,
    "remove {kind}:{name} --deep": 2, "detach {kind}:{name}/{other}": 2, "undo": 2, "redo": 2, "group": 1, "end": 1,
    "cancel-group": 1,
}  # fmt: skip


def lines(seed: int) -> Iterator[str]:
    draw = random.Random(seed)
    for word in draw.choices(list(WORDS), list(WORDS.values()), k=40):
        one = draw.choice(KINDS)
        kind = KINDS[min(KINDS.index(one) + draw.randint(0, 1), 2)]
        name, other, third = (draw.choice(NAMES) for _ in range(3))
        yield word.format(one=one, kind=kind, name=name, other=other, third=third)


def check(database: Database) -> None:
    execute = database.store.connection.execute
    for name in NAMES:
        rows = execute("SELECT * FROM entity WHERE name = ? ORDER BY id", (name,)).fetchall()
        assert database.named(name) == tuple(Entity(*row) for row in rows)
        for kind in KINDS:
            assert database.find(kind, name) == next((e for e in database.named(name) if e.kind == kind), None)
    for number, shape in execute("SELECT id, shape FROM entity").fetchall():
        if database.named.is_loose(number):
            assert not is_operation(shape)
            assert database.pointed_by(number) == 0


@pytest.mark.parametrize("seed", range(25))
def test_names_are_known_as_the_file_has_them(seed):
    ways = random.Random(seed)
    with Cell() as cell:
        for line in lines(seed):
            how = ways.choice(["do", "do", "do", "preview", "step"])
            with suppress(WorkcellError):
                if how == "preview":
                    cell.session.preview(line)
                elif how == "do":
                    cell.do(line)
                else:
                    cell.database.begin_step("test")
                    with suppress(WorkcellError):
                        cell.do(line)
                    with suppress(WorkcellError):
                        cell.do("add solid a box 10 10 10")  # which may be refused half way
                    check(cell.database)
                    cell.database.cancel_step() if ways.random() < 0.5 else cell.database.end_step()
            check(cell.database)


def test_what_is_given_up_is_not_known():
    database = Database.memory()
    with suppress(KeyError), database.edit(lambda: "", "test") as rows:
        number = database.add_entity(rows, "block", "a")
        assert [entity.id for entity in database.named("a")] == [number]
        assert database.named.is_loose(number)
        raise KeyError
    assert database.named("a") == ()
    assert not database.named.is_loose(number)


def test_a_block_that_an_operation_makes_from_now_on_is_loose_no_longer():
    database = Database.memory()
    with database.edit(lambda: "made", "test") as rows:
        number = database.add_entity(rows, "block", "a")
        assert database.named.is_loose(number)
        rows.update("entity", number, shape=operation_text(Combine("union")))
        assert not database.named.is_loose(number)
        assert is_operation(database.by_id(number).shape)


def test_a_reader_sees_what_another_program_writes(tmp_path):
    with Cell.create(tmp_path / "a.cell") as cell:
        cell.do("create block a")
        with Cell.open(tmp_path / "a.cell", read_only=True) as reader:
            assert [e.kind for e in reader.database.named("a")] == ["block"]
            cell.do("create object a")
            assert [e.kind for e in reader.database.named("a")] == ["block", "object"]


def test_a_reader_beside_the_writer_keeps_nothing_that_was_written_over():
    """A thread asks for a name all the time; once the row is written, nobody hears of the old one."""
    with Cell() as cell:
        cell.do("create block a")
        stop = threading.Event()

        def ask() -> None:
            while not stop.is_set():
                cell.database.named("a")
                cell.database.named("b")

        thread = threading.Thread(target=ask)
        thread.start()
        try:
            for number in range(300):
                here, there = ("a", "b") if number % 2 == 0 else ("b", "a")
                cell.do(f"modify block:{here} name {there}")
                assert not cell.database.named(here)
                assert cell.database.find("block", there) is not None
        finally:
            stop.set()
            thread.join()
