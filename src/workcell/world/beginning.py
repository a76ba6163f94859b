"""The state that a cell begins with: made from the one that it is in."""

from __future__ import annotations

from workcell.errors import Refused
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.world.database import Database
from workcell.world.entities import Entity
from workcell.world.journal import Writer
from workcell.world.on_faces import leave_standing
from workcell.world.riding import rides, riding
from workcell.world.snapshot import Snapshot
from workcell.world.standing import stands
from workcell.world.state import CellState


def begin_with(database: Database, rows: Writer, snapshot: Snapshot, state: CellState) -> None:
    """Let a cell begin with a state: its joint values, poses, signals and what rides on mechanisms; the clock at zero.

    Args:
        database: of the cell.
        rows: where the edit writes.
        snapshot: the cell as it is now.
        state: the present state of that.

    Raises:
        Refused: a robot holds a part, which a cell cannot begin with.
    """
    carriers = _carriers(database, snapshot, state)
    for placed in snapshot.robots:
        entity = database.find("robot", placed.name) or database.entity("mechanism", placed.name)
        database.set_properties(rows, entity, {"joints": state.joints[placed.name].tolist()})
    places = dict(zip((body.name for body in snapshot.bodies), snapshot.body_poses(state), strict=True))
    scene = database.entity("scene", snapshot.scene) if snapshot.scene else None
    for relation in database.relations(scene) if scene else []:
        name = database.by_id(relation.child).name
        pose = Pose(places[name]) if name in carriers else state.poses.get(name)
        if pose is None or (name not in carriers and pose == snapshot.initial.poses.get(name)):
            continue
        if scene is not None and stands(relation):
            leave_standing(database, rows, scene, relation)
        if name in carriers or rides(relation):
            database.set_properties(rows, relation, riding(*carriers.get(name, (None, 0))))
        database.set_transform(rows, relation, Transform.from_pose(pose))
    for name, value in state.signals.items():
        signal = database.find("signal", name)
        if signal is not None and value != float(signal.properties.get("value", 0.0)):
            database.set_properties(rows, signal, {"value": value})
    database.set_state(rows, "")


def _carriers(database: Database, snapshot: Snapshot, state: CellState) -> dict[str, tuple[Entity, int]]:
    """The mechanism and its link under each part that rides on one."""
    carriers: dict[str, tuple[Entity, int]] = {}
    for part, held in sorted(state.attached.items()):
        carrier = snapshot.body(held.frame)
        mechanism = database.find("mechanism", carrier.owner)
        if carrier.link > 0 and mechanism is not None:
            carriers[part] = (mechanism, carrier.link)
        elif held != snapshot.initial.attached.get(part):
            raise Refused(f"{carrier.owner} holds {part}, which a cell cannot begin with; let it go first.", part=part)
    return carriers
