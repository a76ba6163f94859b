"""The home of an object: where it was attached, or where the cell has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import Refused
from workcell.spatial.transform import Transform
from workcell.wording import quoted
from workcell.world.expand import Expander
from workcell.world.foothold import stands
from workcell.world.on_faces import base_called
from workcell.world.riding import rides
from workcell.world.standing import Footing
from workcell.world.state import Attachment, CellState
from workcell.world.state_edits import forget_in_state
from workcell.world.thing_poses import thing_pose

if TYPE_CHECKING:
    from workcell.world.editing import Editing
    from workcell.world.entities import Entity
    from workcell.world.snapshot import Snapshot


def send_home(edit: Editing, thing: Entity) -> str:
    """Put an object of the scene where its home is; return the answer.

    On a face that is where the faces meet, without turn and shift; otherwise its initial place.
    """
    database = edit.database
    snapshot, state = edit.seen()
    scene = database.find("scene", snapshot.scene)
    placing = [one for one in database.pointers(thing) if scene is not None and one.parent == scene.id]
    if not placing:
        raise Refused(f"{thing.name} stands in no scene, so it has no home; `place {quoted(thing.name)} at …` first.")
    before = thing_pose(snapshot, state, thing.name, "object")
    bodies = [body.name for body in snapshot.bodies if body.link < 0 and body.owner == thing.name]
    where = "at its initial place"
    for relation in placing:
        if stands(relation):
            footing = Footing(Expander(database, leniently=True), database.by_id(relation.parent))
            where = f"on {base_called(database, footing, relation)} as it was attached"
            database.set_transform(edit.rows, relation, Transform())
    forget_in_state(database, edit.rows, bodies, ("poses", "attached"))
    if any(rides(relation) for relation in placing):
        _ride_again(edit, snapshot, bodies)
    there = thing_pose(*edit.seen(), thing.name, "object")
    return f"{thing.name} {'was already' if there.is_close(before) else 'is'} {where}"


def _ride_again(edit: Editing, snapshot: Snapshot, bodies: list[str]) -> None:
    """Put bodies at their initial places in the world, on the links that carry them from the start."""
    text = edit.database.state_json()
    if not text:
        return
    state = CellState.from_json(text)
    held = {name: hold for name in bodies if (hold := snapshot.initial.attached.get(name)) is not None}
    again = {
        name: Attachment(
            hold.frame, snapshot.body_pose(state, hold.frame).inverse() @ snapshot.body_pose(snapshot.initial, name)
        )
        for name, hold in held.items()
    }
    edit.database.set_state(edit.rows, state.with_(attached={**state.attached, **again}).to_json())
