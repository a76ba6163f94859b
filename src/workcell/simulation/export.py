"""Exports recordings as CSV, or as Parquet with pyarrow: joints, poses of parts, signals and carriers."""

from __future__ import annotations

import csv
import threading
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.cost import VALUES, go_on
from workcell.errors import FileProblem, InvalidValue, MissingDependency
from workcell.simulation.happenings import Signalled
from workcell.simulation.playback import body_poses
from workcell.simulation.recording import Recording
from workcell.spatial import quaternions
from workcell.spatial.units import SI, Units
from workcell.world.absence import is_absent
from workcell.world.inventory import signals_of
from workcell.world.snapshot import Snapshot
from workcell.world.state import Attachment

Column: TypeAlias = NDArray[np.float64] | list[str]
"""Numbers or names."""
_ROWS = 4000
"""How many rows are made at a time."""


def table(recording: Recording, step: float | None = None) -> tuple[list[str], NDArray[np.float64]]:
    """Return headings and rows: the time and every joint of every robot that moved.

    Args:
        recording: what happened.
        step: seconds between rows; by default, a row per sample.
    """
    found = _joints(recording, _times(recording, step))
    return list(found), np.column_stack(list(found.values()))


def columns(
    recording: Recording, snapshot: Snapshot, step: float | None = None, cancel: threading.Event | None = None
) -> dict[str, Column]:
    """Return columns by heading: times, joints, signals that changed, and the parts that moved.

    A part has its position ``PART.x`` … [m] and its rotation as the quaternion ``PART.qw`` … in the world. ``PART.on``
    names its carrier, if it has one. While a part is absent, it has no position (nan, an empty field in a .csv), and
    ``PART.on`` is "absent".

    Args:
        recording: what happened.
        snapshot: what exists.
        step: seconds between rows; by default, a row per sample and per instant of a change.
        cancel: set to stop.
    """
    times = _times(recording, step)
    if step is None:
        times = _apart(np.unique(np.concatenate([times, [change.time for change in recording.changes]])))
    found: dict[str, Column] = dict(_joints(recording, times))
    states = [recording.held(int(count)) for count in recording.changed_by(times)]
    begin, changed = signals_of(snapshot), {one.signal for one in recording.changes if isinstance(one, Signalled)}
    for signal in sorted(changed | {name for name, speed in snapshot.conveyor_signals.items() if speed}):
        found[signal] = np.array([state.signals.get(signal, begin.get(signal, 0.0)) for state in states])
    names = [body.name for body in snapshot.bodies]
    parts = {change.body for change in recording.changes if not isinstance(change, Signalled)} | set(recording.solids)
    parts |= set(recording.start.attached)
    shown = sorted(parts & set(names))
    VALUES.check(
        len(times) * (len(found) + 8 * len(shown)), f"{len(times)} rows of {len(found) + 8 * len(shown)} columns"
    )
    poses = _poses(snapshot, recording, times, [names.index(part) for part in shown], cancel)
    for place, part in enumerate(shown):
        X, gone = poses[:, place], [is_absent(state.attached.get(part)) for state in states]
        turns = quaternions.of_rotations(X[:, :3, :3])
        X[gone], turns[gone] = np.nan, np.nan
        for k, axis in enumerate("xyz"):
            found[f"{part}.{axis}"] = X[:, k, 3]
        for k, axis in enumerate("wxyz"):
            found[f"{part}.q{axis}"] = turns[:, k]
        found[f"{part}.on"] = [_carrier(state.attached.get(part)) for state in states]
    return found


def _carrier(held: Attachment | None) -> str:
    """Return the name of the carrier of an attached part, as it is written."""
    return "" if held is None else "absent" if is_absent(held) else held.frame


