"""Commands on robots: create robot, robots."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workcell.commands.language.described_arms import WORD, Described, Lengths, LinkLengths, read_descriptor
from workcell.commands.language.registry import command
from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import NewName, Value, Vector
from workcell.commands.results import Made, Result, Table
from workcell.errors import InvalidValue, UnknownName
from workcell.spatial.transform import Transform
from workcell.spatial.units import Units
from workcell.wording import counted, quoted
from workcell.world.ids import id_text
from workcell.world.kept_files import BLOB
from workcell.world.placing import put_in_scene
from workcell.world.robot_shape import robot_of_text

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.robot import Robot


class Model(Value):
    """A robot of the library by name, or a robot file that the cell keeps; from Python, any robot.

    Over the wire, a robot may also be ``{"file": TEXT}``, the text of its robot file.
    """

    label = "MODEL"
    help = "a robot of the library, such as puma560; `robots` lists them"

    def checked(self, value: Any) -> Any:
        """A robot as a value, or the text of its file."""
        from workcell.robots.robot import Robot

        if isinstance(value, dict) and value.keys() == {"file"} and isinstance(value["file"], str):
            return robot_of_text(value["file"])
        if not isinstance(value, Robot):
            raise InvalidValue(
                f"Expected a robot: a name of the library, such as 'puma560', or a `wc.Robot`; found {value!r}."
            )
        return value

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """The name of the model."""
        return value if isinstance(value, str) else quoted(value.name)

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """A name of the library."""
        from workcell.robots.catalogue import library_name

        token = tokens.peek()
        if token is None:
            raise tokens.fail("Expected a robot model; `robots` lists them.", [self.label])
        tokens.take()
        text = unquote(token.text)
        if text.startswith(BLOB):
            return text
        try:
            return library_name(text)
        except UnknownName as error:
            raise tokens.fail(str(error), [self.label], token.start) from None

    def schema(self) -> dict[str, Any]:
        """A name, or the text of a robot file."""
        file = {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}
        return {"anyOf": [{"type": "string"}, file]}

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The robots of the library."""
        from workcell.robots.catalogue import robots

        return [(name, "robot") for name in robots() if name.startswith(prefix)]


