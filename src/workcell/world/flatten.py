"""Flattening a cell: from its database to snapshots that share everything that no edit touched."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workcell.world.body import Body
from workcell.world.database import Database
from workcell.world.entities import Entity
from workcell.world.expand import Expander
from workcell.world.fault_places import FaultPlace, fault_places
from workcell.world.grasps import Grasps, GraspsReading
from workcell.world.identity import same, shared
from workcell.world.kinds import SIGNALLING
from workcell.world.machine_places import MachinePlace, machine_places
from workcell.world.place_reading import Labels, PlacesReading
from workcell.world.renaming import Called, Names
from workcell.world.row_change import RowChange
from workcell.world.rows import Rows
from workcell.world.scene_items import Ground
from workcell.world.scene_walk import SceneWalk
from workcell.world.sensor_places import SensorPlace, sensor_places
from workcell.world.setup import Setup, StoredProgram, programs_in, setup_of
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState
from workcell.world.station_places import StationPlace, station_places
from workcell.world.zone_places import ZonePlace, placed_zones, zone_places


def profile_of(database: Database) -> str:
    """The profile of robots without one of their own; cells older than this setting move at constant speed."""
    return database.setting("profile") or "linear"


def current_scene(database: Database) -> str:
    """The scene that is shown and simulated: the chosen one, otherwise the first, otherwise none."""
    chosen = database.setting("scene")
    if chosen and database.find("scene", chosen):
        return chosen
    scenes = database.entities("scene")
    return scenes[0].name if scenes else ""


def snapshot_of(database: Database, scene: str | None = None, undone: Iterable[RowChange] = ()) -> Snapshot:
    """A scene of the database, flattened; by default the one that is shown. The same as from scratch, but faster.

    If changes are ``undone``, last first, the snapshot is that before them.
    """
    before = list(undone)
    if before:
        return Flattener(database).before(before, scene)
    if database.flattener is None:
        database.flattener = Flattener(database)
    return database.flattener.snapshot(scene)


@dataclass
class _Kept:
    """The data of one scene: the last snapshot, and the inputs of its parts."""

    walk: SceneWalk
    ground: Ground | None = None
    stamp: object = None
    places: PlacesReading | None = None
    grasps: GraspsReading | None = None
    held: tuple[GraspsReading, tuple[Body, ...]] | None = None
    last: Snapshot | None = None
    labels: Labels = field(default_factory=lambda: Labels(()))
    zones: tuple[Called, ...] = ()


class Flattener:
    """Makes successive snapshots of a database.

    It keeps the rows in memory and reads those again that the journal names as written. Bodies, robots and whole
    sections that no edit touched are the same objects in the next snapshot.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.RLock()
        self._rows: Rows | None = None

    def snapshot(self, scene: str | None = None) -> Snapshot:
        """A scene, flattened; by default the one that is shown."""
        with self._lock:
            return self._made(self._follow(), scene)

    def before(self, undone: Iterable[RowChange], scene: str | None = None) -> Snapshot:
        """A scene as it was before changes, given last first; nothing of it is kept."""
        rows = Rows.read(self._database)
        for change in undone:
            rows.undo(change)
        self._begin(rows)
        return self._made(rows, scene)

    def _made(self, rows: Rows, scene: str | None) -> Snapshot:
        name = current_scene(self._database) if scene is None else scene
        setup = self._setup(rows)
        if not name:
            initial, places = CellState(signals=self._signals(rows)), PlacesReading(rows, 0, Labels(())).places
            revision, names = (
                self._database.world_revision,
                Names(signals=self._signal_names(rows), programs=_program_names(rows)),
            )
            sensors = sensor_places(rows, 0, (), {}, Labels(()), places)
            machines, stations = machine_places(rows, {}), station_places(rows, {}, Labels(()))
            faults = fault_places(rows, {}, {}, {one.name for one in sensors})
            snapshot = Snapshot(
                revision,
                "",
                (),
                (),
                initial,
                places=places,
                setup=setup,
                sensors=sensors,
                machines=machines,
                stations=stations,
                faults=faults,
            )
            return snapshot.called(names)
        return self._flatten(rows, self._database.entity("scene", name), setup)

    def _begin(self, rows: Rows) -> None:
        """Start with these rows only."""
        self._expander = Expander(self._database, leniently=True, rows=rows)
        self._strict = Expander(self._database, rows=rows)
        self._scenes: dict[int, _Kept] = {}
        self._known_programs: tuple[int, tuple[StoredProgram, ...]] = -1, ()
        self._known_signals: tuple[int, Mapping[str, float]] = -1, {}
        self._last_setup = Setup()

    def _follow(self) -> Rows:
        """The rows that are visible now."""
        journal, unsettled = self._database.history, self._database.unsettled
        rows, self._rows = self._rows, None  # so that everything is read again after a failure
        if rows is None or journal.touched is None:
            journal.touched = set()
            rows = Rows.read(self._database)
            self._begin(rows)
        else:
            journal.touch(unsettled)
            touched, journal.touched = journal.touched, set()
            changed = rows.update(self._database, touched)
            self._expander.forget(changed.entities)
            self._strict.forget(changed.entities)
            for number, kept in self._scenes.items():
                kept.walk.touch(number, changed)
            for gone in changed.entities & self._scenes.keys() - rows.entities.keys():
                del self._scenes[gone]
        journal.touch(unsettled)  # these may be rolled back
        self._rows = rows
        return rows

    def _setup(self, rows: Rows) -> Setup:
        stamp = rows.kind_stamp("program")
        if self._known_programs[0] != stamp:
            self._known_programs = stamp, programs_in(rows)
        found = setup_of(self._database, self._known_programs[1])
        if found != self._last_setup:
            self._last_setup = found
        return self._last_setup

    def _signals(self, rows: Rows) -> Mapping[str, float]:
        stamp = rows.kind_stamp("signal")
        if self._known_signals[0] != stamp:
            found = {one.name: float(one.properties.get("value", 0.0)) for one in rows.of_kind("signal")}
            self._known_signals = stamp, found
        return self._known_signals[1]

    def _signal_names(self, rows: Rows) -> Mapping[int, str]:
        return {one.id: one.name for kind in SIGNALLING for one in rows.of_kind(kind)}

    def _called_zones(self, scene: Entity) -> tuple[Called, ...]:
        placed = placed_zones(self._strict, scene)
        return tuple(Called(relation.id, part.id, label) for label, relation, part in placed)

    def _flatten(self, rows: Rows, scene: Entity, setup: Setup) -> Snapshot:
        kept = self._scenes.get(scene.id)
        if kept is None:
            kept = self._scenes[scene.id] = _Kept(SceneWalk(self._database, rows, self._expander))
        profile = profile_of(self._database)
        stamp = (rows.stamp(scene.id), rows.kind_stamp("colour", "material"), profile)
        before, last, labels = kept.ground, kept.last, kept.labels
        if before is not None and last is not None and kept.stamp == stamp:
            ground, zones = before, last.zones
        else:
            ground = kept.walk.ground(scene, profile)
            zones = self._zones(scene, last) if rows.of_kind("zone") else ()
            kept.zones = self._called_zones(scene) if zones else ()
            if before is None or ground.bodies is not before.bodies or ground.robots is not before.robots:
                labels = Labels(ground.bodies, ground.robots)
        if kept.places is None or not kept.places.holds(scene.id, labels):
            kept.places = PlacesReading(rows, scene.id, labels)
        initial, signals = ground.initial, self._signals(rows)
        if last is not None and before is not None and initial is before.initial and last.initial.signals == signals:
            initial = last.initial
        else:
            initial = initial.with_(signals=signals)
        snapshot = Snapshot(
            self._database.world_revision, scene.name, ground.bodies, ground.robots, initial, ground.notes,
            kept.places.places, self._grasps(rows, kept, ground), zones, setup,
            self._sensors(rows, scene, kept, ground, labels), self._machines(rows, kept, ground),
            self._stations(rows, kept, ground, labels),
            self._faults(rows, kept, ground, labels),
        )  # fmt: skip
        kept.stamp, kept.ground, kept.labels, kept.last = stamp, ground, labels, snapshot
        named = [one for kind in ("machine", "station") for one in _called_entities(rows, kind)]
        things, others = kept.walk.called(), (*kept.zones, *named)
        called = self._signal_names(rows), _program_names(rows)
        snapshot.called(Names(lambda labels=None: (*things(labels), *others), *called))
        return snapshot if last is None else snapshot.after(last)

    def _grasps(self, rows: Rows, kept: _Kept, ground: Ground) -> Grasps:
        if kept.grasps is None or not kept.grasps.holds():
            kept.grasps = GraspsReading(rows)
        made_from = kept.grasps, ground.bodies
        if kept.last is not None and kept.held is not None and same(kept.held, made_from):
            return kept.last.grasps
        kept.held = made_from
        found = kept.grasps.of(ground.bodies)
        return kept.last.grasps if kept.last is not None and kept.last.grasps == found else found

    def _sensors(
        self, rows: Rows, scene: Entity, kept: _Kept, ground: Ground, labels: Labels
    ) -> tuple[SensorPlace, ...]:
        if not rows.of_kind("sensor"):
            return ()
        assert kept.places is not None
        joints = {placed.name: placed.robot.n for placed in ground.robots}
        found = sensor_places(rows, scene.id, ground.bodies, joints, labels, kept.places.places)
        last = kept.last.sensors if kept.last is not None else ()
        known = {sensor.name: sensor for sensor in last}
        found = tuple(shared(sensor, known.get(sensor.name)) for sensor in found)
        return last if same(found, last) else found

    def _machines(self, rows: Rows, kept: _Kept, ground: Ground) -> tuple[MachinePlace, ...]:
        if not rows.of_kind("machine"):
            return ()
        found = machine_places(rows, {placed.name: placed.robot for placed in ground.robots})
        last = kept.last.machines if kept.last is not None else ()
        return last if found == last else found

    def _stations(self, rows: Rows, kept: _Kept, ground: Ground, labels: Labels) -> tuple[StationPlace, ...]:
        if not rows.of_kind("station"):
            return ()
        found = station_places(rows, {placed.name: placed.robot for placed in ground.robots}, labels)
        last = kept.last.stations if kept.last is not None else ()
        return last if found == last else found

    def _faults(self, rows: Rows, kept: _Kept, ground: Ground, labels: Labels) -> tuple[FaultPlace, ...]:
        if not rows.of_kind("fault"):
            return ()
        joints = {placed.name: placed.robot.n for placed in ground.robots}
        owners = {body.owner: "" for body in ground.bodies if body.link < 0}
        bodies = {owner: labels.get(owner) or owner for owner in owners}
        found = fault_places(rows, bodies, joints, {one.name for one in rows.of_kind("sensor")})
        last = kept.last.faults if kept.last is not None else ()
        known = {fault.name: fault for fault in last}
        found = tuple(shared(fault, known.get(fault.name)) for fault in found)
        return last if same(found, last) else found

    def _zones(self, scene: Entity, last: Snapshot | None) -> tuple[ZonePlace, ...]:
        known = {zone.name: zone for zone in last.zones} if last is not None else {}
        found = tuple(shared(zone, known.get(zone.name)) for zone in zone_places(self._strict, scene))
        return last.zones if last is not None and same(found, last.zones) else found


def _program_names(rows: Rows) -> Mapping[int, str]:
    return {one.id: one.name for one in rows.of_kind("program")}


def _called_entities(rows: Rows, kind: str) -> tuple[Called, ...]:
    return tuple(Called((kind, one.id), one.id, one.name) for one in rows.of_kind(kind))
