"""What a simulator does for each kind of step that moves something, with the values of its fields in SI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from workcell.errors import Refused, UnknownName
from workcell.simulation.performing import Acted, Doing, Given
from workcell.spatial.pose import Pose
from workcell.world.axes_text import is_held

if TYPE_CHECKING:
    from workcell.planning.find_paths import PlanTogether
    from workcell.simulation import coordinated as c
    from workcell.simulation.machine_seams import MachineSeamMoves


def move_joints_absolute(given: Given, doing: Doing) -> Acted:
    """Move joints to values."""
    return Acted(doing.device(given["robot"]).move_joints_absolute(given["joints"], given["profile"]))


def move_joints_relative(given: Given, doing: Doing) -> Acted:
    """Move joints by values."""
    return Acted(doing.device(given["robot"]).move_joints_relative(given["joints"], given["profile"]))


def set_joints(given: Given, doing: Doing) -> Acted:
    """Set the joints of a device at once."""
    doing.device(given["robot"]).set_joints(given["joints"])
    return Acted()


def home(given: Given, doing: Doing) -> Acted:
    """Move a device to its initial joint values."""
    device, initial = doing.device(given["robot"]), doing.simulator.snapshot.initial.joints
    home = np.concatenate([initial[name] for name in doing.simulator.snapshot.members(device.name)])
    return Acted(device.move_joints_absolute(home, given["profile"]))


def _hand_options(given: Given, doing: Doing) -> Given:
    """Return the common options of moves of the hand, under the names of the simulator."""
    renamed = {"speed": "hand_speed", "radius": "blend"}
    skipped = ("robot", "pose", "poses", "via", "by", "distance")
    options = {renamed.get(name, name): value for name, value in given.items() if name not in skipped}
    tool = doing.settings.tools.get(given["robot"])
    if tool is not None and options["point"] == "tool":
        options["point"] = tool
    return options


def _stated(given: Given, doing: Doing) -> Pose:
    """Return the pose of a move in the world; for a move that tracks something, in its frame."""
    pose: Pose = given["pose"]
    return pose if given.get("on") and given.get("when") is None else doing.placed(pose)


def move_end_effector(given: Given, doing: Doing) -> Acted:
    """Move a hand to a pose, with all joints in one timing."""
    robot, pose = doing.robot(given["robot"]), _stated(given, doing)
    return Acted(robot.move_end_effector(pose, **_hand_options(given, doing)))


def move_straight_line(given: Given, doing: Doing) -> Acted:
    """Move a hand to a pose in a straight line."""
    robot, pose = doing.robot(given["robot"]), _stated(given, doing)
    return Acted(robot.move_straight_line(pose, **_hand_options(given, doing)))


def move_circular(given: Given, doing: Doing) -> Acted:
    """Move a hand to a pose on a circle."""
    robot, via, pose = doing.robot(given["robot"]), doing.placed(given["via"]), doing.placed(given["pose"])
    return Acted(robot.move_circular(via, pose, **_hand_options(given, doing)))


def move_path(given: Given, doing: Doing) -> Acted:
    """Move a hand from pose to pose."""
    robot, poses = doing.robot(given["robot"]), [doing.placed(pose) for pose in given["poses"]]
    blend = {"radius": doing.settings.blends.get(given["robot"], 0.0)}
    return Acted(robot.move_path(poses, **_hand_options({**blend, **given}, doing)))


def move_hand(given: Given, doing: Doing) -> Acted:
    """Shift and turn a hand."""
    return Acted(doing.robot(given["robot"]).move_hand(given["by"], **_hand_options(given, doing)))


def approach(given: Given, doing: Doing) -> Acted:
    """Move a hand to a place before a pose."""
    pose = doing.placed(given["pose"] @ Pose.from_xyz(0.0, 0.0, -given["distance"]))
    return Acted(doing.robot(given["robot"]).move_end_effector(pose, **_hand_options(given, doing)))


def retract(given: Given, doing: Doing) -> Acted:
    """Move a hand straight back."""
    back = Pose.from_xyz(0.0, 0.0, -given["distance"])
    return Acted(doing.robot(given["robot"]).move_hand(back, **_hand_options(given, doing)))


def find_path(given: Given, doing: Doing) -> Acted:
    """Look for a path that touches nothing, and go along it."""
    from workcell.simulation.found_paths import found_path, recorded_tries
    from workcell.simulation.paths_together import path_beside

    simulator = doing.simulator
    tool = doing.settings.tools.get(given["robot"])
    poses = [doing.placed(pose) for pose in given.get("poses", ())]
    find = path_beside if given["beside"] else found_path
    plan = find(simulator, {**given, "poses": poses}, tool)
    if given["display_tries"]:
        recorded_tries(simulator, plan)
    return Acted(doing.device(given["robot"]).follow_path(plan.trajectory), plan)


def find_paths(wishes: Sequence[Given], doing: Doing) -> PlanTogether:
    """Look for paths of several robots that begin together, and begin them."""
    from workcell.simulation.found_paths import recorded_tries
    from workcell.simulation.paths_together import begin_together, planned_together

    asked = []
    for given in wishes:
        poses = [doing.placed(pose) for pose in given.get("poses", ())]
        asked.append(({**given, "poses": poses}, doing.settings.tools.get(given["robot"])))
    plan = planned_together(doing.simulator, asked)
    for given in wishes:
        if given["display_tries"]:
            recorded_tries(doing.simulator, plan.plans[given["robot"]])
    begin_together(doing.simulator, plan)
    return plan


def move_along(given: Given, doing: Doing) -> Acted:
    """Follow a path with a hand."""
    from workcell.simulation import coordinated as c

    if given["proved"] or any(given.get(name) is not None for name in ("spin", "tilt", "touching")):
        return _planned_along(given, doing)
    simulator, path = doing.simulator, given["path"]
    poses, known = simulator.snapshot.path_poses(simulator.state, path), simulator.snapshot.places.path(path)
    options = {
        "speed": given["speed"],
        "closed": known.ring,
        "tolerance": given.get("tolerance", c.TOLERANCE),
        "angle_tolerance": c.TURN,
        "approach": given.get("approach", c.APPROACH),
    }
    axes = given["axes"] or known.axes
    moves: c.SeamMoves | MachineSeamMoves
    if is_held(axes):
        moves = c.seam_moves(simulator, given["robot"], poses, **options)
    else:
        from workcell.simulation import machine_seams

        work = simulator.snapshot.path_body(path)
        moves = machine_seams.seam_moves(simulator, given["robot"], poses, axes, work, **options)
    return Acted(moves, (moves.deviation, moves.rounding))


def _planned_along(given: Given, doing: Doing) -> Acted:
    """Follow a path with a hand on a motion that is planned as a whole and proved free."""
    from workcell.simulation.planned_along import AlongWish, planned_moves

    unfit = [name for name in ("tolerance", "approach", "axes") if given.get(name)]
    if unfit:
        raise Refused(
            f"`{unfit[0]}` does not go with `spin`, `tilt`, `touching` or `--proved`: a planned motion keeps to the "
            f"curve and begins on it."
        )
    if doing.settings.tools.get(given["robot"]) is not None:
        raise Refused("A planned motion along a path uses the tool that is fitted; end the `tool` setting first.")
    wish = AlongWish(
        given["robot"], given["path"], given["speed"], given.get("spin", 0.0), given.get("tilt", 0.0),
        given.get("touching", ""),
    )  # fmt: skip
    moves = planned_moves(doing.simulator, wish)
    return Acted(moves, (moves.deviation, moves.rounding))


def weld(given: Given, doing: Doing) -> Acted:
    """Weld along a path on work that a mechanism carries."""
    from workcell.simulation import coordinated as c

    simulator = doing.simulator
    snapshot, path = simulator.snapshot, simulator.snapshot.places.path(given["path"])
    if not path.poses or path.missing:
        snapshot.path_poses(simulator.state, given["path"])  # refuses with the reason
    work = snapshot.path_body(given["path"])
    if not work:
        raise Refused(f"The targets of {given['path']!r} are in the world; a weld needs targets on the work.")
    plan = c.coordinate(
        simulator,
        given["robot"],
        given["mechanism"],
        work,
        [path.X_frame_path @ pose for pose in path.poses],
        speed=given["speed"],
        ups=path.ups @ path.X_frame_path.rotation.T,
        closed=path.ring,
        tolerance=given.get("tolerance", c.TOLERANCE),
        downhand=given.get("downhand", c.DOWNHAND),
    )
    return Acted(c.weld_moves(simulator, plan, given.get("approach", c.APPROACH)), plan)


def guide(given: Given, doing: Doing) -> Acted:
    """Guide a hand between obstacles."""
    from workcell.planning.guidance.arms import ArmConstants
    from workcell.simulation.guided_wish import Wish
    from workcell.simulation.guiding import guiding

    fixed = {"speed": "speed", "keep": "reach", "gain": "gain", "caution": "caution", "damping": "damping"}
    constants = ArmConstants(**{name: given[one] for one, name in fixed.items() if one in given})
    renamed = {
        "tolerance": "tolerance", "within": "time", "period": "period", "on": "on", "method": "method",
        "resolution": "resolution",
    }  # fmt: skip
    wishes = {name: given[one] for one, name in renamed.items() if one in given}
    tool = doing.settings.tools.get(given["robot"])
    wish = Wish(
        given["robot"],
        given["pose"] if given.get("on") else doing.placed(given["pose"]),
        point=tool if tool is not None and given["point"] == "tool" else given["point"],
        position=given["position"],
        ignoring=(given["ignoring"],) if "ignoring" in given else (),
        plans=given["plan"],
        constants=constants,
        **wishes,
    )
    moves = guiding(wish, doing.simulator)
    return Acted(moves, moves)


def follow_table(given: Given, doing: Doing) -> Acted:
    """Follow a table of joint values."""
    from workcell.simulation.tables import table_motion

    robot, file = doing.robot(given["robot"]), given["file"]
    data = doing.files.get(file)
    if data is None:
        raise UnknownName(f"The table {file!r} of this program was not read; `check` the program.")
    motion = table_motion(data, file, robot, given.get("joint"), given["units"], given["between"])
    return Acted(robot.follow(motion, "table", given["until_limit"], given["any_acceleration"]))


def follow_function(given: Given, doing: Doing) -> Acted:
    """Follow a function of time."""
    from workcell.simulation.tables import function_motion

    robot = doing.robot(given["robot"])
    motion = function_motion(given["function"], robot, given["joint"], given["duration"], given["units"])
    return Acted(robot.follow(motion, "function", given["until_limit"], given["any_acceleration"]))


def move_solid(given: Given, doing: Doing) -> Acted:
    """Move a free solid."""
    simulator, solid = doing.simulator, given["solid"]
    if solid not in {body.name for body in simulator.snapshot.bodies}:
        raise Refused(f"{solid!r} stands in no scene; `place {solid} at …` first.")
    way = [doing.placed(pose) for pose in given.get("poses", ())]
    if "path" in given:
        poses = simulator.snapshot.path_poses(simulator.state, given["path"])
        here = simulator.state.poses.get(solid)
        way += poses[1:] if here is not None and max(here.distance(poses[0])) < 1e-9 else poses
    took = simulator.move_solid(
        solid,
        way,
        speed=given.get("speed"),
        duration=given.get("duration"),
        acceleration=given.get("acceleration"),
        blend=given.get("radius", 0.0),
    )
    return Acted(took)
