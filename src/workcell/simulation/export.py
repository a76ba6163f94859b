"""Recordings for other programs: CSV, and Parquet where pyarrow is installed."""

from __future__ import annotations

import csv
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem, InvalidValue, MissingDependency
from workcell.simulation.recording import Recording


def table(recording: Recording, step: float | None = None) -> tuple[list[str], NDArray[np.float64]]:
    """Headings and rows: the time and every joint of every robot that moved.

    Args:
        recording: what happened.
        step: seconds between rows; the samples themselves when not given.
    """
    if step is None:
        times = recording.times
    else:
        if not (np.isfinite(step) and step > 0.0):
            raise InvalidValue(f"The time between rows must be more than zero; found {step}.")
        count = int(np.floor(recording.duration / step + 1e-9))
        times = np.unique(np.append(recording.start.time + step * np.arange(count + 1), recording.end))
    joints = recording.joints_at(times)
    headings = ["time"]
    columns = [times[:, None]]
    for robot in sorted(joints):
        headings += [f"{robot}.{joint + 1}" for joint in range(joints[robot].shape[1])]
        columns.append(joints[robot])
    return headings, np.hstack(columns)


def save_table(recording: Recording, path: str | Path, step: float | None = None) -> int:
    """Write :func:`table` as ``.csv`` or ``.parquet``, in seconds, radians and metres; returns the number of rows."""
    target = Path(path)
    headings, rows = table(recording, step)
    if target.suffix == ".csv":
        try:
            with open(target, "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(headings)
                writer.writerows([repr(value) for value in row] for row in rows.tolist())
        except OSError as error:
            raise FileProblem(f"Cannot write {path}: {error.strerror}.") from error
    elif target.suffix == ".parquet":
        try:
            arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        except ImportError as error:
            raise MissingDependency(
                "pyarrow is not installed; install it with `pip install pyarrow`, or write a .csv file."
            ) from error
        parquet.write_table(arrow.table(dict(zip(headings, rows.T, strict=True))), target)
    else:
        raise InvalidValue(f"A table is written as .csv or .parquet; found {target.name!r}.")
    return len(rows)
