"""Whatever is typed: a WorkcellError or an answer, never a traceback, and a refused line changes no row."""

from __future__ import annotations

import contextlib
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "world"))
from script_maker import ScriptMaker

from workcell.commands.cell import Cell
from workcell.commands.language.registry import registry
from workcell.errors import WorkcellError

ALPHABET = "abcxyz019 .,;:/\\\"'()[]{}<>=!?*#%-+_|~^&@$€é\t\u0000\u200b" + "\U0001f916"
SLOW = {
    "exercise-kernel", "render", "measure", "save", "load", "robots", "run", "reach", "certify", "contacts", "clearance",
    "pairs", "faces", "import", "export", "plot", "gantt", "save-recording",
}  # fmt: skip
"""Commands that reach for files or engines; their parsing is fuzzed all the same, on lines that do not run them."""


def mutated(chance: random.Random, line: str) -> str:
    words = line.split(" ")
    for _ in range(chance.randrange(1, 4)):
        kind = chance.randrange(7)
        if kind == 0 and words:
            words.pop(chance.randrange(len(words)))
        elif kind == 1 and words:
            words.insert(chance.randrange(len(words) + 1), chance.choice(words))
        elif kind == 2 and words:
            place = chance.randrange(len(words))
            words[place] = words[place][: chance.randrange(len(words[place]) + 1)]
        elif kind == 3 and words:
            place = chance.randrange(len(words))
            words[place] += chance.choice(ALPHABET)
        elif kind == 4:
            words.insert(
                chance.randrange(len(words) + 1),
                chance.choice(
                    [
                        "nan",
                        "inf",
                        "1e999",
                        "-0",
                        "0",
                        "1e-320",
                        "--deep",
                        "(",
                        '"',
                        "1e12",
                        "1e-9",
                        "99999999",
                        "every 1e-9s",
                    ]
                ),
            )
        elif kind == 5:
            chance.shuffle(words)
        else:
            words.insert(chance.randrange(len(words) + 1), "".join(chance.choices(ALPHABET, k=chance.randrange(1, 9))))
    return " ".join(words)


def fuzz(seed: int, count: int) -> tuple[int, int]:
    chance = random.Random(seed)
    examples = [
        line.removeprefix("> ") for c in registry().commands if c.syntax.words[0] not in SLOW for line in c.examples
    ]
    examples = [line for line in examples if line.split()[0] not in SLOW]
    done = refused = 0
    cell, maker = Cell(who="fuzz"), ScriptMaker(seed)
    for number in range(count):
        if number % 500 == 0:
            cell.close()
            cell, maker = Cell(who="fuzz"), ScriptMaker(seed + number)
            for line in maker.lines(30):
                try:
                    cell.do(line)
                except WorkcellError:
                    continue
        pick = chance.random()
        if pick < 0.1:
            line = "".join(chance.choices(ALPHABET, k=chance.randrange(60)))
        elif pick < 0.55:
            line = maker.line() if chance.random() < 0.4 else mutated(chance, maker.line())
        else:
            line = mutated(chance, chance.choice(examples))
        if line.split() and any(word.startswith(line.split()[0]) for word in SLOW):
            continue
        before = cell.database.rows(), len(cell.journal), cell.session.group
        told = answer(cell, line)
        done, refused = done + (told is None), refused + (told is not None)
        if told is not None:
            assert told.strip()
            assert (cell.database.rows(), len(cell.journal), cell.session.group) == before, line
        with contextlib.suppress(WorkcellError):
            cell.session.complete(line)
    cell.close()
    return done, refused


def answer(cell: Cell, line: str) -> str | None:
    """Nothing when the line was carried out, else what was said."""
    try:
        cell.do(line)
    except WorkcellError as error:
        return error.pointed()
    return None


@pytest.mark.parametrize("part", range(4))
def test_random_and_mutated_lines(part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a mutated line may write a file
    done, refused = fuzz(part, 1000)
    assert done > 50
    assert refused > 200


@pytest.mark.soak
def test_forty_thousand_random_and_mutated_lines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = refused = 0
    for part in range(40):
        a, b = fuzz(1000 + part, 1000)
        done, refused = done + a, refused + b
    print(
        f"\n40,000 lines: {done} carried out, {refused} refused with a reason, no traceback, no row changed by a refusal"
    )
