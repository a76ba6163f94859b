"""Commands on drafts of robots: drafts, draft-table, draft copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import NewName
from workcell.commands.results import Made, Result
from workcell.wording import counted
from workcell.world.draft_shape import draft_of, draft_shape
from workcell.world.entities import Entity
from workcell.world.ids import id_text
from workcell.world.robot_shape import is_robot, robot_of

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.draft import RobotDraft

_BEGUN = ["> draft robot arm 2", "> draft turn arm 1 0 90"]


class DraftRow(Result, frozen=True):
    """A joint of a draft [rad, m]; None where nothing is chosen yet. ``faults`` are what it lacks."""

    theta: float | None
    alpha: float | None
    d: float | None
    a: float | None
    prismatic: bool
    limits: tuple[float, float] | None
    faults: tuple[str, ...]


class LinkSolid(Result, frozen=True):
    """A solid that is assigned to a link: the number of the link, and the solid as ``kind:name``."""

    link: int
    solid: str
    relation: str


class DraftTable(Result, frozen=True):
    """A draft of a robot.

    ``base`` are the turn and the twist of its base frame [rad], ``frames`` the frames of its links at home in the
    world (4×4), if the base stands at the origin; ``faults`` are those of the whole.
    """

    robot: str
    base: tuple[float, float]
    rows: tuple[DraftRow, ...]
    frames: list[list[list[float]]]
    solids: tuple[LinkSolid, ...]
    faults: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text


class DraftList(Result, frozen=True):
    """The drafts of the cell, by name."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.names) or "no drafts"


@command(
    "drafts",
    help="list the robots that are not finished",
    effect="reads",
    background=True,
    examples=["> draft robot arm 2", "drafts"],
)
def drafts(session: Session) -> DraftList:
    """`draft-table` shows what is chosen, and `finish robot` makes a robot of a draft."""
    found = session.database.entities("robot")
    return DraftList(tuple(one.name for one in found if one.shape is not None and not is_robot(one)))


@command(
    "draft-table {robot}",
    help="show the rows of a draft, with what each lacks",
    effect="reads",
    background=True,
    robot=Ref("robot"),
    examples=[*_BEGUN, "draft-table arm"],
)
def draft_table(session: Session, robot: Entity) -> DraftTable:
    """The columns are those of a DH table."""
    draft, units = draft_of(robot), session.units
    faults = draft.check()
    rows = []
    lines = [f"{robot.name}: {counted(len(draft.joints), 'joint')}"]

    def shown(value: float | None, quantity: str) -> str:
        return "?" if value is None else units.show(value, quantity)

    for number, one in enumerate(draft.joints, start=1):
        mark = f"joint {number} "
        lacks = tuple(fault.removeprefix(mark) for fault in faults if fault.startswith(mark))
        rows.append(DraftRow(one.theta, one.alpha, one.d, one.a, one.prismatic, one.limits, lacks))
        kind = "length" if one.prismatic else "angle"
        span = "" if one.limits is None else f", {units.show(one.limits[0], kind)} … {units.show(one.limits[1], kind)}"
        columns = (
            ("theta", one.theta, "angle"),
            ("d", one.d, "length"),
            ("a", one.a, "length"),
            ("alpha", one.alpha, "angle"),
        )
        words = ", ".join(f"{name} {shown(value, quantity)}" for name, value, quantity in columns)
        lines.append(f"  joint {number}: {words}{span}" + (f" ({', '.join(lacks)})" if lacks else ""))
    whole = tuple(fault for fault in faults if not fault.startswith("joint "))
    lines += [f"  {fault}" for fault in whole]
    frames = (draft.X_world_base.matrix @ draft.frames).tolist()
    return DraftTable(robot.name, draft.base, tuple(rows), frames, _solids(session, robot), whole, "\n".join(lines))


def _solids(session: Session, robot: Entity) -> tuple[LinkSolid, ...]:
    database = session.database
    return tuple(
        LinkSolid(int(one.properties.get("link", 0)), str(database.by_id(one.child).reference), one.name)
        for one in database.relations(robot)
        if one.kind == "link"
    )


@command(
    "draft copy {name} of {robot}",
    help="begin a draft with the rows and limits of a finished robot",
    effect="edits",
    name=NewName(),
    robot=Ref("robot"),
    param_help={"robot": "a finished robot, or another draft"},
    examples=[
        "> create robot two planar2r",
        "draft copy other of two",
        "draft lengths other 2 0 1500",
        "finish robot other",
        "replace robot two with robot:other",
    ],
)
def draft_copy(session: Session, name: str, robot: Entity) -> Made:
    """Shapes and speeds are left out. `replace robot` gives the finished draft the place of the first robot."""
    from workcell.robots.draft import RobotDraft

    draft: RobotDraft = RobotDraft.like(robot_of(robot)) if is_robot(robot) else draft_of(robot)
    return Made(
        "robot", name, id_text(session.database.add_entity(session.rows, "robot", name, shape=draft_shape(draft)))
    )
