"""Commands on result files of kinematics: export direct-kinematics, export inverse-kinematics, check kinematics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref, Target
from workcell.commands.language.registry import command
from workcell.commands.language.values import Choice, File
from workcell.commands.results import Done, Result
from workcell.errors import FileProblem, InvalidValue, Refused
from workcell.simulation.in_scene import simulated
from workcell.spatial.transform import Transform
from workcell.wording import counted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session

_ARM = "> create robot Arm irb6400 joints 0,90,0,0,0,0"
_BASE_OR_WORLD = {"world": "the pose is in the world, the default", "base": "the pose is in the base of the robot"}


@command(
    "export direct-kinematics {robot} {file} [{joints}] [--replace]",
    help="write the DH parameters, the matrix of each joint and the pose of the hand to a file, in Ding's format",
    effect="reads",
    robot=Ref("robot"),
    file=File(),
    joints=JointVector(),
    param_help={
        "joints": "one value for each joint; default: the current ones",
        "replace": "overwrite the file if it exists",
    },
    examples=[
        _ARM,
        "export direct-kinematics Arm DirectKinematics",
        "export direct-kinematics Arm point1.txt -29.496,111.411,23.982,39.583,74.994,-140.743",
    ],
)
def export_direct(
    session: Session, robot: Entity, file: str, joints: tuple[float, ...] | None = None, replace: bool = False
) -> Done:
    """The file is in millimetres and degrees, in the base of the robot."""
    from workcell.robots.formats import result_file

    session.files.check_output(file, replace)
    one = simulated(session.simulator, robot)
    q = one.joints if joints is None else one.robot.checked(joints)
    made = result_file.direct(one.robot, [float(v) for v in q], robot.name)
    session.files.write(file, result_file.write(made).encode(), replace)
    return Done(f"the hand of {robot.name} and {counted(len(made.matrices), 'matrix', 'matrices')} written to {file}")


@command(
    "export inverse-kinematics {robot} {file} [at {pose}] [of {path}] [in {frame}] [--replace]",
    help="write every way to reach a pose, or each target of a path, to a file, in Ding's format",
    effect="reads",
    background=True,
    robot=Ref("robot"),
    file=File(),
    pose=Target(),
    path=Ref("path"),
    frame=Choice(_BASE_OR_WORLD, "world|base"),
    param_help={
        "pose": "the pose to reach, or the name of a target or frame",
        "path": "the targets to reach, instead of a pose",
        "replace": "overwrite the file if it exists",
    },
    examples=[
        _ARM,
        "export inverse-kinematics Arm InverseKinematics at 1688,0,2075 euler ding_ypr 0,90,0",
        "> create path weld",
        "> add target T1 1399.5,-650.25,875.5 euler ding_ypr -135,0,90 to weld",
        "> add target T2 1399.5,-450.25,875.5 euler ding_ypr -135,0,90 to weld",
        "export inverse-kinematics Arm weld.txt of weld",
        "check kinematics weld.txt of Arm",
    ],
)
def export_inverse(
    session: Session,
    robot: Entity,
    file: str,
    pose: Transform | None = None,
    path: Entity | None = None,
    frame: str = "world",
    replace: bool = False,
) -> Done:
    """The file has a column for each solution under its signs of A, E and W, even if it is outside the joint limits."""
    from workcell.robots.formats import result_file

    if (pose is None) == (path is None):
        raise Refused("Give either a pose with `at` or a path with `of`.")
    if path is not None and frame != "world":
        raise Refused("The targets of a path are in the world; leave out `in base`.")
    session.files.check_output(file, replace)
    snapshot, state = session.snapshot(), session.state
    if path is not None:
        names = snapshot.places.path(path.name).targets
        targets = list(zip(names, snapshot.path_poses(state, path.name), strict=True))
    else:
        assert pose is not None
        targets = [("1", pose.pose())]
    if frame == "world":
        back = snapshot.base_pose(state, robot.name).inverse()
        targets = [(name, back @ one) for name, one in targets]
    made = result_file.inverse(simulated(session.simulator, robot).robot, targets, robot.name)
    session.files.write(file, result_file.write(made).encode(), replace)
    count = sum(len(point.columns) for point in made.points)
    written = f"{counted(len(made.points), 'point')}, {counted(count, 'solution')} written to {file}"
    lost = [repr(point.name) for point in made.points if not point.columns]
    return Done(f"{written}; out of reach: {', '.join(lost)}" if lost else written)


class CheckedKinematics(Result, frozen=True):
    """The largest deviation of the results in a file from the kinematics of a robot [m, rad]."""

    robot: str
    results: int
    distance: float
    angle: float
    worst: str
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "check kinematics {file} of {robot}",
    help="compare a result file with the kinematics of a robot",
    effect="reads",
    file=File(),
    robot=Ref("robot"),
    param_help={
        "file": "a file of `export direct-kinematics` or `export inverse-kinematics`, or one of Ding's program"
    },
    examples=[_ARM, "> export direct-kinematics Arm DirectKinematics", "check kinematics DirectKinematics of Arm"],
)
def check_kinematics(session: Session, file: str, robot: Entity) -> CheckedKinematics:
    """The hand is computed from the joint values in the file. The answer states the largest deviation."""
    from workcell.robots.formats import result_file

    where = Path(file).name
    try:
        text = session.files.read(file).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileProblem(f"{where} is not a text file, so it is not a result file.", path=where) from None
    found, arm = result_file.parse(text, where), simulated(session.simulator, robot).robot
    count = len(found.rows) if isinstance(found, result_file.DirectResult) else _joints(found, arm.n)
    if count != arm.n:
        raise InvalidValue(f"{where} has {counted(count, 'joint')}; {robot.name} has {arm.n}.")
    rows = result_file.deviations(found, arm)
    if not rows:
        return CheckedKinematics(robot.name, 0, 0.0, 0.0, "", f"{where} holds no solutions")
    worst = max(rows, key=lambda row: row[1] + row[2])
    distance, angle = max(row[1] for row in rows), max(row[2] for row in rows)
    units = session.units
    text = (
        f"{where}: {counted(len(rows), 'result')}, at most {units.show(round(distance, 9), 'length')} and "
        f"{units.show(round(angle, 9), 'angle')} from the kinematics of {robot.name}"
    )
    if len(rows) > 1:
        text += f"; the worst is {worst[0]}"
    return CheckedKinematics(robot.name, len(rows), distance, angle, worst[0], text)


def _joints(found: object, otherwise: int) -> int:
    from workcell.robots.formats.result_file import InverseResult

    assert isinstance(found, InverseResult)
    counts = {len(one.joints) for point in found.points for one in point.columns}
    return max(counts) if counts else otherwise
