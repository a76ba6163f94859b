"""The initial state of a cell, made from its present state."""

from __future__ import annotations

from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.world.database import Database
from workcell.world.entities import Entity
from workcell.world.foothold import stands
from workcell.world.on_faces import leave_standing
from workcell.world.parts_on_links import parts_on_links
from workcell.world.riding import rides, riding
from workcell.world.row_writer import Writer
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState


def begin_with(database: Database, rows: Writer, snapshot: Snapshot, state: CellState) -> None:
    """Make a state the initial state of a cell: joint values, poses, signals and parts on links; the clock is zero.

    Args:
        database: the database of the cell.
        rows: the writer of the edit.
        snapshot: the present cell.
        state: its present state.

    Raises:
        Refused: a part moves with something that is not possible in an initial state, such as a hand that holds it.
    """
    lying = parts_on_links(snapshot, state)
    carriers = {part: (_device(database, name), link) for part, (name, link) in lying.items()}
    for placed in snapshot.robots:
        entity = _device(database, placed.name)
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


def _device(database: Database, name: str) -> Entity:
    return database.find("robot", name) or database.entity("mechanism", name)
