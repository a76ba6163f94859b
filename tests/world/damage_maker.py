"""Cells and other files of Workcell, damaged in seeded ways."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

from script_maker import ScriptMaker

from workcell.commands.cell import Cell
from workcell.errors import WorkcellError

PAGE = 4096


def make_whole(folder: Path) -> dict[str, Path]:
    """One whole file of each kind: a cell, one with its rows in the log, a text form and a recording."""
    cell, killed, text, recording = (folder / name for name in ("a.cell", "k.cell", "a.celltext", "a.rec"))
    lines = ["create robot R puma560", *ScriptMaker(5).lines(150), "move-joints-relative R 5,0,0,0,0,0"]
    with Cell.create(cell) as made:
        for line in lines:
            with contextlib.suppress(WorkcellError):
                made.do(line)
        made.do(f"save {text}")
        made.do(f"save-recording {recording}")
    code = (
        "import contextlib, os, sys; from workcell.commands.cell import Cell\n"
        "cell = Cell.create(sys.argv[1])\n"
        "for line in sys.stdin:\n"
        "    with contextlib.suppress(Exception): cell.do(line.strip())\n"
        "os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code, str(killed)], input="\n".join(lines[:60]), text=True, check=False)
    return {"cell": cell, "killed": killed, "text": text, "recording": recording}


def damaged(whole: dict[str, Path], seed: int, folder: Path) -> tuple[Path, str]:
    """A copy of one of the files, damaged, and its kind."""
    chance = random.Random(seed)
    kind = chance.choice(["cell"] * 5 + ["killed"] * 3 + ["text"] * 2 + ["recording"])
    source = whole[kind]
    path = folder / f"d{seed}{source.suffix}"
    shutil.copyfile(source, path)
    target = path
    if kind == "killed":
        for ending in ("-wal", "-shm"):
            shutil.copyfile(f"{source}{ending}", f"{path}{ending}")
        target = Path(f"{path}{chance.choice(['-wal', '-wal', '-shm', ''])}")
    data = bytearray(target.read_bytes())
    ways = (flip, zero, cut, swap, noise, several)
    chance.choice(ways)(data, chance)
    target.write_bytes(data)
    return path, kind


def flip(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice([1, 1, 3, 30])):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def zero(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(max(1, len(data) // PAGE)) * PAGE
    data[at : at + PAGE] = bytes(len(data[at : at + PAGE]))


def cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def swap(data: bytearray, chance: random.Random) -> None:
    pages = max(1, len(data) // PAGE)
    a, b = (chance.randrange(pages) * PAGE for _ in range(2))
    data[a : a + PAGE], data[b : b + PAGE] = data[b : b + PAGE], data[a : a + PAGE]


def noise(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data))
    data[at : at + chance.choice([4, 100, 5000])] = chance.randbytes(chance.choice([4, 100, 5000]))


def several(data: bytearray, chance: random.Random) -> None:
    for way in chance.choices((flip, zero, swap), k=3):
        way(data, chance)


def clear(folder: Path) -> None:
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else os.unlink(path)