def _poses(
    snapshot: Snapshot,
    recording: Recording,
    times: NDArray[np.float64],
    bodies: list[int],
    cancel: threading.Event | None,
) -> NDArray[np.float64]:
    """Return the poses of some bodies (T, bodies, 4, 4). Rows are made in batches, to limit the memory."""
    parts = []
    for rows in np.array_split(times, len(times) // _ROWS + 1):
        go_on(cancel, "The export")
        parts.append(body_poses(snapshot, recording, rows)[:, bodies])
    return np.concatenate(parts)


def _joints(recording: Recording, times: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    wide = sum(rows.shape[1] for rows in recording.joints_at(times[:1]).values()) + 1
    VALUES.check(len(times) * wide, f"{len(times)} rows of {wide} columns")
    found = {"time": times}
    if recording.clock_marks:
        found["clock"] = recording.clock(times)
    for robot, rows in sorted(recording.joints_at(times).items()):
        found.update({f"{robot}.{joint + 1}": rows[:, joint] for joint in range(rows.shape[1])})
    return found


def _times(recording: Recording, step: float | None) -> NDArray[np.float64]:
    if step is None:
        times = recording.times
    else:
        if not (np.isfinite(step) and step > 0.0):
            raise InvalidValue(f"The time between rows must be more than zero; found {step}.")
        wanted = np.floor(recording.duration / step + 1e-9)
        VALUES.check(float(wanted), f"{recording.duration:g} s with a row every {step:g} s")
        count = int(wanted)
        times = np.unique(np.append(recording.start.time + step * np.arange(count + 1), recording.end))
    return _apart(times)


def _apart(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return times in order; of those that differ only by rounding, the last one."""
    return np.asarray(times[np.append(np.diff(times) > 1e-9, True)])


def save_table(
    recording: Recording,
    path: str | Path,
    step: float | None = None,
    snapshot: Snapshot | None = None,
    cancel: threading.Event | None = None,
    units: Units = SI,
) -> int:
    """Write :func:`columns`, or :func:`table` without a snapshot, as ``.csv`` or ``.parquet``; return the row count.

    With a snapshot, a ``.csv`` is in ``units``, and its headings name them: ``Puma.1 [deg]``. All else is in seconds,
    radians and metres.
    """
    target = Path(path)
    found: dict[str, Column] = {}
    if snapshot is None:
        found.update(_joints(recording, _times(recording, step)))
    else:
        found = columns(recording, snapshot, step, cancel)
    if target.suffix == ".csv":
        try:
            with open(target, "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                shown = found if snapshot is None else _in_units(found, snapshot, units)
                writer.writerow(shown)
                for first in range(0, len(found["time"]), _ROWS):
                    go_on(cancel, "The export")
                    some = (_texts(column[first : first + _ROWS]) for column in shown.values())
                    writer.writerows(zip(*some, strict=True))
        except OSError as error:
            raise FileProblem(f"Cannot write {path}: {error.strerror}.") from error
    elif target.suffix == ".parquet":
        try:
            arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        except ImportError as error:
            raise MissingDependency(
                "pyarrow is not installed; install it with `pip install pyarrow`, or write a .csv file."
            ) from error
        parquet.write_table(arrow.table(dict(found)), target)
    else:
        raise InvalidValue(f"A table is written as .csv or .parquet; found {target.name!r}.")
    return len(found["time"])


def _in_units(found: dict[str, Column], snapshot: Snapshot, units: Units) -> dict[str, Column]:
    """Return columns in these units, which their headings name; quaternions, names and plain signals have none."""
    kinds = {"time": "time", "clock": "time", **snapshot.signal_quantities}
    for placed in snapshot.robots:
        for joint, row in enumerate(placed.robot.rows, 1):
            kinds[f"{placed.name}.{joint}"] = "length" if row.prismatic else "angle"
    kinds.update({f"{body.name}.{axis}": "length" for body in snapshot.bodies for axis in "xyz"})
    shown: dict[str, Column] = {}
    for heading, column in found.items():
        kind = kinds.get(heading, "number")
        if kind == "number" or not isinstance(column, np.ndarray):
            shown[heading] = column
        else:
            shown[f"{heading} [{units.default(kind)}]"] = column / units.size(kind, "")
    return shown


def _texts(column: Column) -> list[str]:
    if not isinstance(column, np.ndarray):
        return column
    return ["" if np.isnan(value) else repr(value) for value in column.tolist()]