class NewModel(Model):
    """A model, or ``descriptor "…"``: an arm as the guidance thesis describes it."""

    label = "MODEL|descriptor DESCRIPTOR"

    def checked(self, value: Any) -> Any:
        """A robot as a value, the text of its file, or the text of its descriptor."""
        if isinstance(value, dict) and value.keys() == {WORD} and isinstance(value[WORD], str):
            return Described(value[WORD])
        return super().checked(value)

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """A name of the library, or a descriptor behind its word."""
        token = tokens.peek()
        if token is not None and token.text == WORD and not token.quoted:
            tokens.take()
            return read_descriptor(tokens)
        return super().parse(tokens, session, seen)

    def schema(self) -> dict[str, Any]:
        """A name, the text of a robot file, or the text of a descriptor."""
        described = {"type": "object", "properties": {WORD: {"type": "string"}}, "required": [WORD]}
        return {"anyOf": [*super().schema()["anyOf"], described]}

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The robots of the library, and the word of descriptors."""
        word = [(WORD, "an arm of generalised links, as the guidance thesis describes it")] * WORD.startswith(prefix)
        return [*super().complete(prefix, session, seen), *word]

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """The name of the model, or the word of descriptors with one."""
        return f'{WORD} "{value}"' if isinstance(value, Described) else super().shown(value, units, given)


@command(
    "create robot {name} {model} [lengths {lengths}] [at {pose}] [joints {joints}]",
    help="put a robot of the library, or one from a descriptor, into the scene",
    effect="edits",
    name=NewName(),
    model=NewModel(),
    lengths=LinkLengths(),
    pose=PoseValue(),
    joints=Vector("angle", None, "Q1,Q2,…"),
    param_help={
        "lengths": "the lengths of the links of a descriptor, the clamped one first; LEAST..GREATEST where it is free",
        "pose": "where its base stands; default 0,0,0",
        "joints": "initial joint values; default: the home position of the robot",
    },
    examples=[
        "create robot Puma puma560",
        "create robot Puma2 puma560 at 1000,0,0 rotate 0,0,180 joints 0,0,-90,0,90,0",
        'create robot Links descriptor "(a1=0, α1=0°, Δa2=0, α2=90°, Δa4=0, 3)" lengths 0,400,300..600,200 at 0,2000,0',
    ],
)
def create_robot(
    session: Session,
    name: str,
    model: str | Robot,
    lengths: Lengths | None = None,
    pose: Transform = Transform(),
    joints: tuple[float, ...] | None = None,
) -> Made:
    """The cell keeps the whole description of the robot, so it does not depend on the library.

    From Python you can add any robot: `cell.add_robot(wc.Robot…)`. If it has a tool, that becomes a tool of the cell.
    The joints of an arm from a descriptor are its free parameters: link by link its length, twist and rotation.
    """
    from workcell.commands.given_robots import fit_own_tool, given_robot
    from workcell.world.robot_shape import robot_shape

    database = session.database
    text, robot = given_robot(session, _described(model, lengths))
    values = robot.checked(robot.home if joints is None else joints)
    robot.require_limits(values)
    properties = {"model": robot.name, "joints": values.tolist(), "speed": robot.default_speed}
    number = database.add_entity(session.rows, "robot", name, shape=robot_shape(text), properties=properties)
    entity = database.entity("robot", name)
    put_in_scene(session, entity, pose)
    fit_own_tool(session, entity, robot)
    return Made("robot", name, id_text(number))


class RobotFacts(Result, frozen=True):
    """A robot of the library: reach [m] and payload [kg], None if it is not known.

    The reach is what the maker states. If that is nothing, it is ``computed`` in the usual way: the greatest distance
    of the wrist centre from the first axis, or that of the flange for an arm without a spherical wrist. An arm whose
    first joint slides has none.

    A server has a small picture of it at ``/robots/NAME.webp``.
    """

    name: str
    maker: str
    model: str
    joints: int
    reach: float | None
    payload: float | None
    computed: bool = False


class RobotLibrary(Result, frozen=True):
    """The robots of the library."""

    robots: list[RobotFacts]

    def __str__(self) -> str:
        rows = tuple(
            (
                one.name,
                one.maker,
                one.model,
                one.joints,
                None if one.reach is None else f"{'~' if one.computed else ''}{round(one.reach * 1e3, 1):g}",
                one.payload,
            )
            for one in self.robots
        )
        headings = ("name", "maker", "model", "joints", "reach [mm]", "payload [kg]")
        return str(Table(headings, rows, counted(len(rows), "robot")))


@command("robots", help="list the robots of the library", effect="reads", background=True, examples=["robots"])
def robots(_: Session) -> RobotLibrary:
    """The list shows name, maker, number of joints, reach and payload. A reach with ~ is computed from the model."""
    from workcell.kinematics.workspace import wrist_reach
    from workcell.robots.catalogue import robot
    from workcell.robots.catalogue import robots as names

    found = [robot(name) for name in names()]
    facts = []
    for name, one in zip(names(), found, strict=True):
        reach = one.reach if one.reach is not None else wrist_reach(one.chain, one.limits)
        computed = one.reach is None and reach is not None
        facts.append(RobotFacts(name, one.maker, one.model, one.n, reach, one.payload, computed))
    return RobotLibrary(facts)


def _described(model: str | Robot, lengths: Lengths | None) -> str | Robot:
    """The model; the robot of a descriptor and the lengths of its links."""
    if not isinstance(model, Described):
        if lengths is not None and not (isinstance(model, str) and model.startswith(BLOB)):
            raise InvalidValue(
                "`lengths` belongs to a descriptor: `create robot NAME descriptor DESCRIPTOR lengths A1,A2,…`."
            )
        return model
    from workcell.planning.guidance.described_robots import described_robot
    from workcell.planning.guidance.descriptors import Descriptor

    found = Descriptor.read(model)
    if lengths is None:
        raise InvalidValue(
            f"{found} has {found.n + 1} links; give their lengths, such as `lengths 0,400,300`, the clamped one first."
        )
    return described_robot(found.arm(lengths), str(found))
