"""The command replace robot: place, tool, programs and targets stay; the answer lists what no longer fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from workcell.commands.given_robots import fit_own_tool, given_robot, turn_fitted_tool
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.results import Done, Table
from workcell.commands.robot_uses import OUT_OF_REACH, RECORDING, Checked, Uses, joints_problem, slides_of
from workcell.commands.robots import Model
from workcell.errors import Refused, WorkcellError
from workcell.robots.robot import Robot
from workcell.spatial.units import Units
from workcell.wording import counted, quoted
from workcell.world.entities import Entity, Relation
from workcell.world.flatten import snapshot_of
from workcell.world.places import KINDS as PLACES
from workcell.world.robot_shape import is_robot, robot_of, robot_shape

if TYPE_CHECKING:
    from workcell.commands.session import Session

_SHOWN = 40
_NAMED = 5


class Replaced(Done, frozen=True):
    """A replaced robot: the new and the old model, what was checked, and how many of these things no longer fit.

    ``run_dependent`` names the programs with moves that can only be judged in a run. Collisions are not checked.
    """

    robot: str = ""
    model: str = ""
    was: str = ""
    checked: tuple[Checked, ...] = ()
    misfits: int = 0
    run_dependent: tuple[str, ...] = ()


class ModelOrRobot(Model):
    """A robot of the library by name, or another robot of the cell as ``robot:NAME``."""

    label = "MODEL|robot:NAME"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read a name of the library or, if it has none of that name, of a robot of the cell."""
        token = tokens.peek()
        if token is not None:
            kind, colon, _ = token.text.partition(":")
            named = session.database.find("robot", unquote(token.text))
            if (colon and kind == "robot") or (named is not None and not _in_library(unquote(token.text))):
                return Ref("robot").parse(tokens, session, seen)
        return super().parse(tokens, session, seen)

    def text(self, value: Any) -> str:
        """A robot of the cell with its kind."""
        return str(value.reference) if isinstance(value, Entity) else super().text(value)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """The name of a robot of the cell, or of a model."""
        return quoted(value.name) if isinstance(value, Entity) else super().shown(value, units, given)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The robots of the library and those of the cell."""
        cell = Ref("robot").complete(prefix, session, seen) if prefix.startswith("robot:") else ()
        return [*super().complete(prefix, session, seen), *cell]


def _in_library(name: str) -> bool:
    from workcell.robots.catalogue import library_name

    try:
        return bool(library_name(name))
    except WorkcellError:
        return False


@command(
    "replace robot {robot} with {model}",
    help="replace a robot by another arm, and list the targets, moves, pairs and loads that no longer fit",
    effect="edits",
    robot=Ref("robot"),
    model=ModelOrRobot(),
    param_help={"model": "a robot of the library; or `robot:NAME`, to use the arm of another robot of the cell"},
    examples=[
        "> create robot Puma puma560",
        "> add target T1 600,-150,700 euler fanuc_wpr 180,0,180",
        "replace robot Puma with kr16",
        "> create robot Other ur5e at 2000,0,0",
        "replace robot Puma with robot:Other",
    ],
)
def replace_robot(session: Session, robot: Entity, model: str | Robot | Entity) -> Replaced:
    """Name, base, mounts, fitted tool and colour stay, and so do programs, targets, pairs, zones and views.

    Joint values stay if they fit. A hand that belongs to the old arm goes with it. A fitted tool stays and points out
    of the new arm. If no tool is fitted, the tool of a robot made in Python is fitted.
    """
    if not is_robot(robot):
        raise Refused(f"Robot {robot.name!r} is not finished; `finish robot` first.")
    old, was = robot_of(robot), str(robot.properties.get("model", ""))
    shape, new, like = _new_arm(session, robot, model)
    uses = Uses(session, robot)
    found = [*_relink(session, robot, new, like)]
    turn_fitted_tool(session, robot, old, new)
    session.rows.update("entity", robot.id, shape=shape)
    name = str(like.properties.get("model") or new.name) if like is not None else new.name
    found += _describe(session, session.database.entity("robot", robot.name), old, new, name, like)
    fit_own_tool(session, session.database.entity("robot", robot.name), new)
    found += uses.after(snapshot_of(session.database))
    found = _forget_learned(session, robot, found) if old.rows != new.rows else found
    session.ongoing.forget_shown(robot.name)
    order = {kind: place for place, kind in enumerate(("target", "program"))}
    found.sort(key=lambda one: (one.fits, order.get(one.kind, 2)))
    misfits = sum(not one.fits for one in found if one.kind != RECORDING)
    text = _text(robot.name, was, name, found, misfits, uses.run_dependent)
    return Replaced(text, robot.name, name, was, tuple(found), misfits, uses.run_dependent)


def _new_arm(session: Session, robot: Entity, model: str | Robot | Entity) -> tuple[str, Robot, Entity | None]:
    """Return the shape to store, the arm and, if it was taken from a robot of the cell, that robot."""
    if isinstance(model, Entity):
        if model.id == robot.id:
            raise Refused(f"{robot.name} cannot be replaced by itself; name another robot or a model of the library.")
        arm = robot_of(model)
        assert model.shape is not None, "robot_of looked"
        return model.shape, arm, model
    text, arm = given_robot(session, model)
    return robot_shape(text), arm, None


# ---- what belongs to the arm ---------------------------------------------------------------------------------


def _relink(session: Session, robot: Entity, new: Robot, like: Entity | None) -> Iterator[Checked]:
    """Replace the solids of the links by those of the robot to copy, if any, and move mounts to the new links."""
    database, old = session.database, robot_of(robot)
    imported = robot.properties.get("shapes") == "assigned"
    for relation in database.relations(robot):
        part = database.by_id(relation.child)
        if relation.kind == "link":
            database.detach(session.rows, relation)
            if imported and database.pointed_by(part) == 0 and part.kind == "block":
                database.remove(session.rows, part)
            elif not imported:
                link = int(relation.properties.get("link", 0))
                why = "it was the shape of a link of the old arm; it is still in the cell, for `assign link`"
                yield Checked("link", f"{part.kind} {part.name}", False, f"link {link}", "", why)
        elif is_robot(part) or part.kind in ("sensor", *PLACES):
            yield from _moved_mount(session, relation, part, old.n, new.n)
    for relation in database.relations(like) if like is not None else ():
        if relation.kind == "link":
            solid, name = database.by_id(relation.child), database.free_relation_name(robot, relation.name)
            database.attach(session.rows, robot, solid, name, relation.transform, relation.properties)


def _moved_mount(session: Session, relation: Relation, part: Entity, old: int, new: int) -> Iterator[Checked]:
    """Move a mount from the last link, or from a link that no longer exists, to the new last link."""
    link = int(relation.properties.get("link", old))
    there = new if link == old else min(link, new)
    if there != link:
        session.database.set_properties(session.rows, relation, {"link": there})
    gone = "" if link == old or link <= new else f"there is no link {link}; it is now on the last one"
    yield Checked("mount", part.name, not gone, f"link {link}", f"link {there}", gone)


def _describe(
    session: Session, robot: Entity, old: Robot, new: Robot, model: str, like: Entity | None
) -> Iterator[Checked]:
    """Keep joint values and speed if they fit, else take those of the new arm; yield what was checked."""
    own = robot.properties
    values: dict[str, Any] = {"model": model}
    values["shapes"] = like.properties.get("shapes") if like is not None else None
    joints = own.get("joints", old.home.tolist())
    problem = joints_problem(joints, slides_of(old), new)
    if problem:
        values["joints"] = new.home.tolist()
    now = "as before" if not problem else "the home of the new arm"
    yield Checked("joints", "initial joint values", not problem, counted(old.n, "joint"), now, problem)
    usual = old.default_speed
    speed = float(own.get("speed", usual))
    if abs(speed - usual) <= 1e-9 * usual:
        values["speed"] = new.default_speed
    elif speed > float(new.turning_speeds.max()):
        values["speed"] = new.default_speed
        now = f"{new.default_speed:.4g}"
        yield Checked("speed", "nominal speed", False, f"{speed:.4g}", now, "no joint is that fast")
    session.database.set_properties(session.rows, robot, values)


def _forget_learned(session: Session, robot: Entity, found: list[Checked]) -> list[Checked]:
    """Remove the old arm's joint values from learned targets, and branches that the new arm does not have."""
    database = session.database
    gone = {one.name for one in found if one.kind == "target" and not one.fits and one.now != OUT_OF_REACH}
    for target in database.entities("target"):
        if target.properties.get("robot") == robot.name:
            changes: dict[str, Any] = {"joints": None}
            if target.name in gone:
                changes["label"] = None
            database.set_properties(session.rows, target, changes)
    return found


def _text(robot: str, was: str, now: str, found: list[Checked], misfits: int, left: tuple[str, ...]) -> str:
    judged = [one for one in found if one.kind != RECORDING]
    head = f"{robot} is now {now} instead of {was}: "
    things = counted(len(judged), "thing")
    wrong = f"{misfits} of {things} {'does' if misfits == 1 else 'do'} not fit"
    head += wrong if misfits else f"everything fits ({things} checked)"
    if len(judged) < len(found):
        head += "; the recording was removed, because the old arm made its moves"
    if left:
        names = ", ".join(left[:_NAMED]) + (", …" if len(left) > _NAMED else "")
        head += f"; {len(left)} program{'s depend' if len(left) > 1 else ' depends'} on the run ({names})"
    head += "; collisions were not checked"
    rows = tuple(
        ("fits" if one.fits else "does not fit", one.kind, one.name, one.before, one.now, one.problem)
        for one in judged[:_SHOWN]
    )
    more = [f"and {len(judged) - _SHOWN} more"] if len(judged) > _SHOWN else []
    return "\n".join([head, str(Table(("", "what", "name", "before", "now", "why"), rows)), *more])
