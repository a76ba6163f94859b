"""Commands that make patterns of targets: targets grid, targets mirror; and targets preview, which makes none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.texts import Rest
from workcell.commands.language.tokens import Tokens
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import Angle, Length, NewName, Number, Value, Vector
from workcell.commands.target_family import MOST_TARGETS, ShownTargets, Targets, keep_family
from workcell.errors import InvalidValue, Refused
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.wording import counted
from workcell.world.entities import Entity
from workcell.world.places import CARRIERS, LINK, OBJECT

if TYPE_CHECKING:
    from workcell.commands.session import Session

_SIZE = re.compile(r"(\d{1,6})x(\d{1,6})(?:x(\d{1,6}))?\Z")
_PALLET = "> add solid pallet box 1200 800 144 at 1500,0,72"
_SHOWN = ("targets along-edge", "targets over-face", "targets along-curve", "targets grid", "targets mirror")
_GRID = "targets grid 4x3 to spots pitch 250,250 on pallet at -375,-250,72 rotate 180,0,0"


class GridSize(Value):
    """The size of a grid: ``4x3``, or ``4x3x2`` with layers."""

    label = "NxM[xL]"
    help = "the numbers along x and y and, if there are several, of layers: 4x3 or 4x3x2"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Whole numbers with `x` between."""
        token = tokens.peek()
        found = _SIZE.match(token.text) if token is not None and not token.quoted else None
        if token is None or found is None:
            found_text = "" if token is None else f"; found {token.text!r}"
            raise tokens.fail(f"Expected the size of a grid such as 4x3 or 4x3x2{found_text}.", {self.label: self.help})
        if 0 in (counts := tuple(int(one) for one in found.groups() if one)):
            raise tokens.fail(f"A grid needs at least one target in each direction; found {token.text}.", [self.label])
        tokens.take()
        return counts

    def checked(self, value: Any) -> Any:
        """Two or three whole numbers."""
        good = isinstance(value, list | tuple) and len(value) in (2, 3)
        if not good or not all(isinstance(one, int) and not isinstance(one, bool) and one > 0 for one in value):
            raise InvalidValue(f"Expected two or three whole numbers, the size of a grid; found {value!r}.")
        return tuple(value)

    def text(self, value: Any) -> str:
        """As typed."""
        return "x".join(str(one) for one in value)

    def accepts(self, text: str) -> bool:
        """Numbers with `x` between."""
        return _SIZE.match(text) is not None


@command(
    "targets grid {size} to {path} pitch {pitch} [on {thing}] [link {link}] [at {pose}] [stagger {stagger}] "
    "[layer-turn {turn}] [--zigzag]",
    help="make a grid of targets, in one or several layers",
    effect="edits",
    size=GridSize(),
    path=NewName(),
    pitch=Vector("length", None, "PX,PY[,PZ]"),
    thing=Ref(*CARRIERS),
    link=Number(whole=True),
    pose=PoseValue(),
    stagger=Length(),
    turn=Angle(),
    param_help={
        "size": "the numbers along x and y and, if there are several, of layers along z",
        "pitch": "the distances in each direction; negative goes the other way",
        "thing": "what the path hangs on; the grid is in its axes; default: the world",
        "link": "the link of a robot or mechanism, 0 for the base; default: the last",
        "pose": "the pose of the first target; the others have the same orientation; default 0,0,0",
        "stagger": "how far every second row is shifted along x; default 0",
        "turn": "how far each layer is turned from the one below, about the vertical through its middle; default 0",
        "path": "the name of the new path",
        "zigzag": "every second row runs backwards",
    },
    examples=[
        _PALLET,
        _GRID,
        "targets of spots",
        "targets grid 3x2x2 to stack pitch 300,300,200 on pallet at -300,-150,172 layer-turn 180 --zigzag",
    ],
)
def targets_grid(
    session: Session,
    size: tuple[int, ...],
    path: str,
    pitch: tuple[float, ...],
    thing: Entity | None = None,
    link: int | None = None,
    pose: Transform = Transform(),
    stagger: float = 0.0,
    turn: float = 0.0,
    zigzag: bool = False,
) -> Targets:
    """The targets are called PATH-1, PATH-2 and so on: along x first, then row by row, then layer by layer.

    In a program, `for NAME in PATH` repeats steps for each target, `target(PATH, N)` is one target, and `count(PATH)`
    their number.
    """
    from workcell.motion.patterns import grid

    if len(pitch) not in (2, 3):
        raise InvalidValue(f"The pitch of a grid is two lengths, or three if it has layers; found {len(pitch)}.")
    count = size[0] * size[1] * (size[2] if len(size) > 2 else 1)
    if count > MOST_TARGETS:
        raise InvalidValue(
            f"This grid has {counted(count, 'target')}; a path holds at most {MOST_TARGETS}. Make several grids."
        )
    poses = grid(size, pitch, pose.pose(), stagger=stagger, turn=turn, zigzag=zigzag)
    how = f"in a grid of {' by '.join(str(one) for one in size)}" + (f" on {thing.name}" if thing else "")
    return keep_family(session, path, poses, thing, how, link=link)


