"""How two states of a cell differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from workcell.spatial.units import Units
from workcell.world.inventory import signals_of

if TYPE_CHECKING:
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState

_SAME = 1e-9
"""Joint values and poses that differ by less are equal [rad or m]: moves there and back leave such differences."""


def state_differences(snapshot: Snapshot, before: CellState, now: CellState, units: Units = Units()) -> tuple[str, ...]:
    """Return the names of what is elsewhere now, and of signals with their new values: ``Puma``, ``ready = 1``.

    What sensors read is left out, because it follows from the rest.
    """
    if now is before:
        return ()
    return (*_devices(before, now), *_parts(before, now), *_signals(snapshot, before, now, units))


def _devices(before: CellState, now: CellState) -> Iterator[str]:
    for name in sorted(before.joints.keys() & now.joints.keys()):
        then, found = before.joints[name], now.joints[name]
        if then.shape != found.shape or not np.allclose(then, found, rtol=0.0, atol=_SAME):  # or another robot
            yield name


def _parts(before: CellState, now: CellState) -> Iterator[str]:
    for name in sorted({*before.poses, *before.attached}):
        was, held = before.attached.get(name), now.attached.get(name)
        if (was and was.frame) != (held and held.frame):
            yield name  # it is carried by something else
            continue
        then = before.poses.get(name) if was is None else was.X_frame_body
        pose = now.poses.get(name) if held is None else held.X_frame_body
        if then is None or pose is None or then is pose:
            continue
        if not np.allclose(then.matrix, pose.matrix, rtol=0.0, atol=_SAME):
            yield name


def _signals(snapshot: Snapshot, before: CellState, now: CellState, units: Units) -> Iterator[str]:
    read = {sensor.name for sensor in snapshot.sensors}
    for name, value in sorted(signals_of(snapshot).items()):
        then, found = before.signals.get(name, value), now.signals.get(name, value)
        if name not in read and abs(found - then) > _SAME:
            quantity = snapshot.signal_quantities.get(name, "number")
            shown = f"{units.from_si(found, quantity):g} {units.default(quantity)}".rstrip()
            yield f"{name} = {shown}"
