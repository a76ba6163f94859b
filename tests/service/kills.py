"""A server on a file, ten clients with groups, and a kill: what was acknowledged, and what the file holds."""

from __future__ import annotations

import collections
import os
import random
import re
import threading
import time
from pathlib import Path

from child_process import child
from workcell.commands.cell import Cell
from workcell.errors import ServiceError, WorkcellError
from workcell.service.client import Client, connect

CLIENTS = 10
NAME = re.compile(r"\bc\d+-\d+\b")


class Worker(threading.Thread):
    """One client that edits, groups and undoes at random until the server is gone."""

    def __init__(self, number: int, url: str, seed: int) -> None:
        super().__init__(daemon=True)
        self.number = number
        self.chance = random.Random(seed * 100 + number)
        self.url = url
        self.acknowledged: dict[str, list[str]] = {}
        """The names made, each with the names of its group (itself alone without one)."""
        self.told: list[str] = []
        """What undo and redo answered."""
        self.cancelled: list[list[str]] = []
        self.under_way = ""
        self.group: list[str] | None = None
        self.groups_opened = 0
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            with connect(self.url) as client:
                count = 0
                while self._one(client, count):
                    count += 1
        except BaseException as error:
            self.failure = error

    def _one(self, client: Client, count: int) -> bool:
        """Whether the server is still there; the line stays under way when it is not."""
        line = self._line(count)
        self.under_way = line
        try:
            self._note(line, client.do(line).text)
        except WorkcellError as error:
            if isinstance(error, ServiceError) and "closed the connection" in str(error):
                return False
            if isinstance(error, ServiceError):
                raise
        self.under_way = ""
        return True

    def _line(self, count: int) -> str:
        pick = self.chance.random()
        if pick < 0.15:
            return "end" if self.group is not None else "group"
        if pick < 0.18:
            return "cancel-group"
        if pick < 0.26:
            return self.chance.choice(["undo", "undo", "redo"])
        return f"create frame c{self.number}-{count}"

    def _note(self, line: str, text: str) -> None:
        if line == "group":
            self.group = []
            self.groups_opened += 1
        elif line == "end":
            self.group = None
        elif line == "cancel-group":
            assert self.group is not None
            self.cancelled.append(self.group)
            self.group = None
        elif line in ("undo", "redo"):
            self.told.append(text)
        else:
            name = line.rsplit(maxsplit=1)[-1]
            together = self.group if self.group is not None else []
            together.append(name)
            self.acknowledged[name] = together


class Outcome:
    """What a round came to."""

    def __init__(self) -> None:
        self.acknowledged = 0
        self.open_groups = 0
        self.lost: list[str] = []


def killed_round(folder: Path, seed: int) -> Outcome:
    """Serve a new file, let ten clients work, kill the server, compare the file with what was acknowledged."""
    path = folder / f"killed{seed}.cell"
    chance = random.Random(seed)
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    with child("-m", "workcell", "serve", str(path), "--port", "0", env=environment) as process:
        address = process.address()
        workers = [Worker(number, address, seed) for number in range(CLIENTS)]
        for worker in workers:
            worker.start()
        until = time.monotonic() + 20.0
        while not all(worker.acknowledged for worker in workers) and time.monotonic() < until:
            time.sleep(0.005)
        time.sleep(chance.uniform(0.0, 0.5))
        process.kill()
    for worker in workers:
        worker.join(20.0)
        assert not worker.is_alive()
        if worker.failure is not None:
            raise worker.failure
    with Cell.open(path) as cell:
        return compared(cell, workers)


def compared(cell: Cell, workers: list[Worker]) -> Outcome:
    """Whether every acknowledged command is there, or was taken back by one who was told so or not answered yet."""
    together = {name: names for worker in workers for name, names in worker.acknowledged.items()}
    undone: collections.Counter[str] = collections.Counter()
    redone: collections.Counter[str] = collections.Counter()
    for text in (line for worker in workers for told in worker.told for line in told.split("\n")):
        (first,) = NAME.findall(text)
        more = re.search(r"and (\d+) more", text)
        names = together.get(first, [first])
        place = names.index(first)
        (undone if text.startswith("undone") else redone).update(names[place : place + 1 + int(more[1] if more else 0)])
    cancelled = {name for worker in workers for names in worker.cancelled for name in names}
    under_way = [worker.under_way for worker in workers]
    perhaps = {
        name
        for worker in workers
        if worker.under_way == "cancel-group" and worker.group is not None
        for name in worker.group
    }
    present = set(cell.database.names("frame", most=1_000_000))
    missing = {name for name in together if name not in present and undone[name] <= redone[name]}
    missing -= cancelled | perhaps
    back = {name for name in present if undone[name] > redone[name]}
    back |= {name for name in present & cancelled if not undone[name]}
    outcome = Outcome()
    outcome.acknowledged, outcome.open_groups = len(together), sum(worker.group is not None for worker in workers)
    # A step is a name alone or a group; an undo or redo without an answer accounts for one.
    if len({id(together[name]) for name in missing}) > under_way.count("undo"):
        outcome.lost += sorted(missing)
    if len({id(together.get(name, name)) for name in back}) > under_way.count("redo"):
        outcome.lost += [f"{name} came back" for name in sorted(back)]
    for entry in cell.journal:
        owners = {name.split("-")[0] for name in NAME.findall(entry.command)}
        assert len(owners) == 1, f"commands of {owners} are one step"
    assert cell.replayed().database.rows() == cell.database.rows()
    return outcome