@command(
    "targets mirror {path} to {name} across {normal} [through {point}]",
    help="make a path of targets as the mirror image of another",
    effect="edits",
    path=Ref("path"),
    name=NewName(),
    normal=Vector("number", 3),
    point=Vector("length", 3),
    param_help={
        "normal": "the normal of the mirror plane, in the frame of what the path hangs on",
        "point": "a point of the mirror plane, in the same frame; default 0,0,0",
        "path": "the path to mirror",
        "name": "the name of the new path",
    },
    examples=[_PALLET, f"> {_GRID}", "targets mirror spots to others across 1,0,0 through 600,0,0"],
)
def targets_mirror(
    session: Session,
    path: Entity,
    name: str,
    normal: tuple[float, float, float],
    point: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Targets:
    """The x and z axes of each target are mirrored; y completes them. The new path hangs on the same thing."""
    from workcell.motion.patterns import mirrored

    database, kept = session.database, session.snapshot().places.path(path.name)
    if not kept.poses:
        raise Refused(f"Path {path.name!r} has no targets; `targets grid …` makes some, or attach targets to it.")
    thing, X_thing_path, link = None, kept.X_frame_path, None
    for relation in database.pointers(path):
        owner = database.by_id(relation.parent)
        if owner.kind in CARRIERS:
            thing, X_thing_path = owner, Pose(relation.matrix)
            link = relation.properties.get(LINK)
    if thing is None and path.properties.get(OBJECT):
        thing = database.find("object", str(path.properties[OBJECT]))
    poses = mirrored([X_thing_path @ pose for pose in kept.poses], normal, point)
    ups = kept.ups @ X_thing_path.rotation.T
    reflected = ups - 2.0 * (ups @ _unit(normal))[:, None] * _unit(normal)
    how = f"that mirror {path.name}" + (f" on {thing.name}" if thing else "")
    return keep_family(session, name, poses, thing, how, reflected, kept.ring, link)


@command(
    "targets preview {line}",
    help="show where the targets of a command would be, without making them",
    effect="reads",
    background=True,
    line=Rest("COMMAND", "a command that makes targets"),
    param_help={"line": "a command such as `targets grid …`"},
    examples=[_PALLET, f"targets preview {_GRID}"],
)
def targets_preview(session: Session, line: str) -> ShownTargets:
    """It takes the commands that make a path of targets, and refuses what they refuse."""
    beside = session.beside()
    made, values = session.registry.tree.parse(line, beside)
    if made.name not in _SHOWN:
        raise Refused(f"`targets preview` shows what `{'`, `'.join(_SHOWN)}` would make; found `{made.name}`.")
    shown: ShownTargets = made.run(beside, **values)
    return shown


def _unit(normal: tuple[float, float, float]) -> Any:
    import numpy as np

    return np.asarray(normal) / np.linalg.norm(normal)
