"""The sections of a snapshot, each with an identity of its own: a cache depends only on those that it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from workcell.spatial.pose import Pose
from workcell.world.identity import identity

if TYPE_CHECKING:
    from workcell.world.setup import Setup
    from workcell.world.snapshot import Snapshot

BODIES, ROBOTS, ZONES, PAIRS = "bodies", "robots", "zones", "pairs"
PLACES, GRASPS, PROGRAMS, SIGNALS, STATE = "places", "grasps", "programs", "signals", "state"
SENSORS = "sensors"
MACHINES = "machines"
STATIONS = "stations"
FAULTS = "faults"


def _poses(poses: Mapping[str, Pose]) -> tuple[bytes, bytes]:
    """Names and poses in few pieces, because there may be many."""
    names = sorted(poses)
    return msgspec.json.encode(names), b"".join([poses[name].matrix.tobytes() for name in names])


def _motion(setup: Setup) -> tuple[object, ...]:
    """How things move; a cell without a gap keeps the identity that it had before there were gaps."""
    return setup.mode, setup.step, setup.fall, *((setup.grasp_gap,) if setup.grasp_gap else ())


SECTIONS: Final[Mapping[str, Callable[[Snapshot], object]]] = {
    "scene": lambda snapshot: (snapshot.scene, snapshot.notes),
    BODIES: lambda snapshot: "".join([body.presence for body in snapshot.bodies]),
    "loads": lambda snapshot: (
        [
            (body.name, body.matter, body.ferromagnetic)
            for body in snapshot.bodies
            if body.matter is not None or body.ferromagnetic is not None
        ],
        [(placed.name, placed.tool) for placed in snapshot.robots if placed.tool is not None],
    ),
    ROBOTS: lambda snapshot: [
        (placed.name, placed.robot, placed.parent, placed.parent_link, placed.X_parent_base)
        for placed in snapshot.robots
    ],
    "robot set-up": lambda snapshot: [
        (placed.name, placed.speed, placed.profile, placed.branch, placed.runs, placed.lacks, placed.held_tool)
        for placed in snapshot.robots
    ],
    STATE: lambda snapshot: (
        snapshot.initial.time, snapshot.initial.joints, _poses(snapshot.initial.poses), snapshot.initial.attached,
    ),
    SIGNALS: lambda snapshot: snapshot.initial.signals,
    PLACES: lambda snapshot: snapshot.places,
    GRASPS: lambda snapshot: snapshot.grasps,
    ZONES: lambda snapshot: snapshot.zones,
    SENSORS: lambda snapshot: snapshot.sensors,
    MACHINES: lambda snapshot: snapshot.machines,
    STATIONS: lambda snapshot: snapshot.stations,
    FAULTS: lambda snapshot: snapshot.faults,
    "motion": lambda snapshot: _motion(snapshot.setup),
    "watch": lambda snapshot: snapshot.setup.watch,
    PAIRS: lambda snapshot: snapshot.setup.pairs,
    PROGRAMS: lambda snapshot: snapshot.setup.programs,
}  # fmt: skip
"""The content of each section. Everything that exists is in exactly one of them; the revision is in none."""
READS: Final[Mapping[str, tuple[str, ...]]] = {
    "scene": ("scene", "notes"), "loads": ("bodies", "robots"), "robot set-up": ("robots",), STATE: ("initial",),
    SIGNALS: ("initial",), "motion": ("setup",), "watch": ("setup",), PAIRS: ("setup",), PROGRAMS: ("setup",),
    **{name: (name,) for name in (BODIES, ROBOTS, PLACES, GRASPS, ZONES, SENSORS, MACHINES, STATIONS, FAULTS)},
}  # fmt: skip
"""The fields of a snapshot that each section is made from."""


class Sections(Mapping[str, str]):
    """The identity of every section of a snapshot by its name, computed on first use."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._known: dict[str, str] = {}
        self._joined: dict[tuple[str, ...], str] = {}

    def __getitem__(self, name: str) -> str:
        if name not in self._known:
            self._known[name] = identity(SECTIONS[name](self._snapshot))
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(SECTIONS)

    def __len__(self) -> int:
        return len(SECTIONS)

    def adopt(self, known: Sections) -> None:
        """Take over the known identities of the sections that two snapshots share."""
        mine, theirs = self._snapshot, known._snapshot
        for name, found in known._known.items():
            if all(getattr(mine, field) is getattr(theirs, field) for field in READS[name]):
                self._known[name] = found

    def together(self, *names: str) -> str:
        """The identity of some sections together, on which a cache that reads only these depends."""
        if names not in self._joined:
            self._joined[names] = identity([(name, self[name]) for name in names])
        return self._joined[names]
