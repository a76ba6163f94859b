"""The command remove: what it removes, what goes with that, and what stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.references import Ref, relation_text
from workcell.commands.language.registry import command
from workcell.commands.model import take_out
from workcell.commands.program_names import programs_naming
from workcell.commands.results import Done
from workcell.errors import PointedTo, Refused
from workcell.simulation.holding import refuse_tool_in_use
from workcell.spatial.transform import Transform
from workcell.wording import counted, quoted
from workcell.world.entities import Entity, Relation
from workcell.world.gripper_names import gripper_signal, opening_signal
from workcell.world.hanging import hung_on, is_hung, listed, take_down
from workcell.world.on_faces import leave_standing, standing_on
from workcell.world.places import KINDS as PLACES
from workcell.world.placing import put_in_scene
from workcell.world.state_edits import forget_in_state, leave_in_state

if TYPE_CHECKING:
    from workcell.commands.session import Session

_MOST_USERS = 3
"""How many users of a part the answer names."""


class Removed(Done, frozen=True):
    """What was removed, and what stayed and why."""

    removed: tuple[str, ...] = ()
    stayed: tuple[str, ...] = ()


@command(
    "remove {entity} [with {others}]* [--deep] [--keep-children]",
    help="remove entities that nothing uses",
    effect="edits",
    entity=Ref(),
    others=Ref(),
    param_help={
        "entity": "what to remove",
        "others": "what to remove with it; if one of them cannot be removed, none is",
        "deep": "take it out of its scenes, and remove its parts that nothing else uses and the targets, frames and "
        "paths that hang on it",
        "keep_children": "take it out of its scenes; what stands or hangs on it stays where it is in the world",
    },
    examples=[
        "> create block cube1",
        "remove block cube1",
        "> add solid table box 800 600 40",
        "> add solid lamp cylinder 50 200",
        "> face attach lamp bottom to table top",
        "remove table --keep-children",
        "> create robot Puma puma560",
        "> create tool torch",
        "> fit tool torch to Puma tcp 0,0,120",
        "remove Puma --deep",
        "> add solid left box 100 100 100",
        "> add solid right box 100 100 100 at 300,0,0",
        "remove left with right --deep",
    ],
)
def remove(
    session: Session,
    entity: Entity,
    others: list[Entity] | None = None,
    deep: bool = False,
    keep_children: bool = False,
) -> Removed:
    """This is refused while something else uses the entity, unless a flag says what to do.

    What is mounted on it stays: tools and grippers can be fitted to other robots, and robots stay where they stand.
    """
    database = session.database
    answers: list[Removed] = []
    for one in _users_first(session, {thing.id: thing for thing in (entity, *(others or []))}):
        if database.find(one.kind, one.name) is not None:  # it may have gone with another one
            answers.append(_removed(session, one, deep, keep_children))
    removed = tuple(name for one in answers for name in one.removed)
    gone = tuple(f"{name} stays " for name in removed)  # with another one, after that
    stayed = tuple(note for one in answers for note in one.stayed if not note.startswith(gone))
    return Removed("; ".join([f"{', '.join(removed)} removed", *stayed]), removed, stayed)


def _users_first(session: Session, things: dict[int, Entity]) -> list[Entity]:
    """Return things in an order in which all that uses or stands on a thing is before it, as a path and its targets."""
    if len(things) < 2:
        return list(things.values())
    ordered: dict[int, Entity] = {}

    def visit(thing: Entity, under: frozenset[int]) -> None:
        pointers = session.database.pointers(thing)
        standing = standing_on(session.database, pointers) if thing.kind == "object" else []
        for user in [*(one.parent for one in pointers), *(one.child for one in standing)]:
            if user in things and user not in under:
                visit(things[user], under | {user})
        ordered.setdefault(thing.id, thing)

    for thing in things.values():
        visit(thing, frozenset({thing.id}))
    return list(ordered.values())


def _removed(session: Session, entity: Entity, deep: bool, keep_children: bool) -> Removed:
    """Remove one entity."""
    database = session.database
    leave_in_state(session.database, session.rows, session.snapshot(), session.state, {entity.name})
    bodies = _bodies_of(session, entity)
    named = programs_naming(session, entity)
    kept = [f"{name} stays where it stood" for name in (_keep_children(session, entity) if keep_children else [])]
    hung = hung_on(session, entity)
    if entity.kind == "sensor":
        for relation in database.pointers(entity):  # it is in one place only, and goes from there
            database.detach(session.rows, relation)
    if deep:
        kept += _unmounted(session, entity)
        refuse_tool_in_use(session, entity)
        for relation in database.pointers(entity):
            if relation.kind == "mount" or _places(session, entity, relation):
                take_out(session, relation)
    parts = [database.by_id(n) for n in dict.fromkeys(r.child for r in database.relations(entity))]
    carried = [part.name for part in parts if part.kind == "sensor"]
    if carried and not deep and not database.pointed_by(entity):
        raise Refused(
            f"{entity.kind} {entity.name!r} carries sensor {carried[0]!r}. `remove {entity.reference} --deep` "
            f"removes both; `place {quoted(carried[0])} at …` first keeps the sensor.",
            sensors=tuple(carried),
        )
    if hung and not deep and not keep_children and not database.pointed_by(entity):
        raise Refused(
            f"{entity.kind} {entity.name!r} carries {listed(hung)}. `remove {entity.reference} --deep` removes them "
            "too; with --keep-children they stay where they are in the world.",
            places=tuple(place.reference for place in hung),
        )
    try:
        database.remove(session.rows, entity)
    except PointedTo as error:
        uses = [r for r in database.pointers(entity) if _places(session, entity, r)]
        if not uses or len(uses) < database.pointed_by(entity):
            raise
        places = "; ".join(f"`detach {relation_text(session, one)}`" for one in uses)
        carriers = [one for one in (database.by_id(r.parent) for r in uses) if one.kind != "scene"]
        scenes = "stands in a scene" if len(uses) == 1 else f"stands in {counted(len(uses), 'scene')}"
        where = f"hangs on {carriers[0].kind} {carriers[0].name!r}" if carriers else scenes
        raise PointedTo(
            f"{entity.kind} {entity.name!r} {where}. `remove {entity.reference} --deep` takes it out and removes "
            f"its parts too; {places} only takes it out.",
            **error.evidence,
        ) from error
    _forget(session, entity, bodies)
    removed = [f"{entity.kind} {entity.name!r}"]
    gone: set[int] = set()  # a part at two depths is listed twice
    shared: dict[int, Entity] = {}
    while deep and parts:
        part = parts.pop(0)
        if part.id in gone:
            continue
        if database.pointed_by(part) > 0:
            shared[part.id] = part
            continue
        gone.add(part.id)
        shared.pop(part.id, None)
        parts += [database.by_id(n) for n in dict.fromkeys(r.child for r in database.relations(part))]
        kept += _unmounted(session, part)
        named += programs_naming(session, part) if part.kind in PLACES else []
        database.remove(session.rows, part)
        removed.append(f"{part.kind} {part.name!r}")
    alone = [part for part in parts if entity.kind == "path" and not deep and database.pointed_by(part) == 0]
    if alone:
        kept.append(f"{listed(alone)} stay, but are in no place now; `remove … --deep` removes a path with its targets")
    for part in shared.values():
        users = ", ".join(database.relation_path(one) for one in database.pointers(part)[:_MOST_USERS])
        kept.append(f"{part.kind} {part.name!r} stays because {users} uses it")
    kept += named
    return Removed("; ".join([f"{', '.join(removed)} removed", *kept]), tuple(removed), tuple(kept))


def _places(session: Session, entity: Entity, relation: Relation) -> bool:
    """Whether a relation only places an entity: in a scene, or on the thing that it hangs on."""
    parent = session.database.by_id(relation.parent)
    return parent.kind == "scene" or is_hung(entity, parent)


def _bodies_of(session: Session, entity: Entity) -> list[str]:
    """Return the names under which the state holds an object or robot; none if there is no state."""
    if entity.kind not in ("object", "robot", "mechanism") or not session.database.state_json():
        return []
    return [entity.name, *(body.name for body in session.snapshot().bodies if body.owner == entity.name)]


def _forget(session: Session, entity: Entity, bodies: list[str]) -> None:
    """Remove an entity from the state, so that a new thing of that name begins as the cell describes it."""
    if entity.kind == "signal":
        forget_in_state(session.database, session.rows, [entity.name], ["signals"])
    elif bodies:
        forget_in_state(session.database, session.rows, bodies)
        forget_in_state(
            session.database, session.rows, [gripper_signal(entity.name), opening_signal(entity.name)], ["signals"]
        )


def _unmounted(session: Session, entity: Entity) -> list[str]:
    """Take everything off a robot and its links, and report it; a robot that was mounted stays where it stands now."""
    database, remarks = session.database, []
    mounts = [relation for relation in database.relations(entity) if relation.kind == "mount"]
    placed = {one.name for one in session.snapshot().robots} if mounts else set()
    for relation in mounts:
        part = database.by_id(relation.child)
        here = session.snapshot().base_pose(session.state, part.name) if part.name in placed else None
        database.detach(session.rows, relation)
        if here is not None:
            put_in_scene(session, part, Transform.from_pose(here))
        where = "where it stands" if here is not None else "and can be fitted to another robot"
        remarks.append(f"{part.kind} {part.name!r} stays {where}")
    return remarks


def _keep_children(session: Session, entity: Entity) -> list[str]:
    """Take an entity out of its scenes; what stands or hangs on it stays where it is. Return those names."""
    database = session.database
    kept = []
    for place, pose in take_down(session, hung_on(session, entity)):
        put_in_scene(session, place, pose)
        kept.append(place.name)
    for relation in database.pointers(entity):
        scene = database.by_id(relation.parent)
        if scene.kind != "scene":
            continue
        for child in standing_on(session.database, [relation]):
            leave_standing(session.database, session.rows, scene, child)
            kept.append(database.called(child))
        database.detach(session.rows, relation)
    return kept
