"""The long work of an editing command holds up no other client; the result is kept in a short step, or refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

import workcell as wc
from workcell.commands import (
    assemblies,
    exchange,
    guide_learning,
    loading,
    program_planning,
    robot_files,
    scheduling,
    swept_volumes,
    work_planning,
)
from workcell.commands.session import Session
from workcell.errors import Cancelled, Refused, WorkcellError
from workcell.service import protocol
from workcell.service.client import Client, connect
from workcell.service.server import Server

CELL = (
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "add solid plate box 200 200 20 at 500,0,200",
    "targets grid 1x2 to holes pitch 50,50 on plate at 0,0,60 rotate 180,0,0",
    'write program demo "move-joints-relative Puma 5,0,0,0,0,0"',
    "move-joints-relative Puma 10,0,0,0,0,0",
)
HELD = {
    swept_volumes: ("_swept", "_swept_run"),
    work_planning: ("_ordered",),
    program_planning: ("_plan",),
    scheduling: ("_plan",),
    guide_learning: ("_learned",),
    exchange: ("_read", "_repaired"),
    assemblies: ("_read",),
    robot_files: ("_read",),
    loading: ("read_other",),
}
PLANNED = ("plan order holes by Puma to drill --unproved", "plan program demo")
RUN = ("schedule demo other", "learn guide reach tries 1")
IMPORTS = {
    "import solid peg1 peg.step on 0,900,0": "peg1",
    "import solid peg2 peg.stl mm": "peg2",
    "import solid peg3 peg.obj mm --beside": "peg3",
    "import solid peg4 peg.stl mm --repair": "peg4",
    "import assembly pair1 pair.step on 0,900,0": "pair1",
    "import assembly pair2 pair.glb": "pair2",
    "import robot Arm1 arm.urdf at 3000,0,0": "Arm1",
    "load other.cell prefix far- --here": "far-lump",
}
"""Lines that read files, and something that each of them makes."""
SWEPT = ("add swept-run way of Puma tolerance 80mm as ghost", "add swept way of Puma 30,0,-90,0,90,0 tolerance 80mm")


@contextmanager
def session() -> Iterator[Session]:
    with wc.Cell() as cell:
        for line in CELL:
            cell.do(line)
        yield cell.session


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files to import."""
    made = tmp_path_factory.mktemp("files")
    with wc.Cell.create(made / "other.cell") as cell:
        for line in (
            "add solid lump box 40 40 40 at 0,2000,0",
            "create block peg cylinder 20 100",
            "create object pair",
            "attach peg to pair as left translate -50,0,30",
            "attach peg to pair as right translate 50,0,30",
            *(f"export solid peg {made}/peg.{ending}" for ending in ("step", "stl", "obj")),
            *(f"export solid pair {made}/pair.{ending}" for ending in ("step", "glb")),
            "create robot Arm puma560 at 0,-2000,0",
            f"export robot Arm {made}/arm.urdf",
        ):
            cell.do(line)
    (made / "cut.step").write_bytes((made / "peg.step").read_bytes()[:2000])
    (made / "cut.stl").write_bytes((made / "peg.stl").read_bytes()[:500])
    (made / "cut.glb").write_bytes((made / "pair.glb").read_bytes()[:300])
    (made / "cut.urdf").write_text((made / "arm.urdf").read_text()[:900])
    (made / "cut.celltext").write_text("workcell text 1\nnothing")
    return made


@pytest.fixture
def clients(folder: Path) -> Iterator[tuple[Client, Client]]:
    with Server(session, allow=(folder,)) as server, connect(server.url) as one, connect(server.url) as other:
        yield one, other


def at(folder: Path, line: str) -> str:
    """Return a line with the path of its file."""
    return " ".join(f"{folder}/{word}" if word.partition(".")[2].isalnum() else word for word in line.split())


class Gate:
    """Holds the long work of a command until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.open = threading.Event(), threading.Event()
        for module, names in HELD.items():
            for name in names:
                monkeypatch.setattr(module, name, self._held(getattr(module, name)))

    def _held(self, work):
        def held(*given: object, **named: object):
            self.begun.set()
            assert self.open.wait(60)
            return work(*given, **named)

        return held


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    made = Gate(monkeypatch)
    yield made
    made.open.set()


def meanwhile(one: Client, gate: Gate, line: str, work):
    """Begin a line, do something while it is computed, and return its answer."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(one.do, line)
        try:
            assert gate.begun.wait(60)
            work()
        finally:
            gate.open.set()
        return answer.result(60)


