"""Motions from data: tables of joint values over time, and functions of time."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import FileProblem, InvalidValue, MotionError
from workcell.motion.fitting import clamped_spline, free_slopes
from workcell.motion.frames import positive
from workcell.motion.joint_values import joint_values
from workcell.motion.limits import Limits, require
from workcell.motion.trajectory import Trajectory
from workcell.spatial.units import ANGLES, LENGTHS, SI, TIMES, Units
from workcell.wording import an, counted, either

Array = NDArray[np.float64]

INTERPOLATIONS = ("linear", "cubic")
"""The interpolation between the rows of a table: straight lines, or a cubic spline with free ends."""

_CHECKS = 8
_KNOTS = 20000
_UNIT = "|["
"""Stands before the unit of a heading, without a blank: blanks may separate headings."""
_KNOWN = {"time": TIMES, "angle": ANGLES, "length": LENGTHS, "number": {**ANGLES, **LENGTHS}}
"""The units that a heading may name, and their sizes."""


def from_table(
    times: ArrayLike, values: ArrayLike, interpolation: str = "cubic", limits: Limits | None = None
) -> Trajectory:
    """The motion through the rows of a table.

    Args:
        times: (m,) [s], rising; the motion starts with the first row at time 0.
        values: (m, n) joint values, one row per time.
        interpolation: 'linear' or 'cubic'.
        limits: if the motion does not keep them, it is refused with joint and time.
    """
    clock = joint_values(times, "The times of a table")
    rows = np.array(values, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] != clock.shape[0] or rows.shape[1] < 1 or rows.shape[0] < 2:
        raise InvalidValue(
            f"A table needs two or more rows of a time and n joint values; found {clock.shape[0]} times "
            f"and values of shape {rows.shape}.",
            shape=rows.shape,
        )
    if not np.isfinite(rows).all():
        row = int((~np.isfinite(rows)).any(axis=1).argmax())
        raise InvalidValue(f"Row {row + 1} of the table is not finite: {rows[row].tolist()}.", row=row + 1)
    falling = np.diff(clock) <= 0.0
    if falling.any():
        row = int(falling.argmax()) + 1
        raise InvalidValue(
            f"The times of a table must rise; row {row + 1} has {clock[row]:g} s after {clock[row - 1]:g} s.",
            row=row + 1,
        )
    if interpolation not in INTERPOLATIONS:
        raise InvalidValue(f"The interpolation of a table must be 'linear' or 'cubic', not {interpolation!r}.")
    knots = clock - clock[0]
    if interpolation == "linear":
        coefficients = np.stack([rows[:-1], np.diff(rows, axis=0) / np.diff(knots)[:, None]], axis=1)
    else:
        coefficients = clamped_spline(knots, rows, *free_slopes(knots, rows))
    motion = Trajectory(knots, coefficients)
    return motion if limits is None else require(motion, limits, "The motion of the table")


def read_table(
    source: str | Path | Iterable[str],
    interpolation: str = "cubic",
    limits: Limits | None = None,
    quantities: Sequence[str] = (),
    units: Units = SI,
) -> Trajectory:
    """The motion of a text table: a time [s] and the joint values [rad or m] in each line.

    Numbers are separated by commas, semicolons, tabs or blanks. Empty lines and text after a # are ignored. A line of
    column names may stand at the top. A name may end with the unit of its column: ``elbow [deg]``.

    Args:
        source: a file's path, or lines of text (an open file, a pipe, standard input).
        interpolation: 'linear' or 'cubic'.
        limits: if the motion does not keep them, it is refused with joint and time.
        quantities: 'angle' or 'length' for each joint; by default, any unit of both may be named.
        units: of the joint values whose column names no unit.
    """
    if isinstance(source, (str, Path)):
        try:
            with open(source, encoding="utf-8") as file:
                return read_table(file, interpolation, limits, quantities, units)
        except (OSError, UnicodeDecodeError) as error:
            raise FileProblem(f"The table {str(source)!r} cannot be read: {error}.", path=str(source)) from error
    rows: list[list[float]] = []
    headings: list[str] = []
    for number, line in enumerate(source, start=1):
        cells = _cells(line)
        if not cells:
            continue
        try:
            row = [float(cell) for cell in cells]
        except ValueError as error:
            if not rows and not any(_is_number(cell) for cell in cells):
                headings = _cells(re.sub(r" +\[", _UNIT, line))
                continue
            raise InvalidValue(f"Line {number} of the table is not numbers: {line.strip()!r}.", line=number) from error
        if rows and len(row) != len(rows[0]):
            raise InvalidValue(
                f"Line {number} of the table has {len(row)} numbers, but those before it have {len(rows[0])}.",
                line=number,
            )
        rows.append(row)
    if len(rows) < 2 or len(rows[0]) < 2:
        raise InvalidValue(f"A table needs two or more lines with a time and joint values; found {len(rows)} lines.")
    table = np.array(rows) * _sizes(headings, len(rows[0]), quantities, units)
    return from_table(table[:, 0], table[:, 1:], interpolation, limits)


def _sizes(headings: list[str], columns: int, quantities: Sequence[str], units: Units) -> list[float]:
    """The SI value of one unit of each column."""
    kinds = ["time", *quantities] if len(quantities) == columns - 1 else ["time"] + ["number"] * (columns - 1)
    sizes = [units.size(kind, "") for kind in kinds]
    named = [heading.partition(_UNIT) for heading in headings]
    if not any(mark for _, mark, _ in named):
        return sizes
    if len(named) != columns:
        raise InvalidValue(f"The table has {counted(len(named), 'heading')}, but {columns} numbers in each line.")
    for place, (name, mark, rest) in enumerate(named):
        known, unit = _KNOWN[kinds[place]], rest.rstrip().removesuffix("]")
        if mark and unit not in known:
            raise InvalidValue(
                f"The heading '{name} [{unit}]' of the table names no unit of "
                f"{an('joint' if kinds[place] == 'number' else kinds[place])}; write {either(list(known))}.",
                unit=unit,
            )
        if mark:
            sizes[place] = known[unit]
    return sizes


def from_function(
    function: Callable[[float], ArrayLike],
    duration: float,
    *,
    tolerance: float = 1e-6,
    limits: Limits | None = None,
) -> Trajectory:
    """A function of time as a motion, fitted by cubic polynomials until it is within the tolerance.

    Args:
        function: joint values (n,) at a time [s] from 0 to ``duration``.
        duration: the duration of the motion [s].
        tolerance: the greatest distance of the motion from the function [rad or m].
        limits: if the motion does not keep them, it is refused with joint and time.
    """
    end = positive(duration, "A duration", "s")
    allowed = positive(tolerance, "A tolerance", "rad")
    n = joint_values(function(0.0), "The values of the function").shape[0]

    def at(times: Array) -> Array:
        return np.array([joint_values(function(float(t)), f"The values of the function at {t:g} s", n) for t in times])

    knots: Array = np.linspace(0.0, end, 9)
    values = at(knots)
    fractions = (np.arange(1, _CHECKS) / _CHECKS)[None, :]
    known: dict[tuple[float, float], Array] = {}
    while True:
        coefficients = clamped_spline(knots, values, *free_slopes(knots, values))
        steps = np.diff(knots)
        u = (steps[:, None] * fractions)[..., None]
        c = coefficients[:, None]
        fitted = c[:, :, 0] + u * (c[:, :, 1] + u * (c[:, :, 2] + u * c[:, :, 3]))
        spans = [(float(a), float(b)) for a, b in itertools.pairwise(knots)]
        for a, b in spans:
            if (a, b) not in known:
                known[a, b] = at(a + (b - a) * fractions[0])
        off = np.abs(fitted - np.array([known[span] for span in spans])).max(axis=(1, 2))
        poor = off > allowed
        if not poor.any():
            motion = Trajectory(knots, coefficients)
            return motion if limits is None else require(motion, limits, "The motion of the function")
        worst = int(off.argmax())
        if knots.shape[0] + int(poor.sum()) > _KNOTS or steps[worst] < 1e-9 * end:
            sharp = steps[worst] < 1e-6 * end
            why = "it jumps or bends there" if sharp else f"{_KNOTS} pieces are too few for it"
            advice = "cut the motion in two there" if sharp else "make it shorter"
            raise MotionError(
                f"The function cannot be followed within {allowed:.3g} at {knots[worst]:.6g} s, where it "
                f"is off by {off[worst]:.3g}: {why}; allow more, or {advice}.",
                time=float(knots[worst]),
                deviation=float(off[worst]),
            )
        middles = 0.5 * (knots[:-1] + knots[1:])[poor]
        found = np.array([known[span][_CHECKS // 2 - 1] for span, bad in zip(spans, poor, strict=True) if bad])
        order = np.argsort(np.concatenate([knots, middles]), kind="stable")
        knots, values = np.concatenate([knots, middles])[order], np.concatenate([values, found])[order]


def _cells(line: str) -> list[str]:
    text = line.split("#", 1)[0].strip()
    for mark in (";", "\t", ","):
        if mark in text:
            return [cell.strip() for cell in next(csv.reader([text], delimiter=mark)) if cell.strip()]
    return text.split()


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
