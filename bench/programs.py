"""Programs as text: the time to read, check and print 100,000 steps, beside Python's own parser.

The program mixes moves of joints, poses, lines, offsets from targets, signals, waits, conditions, loops, variables,
grips and comments; most of its numbers are different. The peer is ``ast.parse`` of the same steps written as calls of
Python functions, in the same run. Figure to reach: read and checked in under 2 s.

A second program has the same steps, and hardly two of its lines have the same words: every number has its own unit or
none, rows are written with commas, blanks or brackets, words are shortened, and there are a thousand targets.
"""

from __future__ import annotations

import argparse
import ast
import math
import random
import time
from collections.abc import Callable

from harness import compare
from workcell.commands.cell import Cell
from workcell.commands.language.program_printer import program_text
from workcell.commands.language.program_reader import read_program
from workcell.commands.program_store import names_of
from workcell.programs.checker import check
from workcell.spatial.units import Units

CELL = [
    "create robot Puma puma560",
    "create signal ready",
    "create signal part-there",
    *(f"add target t{n} {500 + 10 * n},{20 * n},200 euler fanuc_wpr 180,0,180" for n in range(10)),
]
TARGETS = [f"add target s{n} {500 + 0.1 * n:.1f},{0.2 * n:.1f},200 euler fanuc_wpr 180,0,180" for n in range(1000)]
"""More places, for the program whose lines differ."""


def program(count: int, seed: int = 1) -> tuple[str, str]:
    """Return a program of ``count`` steps, and the same as Python text."""
    chance = random.Random(seed)
    steps: list[str] = ["let n = 0"]
    python: list[str] = ["n = 0"]
    depth = 0

    def add(line: str, peer: str) -> None:
        steps.append("  " * depth + line)
        python.append("    " * depth + peer)

    while len(python) < count:
        kind = chance.random()
        if kind < 0.25:
            joints = ",".join(f"{chance.uniform(-40.0, 40.0):.2f}" for _ in range(6))
            add(f"move-joints-absolute Puma {joints}", f"move_joints('Puma', ({joints}))")
        elif kind < 0.40:
            x, y, z = _reached(chance)
            turn = chance.uniform(-20.0, 20.0)
            add(
                f"move-end-effector Puma {x:.1f},{y:.1f},{z:.1f} euler fanuc_wpr 180,{turn:.1f},0",
                f"move_pose('Puma', ({x:.1f}, {y:.1f}, {z:.1f}), euler('fanuc_wpr', 180, {turn:.1f}, 0))",
            )
        elif kind < 0.55:
            x, y, z = _reached(chance)
            add(
                f"move-straight-line Puma {x:.1f},{y:.1f},{z:.1f} rotate 180,0,0",
                f"move_line('Puma', ({x:.1f}, {y:.1f}, {z:.1f}), rotate(180, 0, 0))",
            )
        elif kind < 0.62:
            number, height = chance.randrange(10), chance.randrange(5, 80)
            add(f"approach Puma t{number} by {height}mm", f"approach('Puma', t{number}, {height})")
        elif kind < 0.70:
            yes = chance.choice(["1", "0"])
            add(f"set-signal ready {yes}", f"set_signal('ready', {yes})")
        elif kind < 0.77:
            seconds = chance.randrange(1, 400) / 100.0
            add(f"wait {seconds}s", f"wait({seconds})")
        elif kind < 0.80:
            add("open-gripper Puma", "open_gripper('Puma')")
        elif kind < 0.84:
            add("let n = n + 1", "n = n + 1")
        elif kind < 0.90:
            add(f"# part {chance.randrange(1000)}", "pass")
        elif depth < 3 and kind < 0.95:
            limit = chance.randrange(100)
            add(f"if part-there and n < {limit}", f"if part_there and n < {limit}:")
            depth += 1
            add("wait 1", "wait(1)")
        elif depth < 3 and kind < 0.97:
            rounds = chance.randrange(2, 9)
            add(f"repeat {rounds}", f"for _ in range({rounds}):")
            depth += 1
            add("wait 1", "wait(1)")
        elif depth:
            depth -= 1
            steps.append("  " * depth + "end")
    while depth:
        depth -= 1
        steps.append("  " * depth + "end")
    return "\n".join(steps), "\n".join(python)


