"""Commands on how parts are held: set grasp, grasps, grasp-gap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import Length, NewName
from workcell.commands.model import make
from workcell.commands.results import Done, Result
from workcell.errors import InvalidValue, Refused
from workcell.spatial.transform import Transform
from workcell.wording import quoted
from workcell.world.entities import Entity
from workcell.world.setup import GRASP_GAP

if TYPE_CHECKING:
    from workcell.commands.session import Session

_PEG = "> add solid peg cylinder 20 100 at 500,-150,50 --movable"


class GraspNow(Result, frozen=True):
    """A grasp of a part, where it is now.

    Attributes:
        name: its name.
        matrix: the pose of the grip point of a hand there, in the world (4×4, SI).
        opening: the opening of the fingers when they hold [m]; None for the width of the part there.
        approach: the opening when they move in [m]: its own, or the opening plus the gap; None if neither is set.
    """

    name: str
    matrix: list[list[float]]
    opening: float | None
    approach: float | None


class GraspsNow(Result, frozen=True):
    """The grasps of a part."""

    part: str
    grasps: tuple[GraspNow, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "set grasp {part} [named {name}] [at {pose}] [opening {opening}] [approach {approach}]",
    help="say where and how far open a hand holds a part; the place moves with the part",
    effect="edits",
    part=Ref("object"),
    name=NewName(),
    pose=PoseValue(),
    opening=Length(positive=True),
    approach=Length(positive=True),
    param_help={
        "part": "a movable object",
        "name": "the name of the grasp; default: the first grasp of the part, or a new one called PART-grasp",
        "pose": "the grip point in the frame of the part: z is the approach, x the direction of closing",
        "opening": "between the fingers when they hold the part; default: its width there",
        "approach": "between the fingers when they move in; default: the opening plus `grasp-gap`",
    },
    examples=[
        _PEG,
        "set grasp peg at 0,0,20 rotate 180,0,0",
        "set grasp peg opening 40mm",
        "set grasp peg approach 55mm",
        "set grasp peg named side at 0,0,0 rotate 0,90,0 opening 40mm",
    ],
)
def set_grasp(
    session: Session,
    part: Entity,
    name: str | None = None,
    pose: Transform | None = None,
    opening: float | None = None,
    approach: float | None = None,
) -> Done:
    """A grasp of that name is changed; what you do not give stays. A new grasp is at the origin of the part."""
    if pose is None and opening is None and approach is None:
        raise InvalidValue("Give at least one of `at`, `opening` and `approach`.")
    database = session.database
    mine = {one.name: one for one in (database.by_id(r.child) for r in database.relations(part)) if one.kind == "grasp"}
    if name is None:
        name = next(iter(mine), None) or database.free_name("grasp", f"{part.name}-grasp")
        session.resolve(name=name)
    new = name not in mine
    if new:
        if not part.movable:
            raise Refused(f"{part.name} is not movable; `modify {quoted(part.name)} movable yes` lets it be gripped.")
        make(session, "grasp", name)
        mine[name] = database.entity("grasp", name)
        database.attach(session.rows, part, mine[name], database.free_relation_name(part, name))
    values: dict[str, Any] = {"opening": opening, "approach_opening": approach}
    if pose is not None:
        values["pose"] = [float(v) for v in pose.pose().matrix[:3].ravel()]
        for relation in database.relations(part):
            if relation.child == mine[name].id and relation.transform.steps:
                database.set_transform(session.rows, relation, Transform())
    database.set_properties(
        session.rows, mine[name], {key: value for key, value in values.items() if value is not None}
    )
    return Done(f"grasp {name!r} of {part.name} {'made' if new else 'changed'}")


@command(
    "grasps {part}",
    help="list where a part can be held, and how far open the hand is there",
    effect="reads",
    part=Ref("object"),
    examples=[_PEG, "> set grasp peg at 0,0,20 rotate 180,0,0 opening 40mm", "grasps peg"],
)
def grasps(session: Session, part: Entity) -> GraspsNow:
    """Poses are in the world, as the part stands now."""
    snapshot, state, units = session.snapshot(), session.state, session.units
    gap, found, lines = session.database.setting(GRASP_GAP), [], []
    for one in snapshot.grasps.get(snapshot.object_body(part.name), ()):
        approach = one.approach
        if approach is None and one.opening is not None:
            approach = one.opening + (float(gap) if gap else 0.0)
        pose = snapshot.grasp_pose(state, part.name, one.name)
        found.append(GraspNow(one.name, pose.matrix.tolist(), one.opening, approach))
        held = "its width" if one.opening is None else units.show(one.opening, "length")
        moving = "fully open" if approach is None else units.show(approach, "length")
        lines.append(f"{one.name}: holds at {held}, moves in at {moving}")
    return GraspsNow(part.name, tuple(found), "\n".join(lines) or f"{part.name} has no grasps")


@command(
    "grasp-gap {distance}",
    help="set how much farther than needed a hand opens when it moves in to grasp",
    effect="edits",
    distance=Length(),
    param_help={"distance": "default 0; a part with its own approach opening does not use it"},
    examples=["grasp-gap 10mm"],
)
def grasp_gap(session: Session, distance: float) -> Done:
    """The gap is saved in the cell."""
    if distance < 0.0:
        raise InvalidValue(f"The gap must be zero or more; found {session.units.show(distance, 'length')}.")
    session.database.set_setting(session.rows, GRASP_GAP, repr(float(distance)))
    return Done(f"hands open {session.units.show(distance, 'length')} farther than needed")