@pytest.mark.parametrize("line", SWEPT)
def test_others_edit_while_it_is_computed_and_it_is_one_step_afterwards(clients, gate, line):
    one, other = clients
    meanwhile(one, gate, line, lambda: other.do("create signal ready"))
    steps = [row[-1] for row in one.do("history").value["rows"]]
    assert [step.split(maxsplit=2)[:2] for step in steps[-2:]] == [["create", "signal"], line.split()[:2]]
    assert "way" in str(one.do("show way").text)
    one.do("undo")
    with pytest.raises(WorkcellError, match="way"):
        one.do("show way")


@pytest.mark.parametrize("line", SWEPT)
@pytest.mark.parametrize("change", ["move-joints-relative Puma 10,0,0,0,0,0", "add solid post box 50 50 50 at 900,0,0"])
def test_it_is_refused_if_what_it_needs_changed_meanwhile(clients, gate, line, change):
    one, other = clients
    with pytest.raises(Refused, match="The cell changed while the swept volume was computed"):
        meanwhile(one, gate, line, lambda: other.do(change))
    with pytest.raises(WorkcellError, match="way"):
        one.do("show way")
    one.do(line)
    one.do("show way")


@pytest.mark.parametrize("line", PLANNED)
def test_plans_hold_up_nobody_and_are_refused_if_the_cell_changed(clients, gate, line):
    one, other = clients
    before = one.do("history").value["rows"][-1]
    with pytest.raises(Refused, match=r"The cell changed while the (order|plan) was computed"):
        meanwhile(one, gate, line, lambda: other.do("place plate at 550,0,200"))
    assert one.do("history").value["rows"][-1] != before  # the edit of the other client
    other.do("undo")
    one.do(line)
    assert one.do("history").value["rows"][-1][-1].startswith(line[:10])


@pytest.mark.parametrize("line", RUN)
def test_schedules_and_learning_hold_up_nobody_and_are_refused_if_a_program_changed(clients, gate, line):
    one, other = clients
    one.do("create robot Second puma560 at 0,2000,0 joints 0,0,-90,0,90,0")
    one.do('write program other "move-joints-relative Second 5,0,0,0,0,0"')
    one.do('write program reach "guide Puma 300,550,250 --position"')
    change = 'write program reach "guide Puma 300,560,250 --position"'
    with pytest.raises(Refused, match=r"The cell changed while the (schedule|best guidance) was computed"):
        meanwhile(one, gate, line, lambda: other.do(change))
    assert one.do("history").value["rows"][-1][-1].startswith("write program reach")
    one.do(line)
    assert one.do("history").value["rows"][-1][-1].startswith(line[:10])


@pytest.mark.parametrize("line", IMPORTS)
def test_a_file_is_read_beside_and_kept_whatever_others_did_meanwhile(clients, gate, folder, line):
    one, other = clients
    name = IMPORTS[line]
    meanwhile(one, gate, at(folder, line), lambda: other.do("add solid post box 50 50 50 at 900,0,0"))
    assert [row[-1].split()[0] for row in one.do("history").value["rows"][-2:]] == ["add", line.split()[0]]
    one.do(f"show {name}")
    one.do("undo")
    one.do("show post")
    with pytest.raises(WorkcellError, match=name):
        one.do(f"show {name}")
    one.do("redo")
    one.do(f"show {name}")


def test_imports_have_the_same_answers_and_journal_as_on_the_spot(folder, tmp_path):
    lines = [at(folder, line) for line in IMPORTS]
    with wc.Cell.create(tmp_path / "spot.cell") as cell:
        for line in CELL:
            cell.do(line)
        said = [str(cell.do(line)) for line in lines]
        kept = journal_of(cell)

    @contextmanager
    def opened() -> Iterator[Session]:
        with wc.Cell.create(tmp_path / "served.cell") as served:
            for line in CELL:
                served.do(line)
            yield served.session

    with Server(opened, allow=(folder,)) as server, connect(server.url) as one:
        assert [one.do(line).text for line in lines] == said
    with wc.Cell.open(tmp_path / "served.cell") as cell:
        assert journal_of(cell) == kept