def varied(text: str, seed: int = 1) -> str:
    """Return a program with the same steps, written in as many ways as there are."""
    chance = random.Random(seed)
    return "\n".join(_otherwise(line, chance) for line in text.split("\n"))


def _otherwise(line: str, chance: random.Random) -> str:
    words = line.split()
    indent = " " * chance.randrange(9)
    if not words or words[0] in ("#", "end", "let", "if", "repeat", "open-gripper"):
        return indent + line.strip()
    if words[0].startswith("move"):
        quantities = ("angle",) if words[0] == "move-joints-absolute" else ("length", "angle")
        rows = [place for place, word in enumerate(words) if "," in word]
        for place, quantity in zip(rows, quantities, strict=True):
            words[place] = _row(words[place], quantity, chance)
        words[0] = words[0][: chance.randrange(13, len(words[0]) + 1)]
    elif words[0] == "approach":
        height = float(words[-1].removesuffix("mm"))
        words[2:] = [f"s{chance.randrange(1000)}", "by", _number(height, "length", chance)]
    return indent + (" " * chance.randrange(1, 4)).join(words)


UNITS = {"length": {"": 1.0, "mm": 1.0, "cm": 0.1, "m": 0.001}, "angle": {"": 1.0, "deg": 1.0, "rad": math.pi / 180.0}}


def _number(value: float, quantity: str, chance: random.Random) -> str:
    unit = chance.choice([*UNITS[quantity]])
    return f"{value * UNITS[quantity][unit]:.6g}{unit}"


def _row(text: str, quantity: str, chance: random.Random) -> str:
    items = [_number(float(one), quantity, chance) for one in text.split(",")]
    return chance.choice([",".join(items), " ".join(items), f"({', '.join(items)})"])


def _reached(chance: random.Random) -> tuple[float, float, float]:
    """Return a place in front of the robot that its hand can reach."""
    angle, radius = chance.uniform(-1.2, 1.2), chance.uniform(400.0, 550.0)
    return radius * math.cos(angle), radius * math.sin(angle), chance.uniform(50.0, 300.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    text, python = program(options.steps)
    with Cell() as cell:
        for line in CELL:
            cell.do(line)
        for line in TARGETS:
            cell.do(line)
        names, units = names_of(cell.session), Units()
        contenders: dict[str, Callable[[], object]] = {}
        for what, lines in (("", text), (", lines that differ", varied(text))):
            read = read_program("large", lines, units)
            mistakes = [*read.problems, *check(read.program, names, read.mentions, lines)]
            assert not [one for one in mistakes if not one.warning], mistakes[:5]
            assert read_program("large", program_text(read.program), units).program == read.program
            contenders |= {
                f"read{what}": lambda lines=lines: read_program("large", lines, units),
                f"check{what}": lambda read=read, lines=lines: check(read.program, names, read.mentions, lines),
            }
        steps = len(read.program.steps)
        contenders |= {
            "print": lambda: program_text(read.program),
            "ast.parse, a Python text": lambda: ast.parse(python),
        }
        for what, clock in (("wall clock", time.perf_counter), ("processor time", time.thread_time)):
            found = compare(
                contenders, options.rounds, f"a program of {steps} steps, {what}", steps, "steps", warm=0, clock=clock
            )
            for kind in ("", ", lines that differ"):
                both = found[f"read{kind}"] + found[f"check{kind}"]
                print(
                    f"read and checked{kind} in {both:.2f} s, {both / steps * 1e6:.1f} µs per step   (at most 2 s, 20 µs)"
                )


if __name__ == "__main__":
    main()
