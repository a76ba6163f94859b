"""Putting things into a scene, or moving them there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import Refused
from workcell.geometry.checks import coordinates
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.wording import quoted
from workcell.world.absence import STOCK, in_stock
from workcell.world.entities import Entity
from workcell.world.expand import Expander
from workcell.world.flatten import current_scene
from workcell.world.foothold import stands
from workcell.world.riding import rides, riding
from workcell.world.standing import Footing
from workcell.world.state_edits import forget_in_state

if TYPE_CHECKING:
    from workcell.world.editing import Editing

_DEVICES = ("robot", "mechanism")
_TOOLS = ("tool", "gripper")


def refuse_far(pose: Pose | Transform) -> None:
    """Refuse a place that is farther from the origin than the largest shape."""
    coordinates(pose.matrix[:3, 3], 3, "A place")


def put_in_scene(edit: Editing, thing: Entity, pose: Transform, scene: Entity | None = None) -> str:
    """Place something in the scene, or move it if it is there; a cell without a scene gets one. Return its name."""
    refuse_mounted(edit, thing)
    refuse_far(pose)
    database = edit.database
    if scene is None:
        name = current_scene(database)
        if not name:
            name = "main"
            database.add_entity(edit.rows, "scene", name)
        scene = database.entity("scene", name)
    for relation in database.pointers(thing):
        if relation.parent == scene.id:
            if stands(relation):
                footing = Footing(Expander(database), scene)
                if footing.base(relation) is not None:
                    pose = Transform.from_pose(Pose(footing.motion(relation, pose.matrix)))
            if rides(relation):
                database.set_properties(edit.rows, relation, riding(None))
            if in_stock(relation):
                database.set_properties(edit.rows, relation, {STOCK: None})
            database.set_transform(edit.rows, relation, pose)
            forget_in_state(database, edit.rows, [thing.name], ("poses", "attached"))
            return scene.name
    database.attach(edit.rows, scene, thing, database.free_relation_name(scene, thing.name), pose)
    return scene.name


def refuse_mounted(edit: Editing, thing: Entity) -> None:
    """Refuse to place a robot or tool in a scene while it is mounted: it would be there twice."""
    if thing.kind not in (*_DEVICES, *_TOOLS):
        return
    for relation in edit.database.pointers(thing):
        if relation.kind != "mount":
            continue
        carrier = edit.database.by_id(relation.parent)
        if thing.kind in _TOOLS:
            raise Refused(
                f"{thing.name} is on the flange of {carrier.name}; `take-off {quoted(carrier.name)}` first.",
                carrier=carrier.name,
            )
        raise Refused(
            f"{thing.name} is mounted on {carrier.name}; `unmount {quoted(thing.name)}` first, or "
            f"`mount {quoted(thing.name)} on {quoted(carrier.name)} at …` moves it there.",
            carrier=carrier.name,
        )