def journal_of(cell: wc.Cell) -> list[tuple[str, str]]:
    """Return the steps of a cell as the journal keeps them, and as they were typed."""
    return [(entry.command, entry.label) for entry in cell.session.database.history.entries()]


@pytest.mark.parametrize("line", ["import solid a cut.step", "import solid a cut.stl mm", "import solid a peg.stl",
                                  "import assembly a cut.glb", "import robot a cut.urdf",
                                  "load cut.celltext prefix a-", "import solid a none.step"])  # fmt: skip
def test_a_refused_file_has_the_same_sentence_and_leaves_nothing_behind(clients, folder, line):
    one, _ = clients
    before = one.do("history").value["rows"]
    with wc.Cell() as cell, pytest.raises(WorkcellError) as on_the_spot:
        cell.do(at(folder, line))
    with pytest.raises(WorkcellError) as beside:
        one.do(at(folder, line))
    assert (type(beside.value), str(beside.value)) == (type(on_the_spot.value), str(on_the_spot.value))
    assert one.do("history").value["rows"] == before


def test_a_name_that_is_taken_is_refused_before_the_file_is_read(clients, gate, folder):
    one, _ = clients
    with pytest.raises(Refused, match="There is already an object 'plate'"):
        one.do(at(folder, "import solid plate peg.step --beside"))
    assert not gate.begun.is_set()


def test_an_import_reports_its_progress_and_can_be_cancelled(clients, gate, folder):
    one, other = clients
    heard: list[str] = []

    def report(_fraction: float | None, label: str) -> None:
        heard.append(label)
        one.cancel()
        gate.open.set()

    with pytest.raises(Cancelled):
        one.do(at(folder, "import assembly pair pair.step"), progress=report)
    with pytest.raises(WorkcellError, match="pair"):
        other.do("show pair")


def test_a_mesh_that_changed_while_it_was_repaired_is_left_alone(clients, gate, folder):
    one, other = clients
    gate.open.set()
    one.do(at(folder, "import solid peg peg.stl mm"))
    gate.open.clear()
    gate.begun.clear()

    def exchange_it() -> None:
        for line in ("copy peg as big scale 2,2,2", "modify peg name small", "modify big name peg"):
            other.do(line)

    with pytest.raises(Refused, match="The cell changed while the repaired mesh was computed"):
        meanwhile(one, gate, "repair peg", exchange_it)
    one.do("repair small")


def test_a_robot_that_is_gone_meanwhile_is_named(clients, gate):
    one, other = clients
    with pytest.raises(WorkcellError, match="Puma"):
        meanwhile(one, gate, SWEPT[1], lambda: other.do("modify robot:Puma name Arm"))


@pytest.mark.parametrize(("line", "name"), [(SWEPT[0], "way"), ("import solid peg peg.step --beside", "peg")])
def test_in_a_group_it_keeps_its_place_and_holds_up_nobody(clients, gate, folder, line, name):
    one, other = clients
    lines = ("group", at(folder, line), f"show {name}", "create signal last", "end")
    for number, text in enumerate(lines, 100):
        one._send(protocol.Command(number, text))
    assert gate.begun.wait(60)
    other.do("create signal ready")
    gate.open.set()
    answered = []
    while len(answered) < len(lines):
        message = one._next(60)
        if isinstance(message, protocol.Result | protocol.Failure):
            answered.append((message.request, type(message)))
    assert answered == [(100 + number, protocol.Result) for number in range(len(lines))]
    one.do("undo")
    one.do("show ready")
    for gone in (name, "last"):
        with pytest.raises(WorkcellError, match=gone):
            one.do(f"show {gone}")


def test_among_lines_that_are_one_step_it_is_read_on_the_spot(clients, folder):
    one, _ = clients
    one.do_together([at(folder, "import solid peg peg.step --beside"), "modify object:peg name peg9"])
    one.do("undo")
    with pytest.raises(WorkcellError, match="peg"):
        one.do("show peg9")
