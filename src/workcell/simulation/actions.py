"""What a simulator does for each kind of step, with the values of its fields in SI.

The values come from the expressions of a program (:func:`perform`) or from a typed command (:func:`act`), so
that both do the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from workcell.errors import InvalidValue, Refused
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.simulation import handling_actions as handling
from workcell.simulation import move_actions as moves
from workcell.simulation.event_text import text_of
from workcell.simulation.events import Message, ProcessSet, WaitBegan
from workcell.simulation.performing import Acted, Doing, Given, Grip, Outcome
from workcell.simulation.required import required_wait
from workcell.simulation.scopes import StartScope
from workcell.world.target_wishes import recalled, wished_axes

if TYPE_CHECKING:
    from workcell.world.places import Spot


def perform(step: s.Step, doing: Doing) -> Outcome:
    """Carry out a step that does not control other steps."""
    if isinstance(step, s.Together):
        searched = [move for move in step.moves if isinstance(move, s.FindPath)]
        with doing.simulator.together() as started:
            for move in step.moves:
                if not isinstance(move, s.FindPath):
                    perform(move, doing)
            if searched:
                moves.find_paths([with_defaults(s.FindPath, doing.values(move)) for move in searched], doing)
        return started.duration
    values = doing.values(step)
    if values.get("axes") == "":
        del values["axes"]
    if isinstance(step, s.OpenGripper | s.CloseGripper) and _idle(step, values, doing):
        return None
    return act(type(step), {**_targets_wish(step, doing), **values, **_recalled(step, doing)}, doing).takes


def _targets_wish(step: s.Step, doing: Doing) -> Given:
    """Return the external axes that the target of a move sets, unless the step sets them."""
    if getattr(step, "axes", None) != "":
        return {}
    target = _target_of(step, doing)
    return {} if target is None else wished_axes(doing.simulator.snapshot, target)


def _recalled(step: s.Step, doing: Doing) -> Given:
    """Return the branch and joint values with which the robot learned its target, unless the step sets them."""
    if not isinstance(step, s.MoveEndEffector | s.Approach) or step.branch or step.near is not None:
        return {}
    target = _target_of(step, doing)
    return {} if target is None else recalled(target, step.robot)


def _target_of(step: s.Step, doing: Doing) -> Spot | None:
    """Return the target that a move of the hand goes to or is offset from; None if it names none."""
    if not isinstance(doing.scope, StartScope):
        return None
    value = getattr(step, "pose", None) or next(iter(reversed(getattr(step, "poses", ()))), None)
    if isinstance(value, e.Posed):
        value = value.base
    name = doing.scope.place_named(value.name, value.kind) if isinstance(value, e.Name) else ""
    return doing.simulator.snapshot.places.spot(name, "target") if name else None


def _idle(step: s.OpenGripper | s.CloseGripper, given: Given, doing: Doing) -> bool:
    """Return whether the gripper is already in the wanted state. A typed step is carried out anyway and answers."""
    from workcell.simulation.releasing import is_idle

    if isinstance(step, s.OpenGripper) and (step.opening is not None or step.on is not None):
        return False
    placed = doing.simulator.snapshot.robot(given["robot"])
    return is_idle(doing.simulator, placed, closed=isinstance(step, s.CloseGripper))


def act(kind: type[s.Step], given: Given, doing: Doing) -> Acted:
    """Carry out a step of this kind with these values."""
    action = _ACTIONS.get(kind)
    if action is None:
        raise Refused(f"`{kind.__name__}` cannot be carried out here.")
    return action(with_defaults(kind, given), doing)


def with_defaults(kind: type[s.Step], given: Given) -> Given:
    """Return the values of a step's fields, with defaults for those that are not given."""
    return {**_defaults(kind), **given}


@lru_cache(maxsize=256)
def _defaults(kind: type[s.Step]) -> Given:
    """Return the defaults of the fields of a kind of step."""
    fields = msgspec.structs.fields(kind)
    return {one.name: one.default for one in fields if one.default not in (msgspec.NODEFAULT, None)}


def _close_gripper(given: Given, doing: Doing) -> Acted:
    options = {name: value for name, value in given.items() if name != "robot"}
    return _gripped(doing, Grip(given["robot"], True, options))


def _open_gripper(given: Given, doing: Doing) -> Acted:
    from workcell.simulation.releasing import is_idle

    options = {name: value for name, value in given.items() if name != "robot"}
    if not options.keys() & {"opening", "on"}:
        doing.simulator.alone("open a gripper")
        if is_idle(doing.simulator, doing.simulator.snapshot.robot(given["robot"]), closed=False):
            return Acted(found=None)
    return _gripped(doing, Grip(given["robot"], False, options))


def _gripped(doing: Doing, grip: Grip) -> Acted:
    """Close or open a gripper. In a program, wait for the time that it takes; otherwise advance the time at once."""
    if doing.simulator.among and doing.robot(grip.robot).gripper_time(grip.closing) > 0.0:
        return Acted(grip)
    return Acted(found=grip.act(doing.simulator))


def _grip_part(given: Given, doing: Doing) -> Acted:
    from workcell.simulation.attaching import only_arm

    arm = doing.simulator.robot(given.get("robot") or only_arm(doing.simulator.snapshot))
    return Acted(found=arm.grip(given["part"], given.get("distance"), given.get("angle")))


def _release_part(given: Given, doing: Doing) -> Acted:
    from workcell.simulation.attaching import detach

    simulator = doing.simulator
    part = simulator.snapshot.object_body(given["part"])
    return Acted(found=detach(simulator, part, given.get("settle", False), given.get("on", "")))


def _ride(given: Given, doing: Doing) -> Acted:
    from workcell.simulation.riding import ride

    ride(doing.simulator, doing.simulator.snapshot.object_body(given["part"]), given["mechanism"])
    return Acted()


def _set_signal(given: Given, doing: Doing) -> Acted:
    doing.simulator.set_signal(given["signal"], given["value"])
    return Acted()


def _speed(given: Given, doing: Doing) -> Acted:
    doing.robot(given["robot"]).speed(given["speed"])
    return Acted()


def _profile(given: Given, doing: Doing) -> Acted:
    doing.robot(given["robot"]).profile(given["profile"])
    return Acted()


def _branch(given: Given, doing: Doing) -> Acted:
    doing.robot(given["robot"]).branch(given["branch"])
    return Acted()


def _rounding(given: Given, doing: Doing) -> Acted:
    radius = given["radius"]
    if radius < 0.0:
        raise InvalidValue(f"A blending radius must be zero or more; found {radius * 1e3:g} mm.")
    doing.settings.blends[given["robot"]] = radius
    return Acted()


def _frame(given: Given, doing: Doing) -> Acted:
    doing.settings.frame = given.get("frame")
    return Acted()


def _tool(given: Given, doing: Doing) -> Acted:
    doing.robot(given["robot"])
    if "tcp" in given:
        doing.settings.tools[given["robot"]] = given["tcp"]
    else:
        doing.settings.tools.pop(given["robot"], None)
    return Acted()


def _process(given: Given, doing: Doing) -> Acted:
    simulator, robot = doing.simulator, doing.robot(given["robot"]).name
    event = ProcessSet(simulator.now, robot, given["process"], given["on"] == "on")
    simulator.note(event)
    return Acted(found=text_of(event))


def _override(given: Given, doing: Doing) -> Acted:
    return Acted(found=doing.simulator.override(given["percent"], given.get("device", "")))


def _hold_motion(given: Given, doing: Doing) -> Acted:
    return Acted(found=doing.simulator.hold(given["device"]))


def _resume_motion(given: Given, doing: Doing) -> Acted:
    simulator, device = doing.simulator, given["device"]
    # If a move was held so late that it reached its end, it is over: there is nothing to resume.
    members = simulator.snapshot.members(device)
    over = not any(name in simulator.drives for name in members) and simulator.knows(device)
    return Acted(found=[] if over else simulator.resume(device))


def _stop_motion(given: Given, doing: Doing) -> Acted:
    return Acted(found=doing.simulator.stop_all(given["device"]))


def _emergency_stop(given: Given, doing: Doing) -> Acted:
    return Acted(found=doing.simulator.emergency_stop(given.get("device", "")))


def _supersede_joints(given: Given, doing: Doing) -> Acted:
    found = doing.device(given["robot"]).supersede(given["joints"])
    return Acted(found=found if isinstance(found, list) else [found])


def _run_conveyor(given: Given, doing: Doing) -> Acted:
    ran = doing.simulator.conveyor(given["conveyor"]).run(given.get("speed", 0.0), given["reached"])
    return Acted(ran.delay if given["reached"] else None, ran)


def _inject_fault(given: Given, doing: Doing) -> Acted:
    return Acted(found=doing.simulator.inject_fault(given["fault"]))


def _clear_fault(given: Given, doing: Doing) -> Acted:
    return Acted(found=doing.simulator.clear_fault(given["fault"]))


def _message(given: Given, doing: Doing) -> Acted:
    doing.simulator.note(Message(doing.simulator.now, given["text"]))
    return Acted()


def _wait(given: Given, doing: Doing) -> Acted:
    seconds = required_wait(given["seconds"])
    doing.simulator.note(WaitBegan(doing.simulator.now, float(seconds)))
    return Acted(seconds)


_ACTIONS: dict[type, Callable[[Given, Doing], Acted]] = {
    s.MoveJointsAbsolute: moves.move_joints_absolute,
    s.MoveJointsRelative: moves.move_joints_relative,
    s.SetJoints: moves.set_joints,
    s.Home: moves.home,
    s.FollowTable: moves.follow_table,
    s.FollowFunction: moves.follow_function,
    s.MoveEndEffector: moves.move_end_effector,
    s.MoveStraightLine: moves.move_straight_line,
    s.MoveCircular: moves.move_circular,
    s.MovePath: moves.move_path,
    s.MoveHand: moves.move_hand,
    s.Approach: moves.approach,
    s.Retract: moves.retract,
    s.FindPath: moves.find_path,
    s.MoveAlong: moves.move_along,
    s.Weld: moves.weld,
    s.Guide: moves.guide,
    s.MoveSolid: moves.move_solid,
    s.CloseGripper: _close_gripper,
    s.OpenGripper: _open_gripper,
    s.GripPart: _grip_part,
    s.ReleasePart: _release_part,
    s.Ride: _ride,
    s.Pick: handling.pick,
    s.Put: handling.put,
    s.HandOver: handling.hand_over,
    s.MoveAbove: handling.move_above,
    s.SetSignal: _set_signal,
    s.Wait: _wait,
    s.Speed: _speed,
    s.Profile: _profile,
    s.Branch: _branch,
    s.Rounding: _rounding,
    s.Frame: _frame,
    s.Tool: _tool,
    s.Process: _process,
    s.Override: _override,
    s.HoldMotion: _hold_motion,
    s.ResumeMotion: _resume_motion,
    s.StopMotion: _stop_motion,
    s.EmergencyStop: _emergency_stop,
    s.SupersedeJoints: _supersede_joints,
    s.RunConveyor: _run_conveyor,
    s.StopConveyor: _run_conveyor,
    s.InjectFault: _inject_fault,
    s.ClearFault: _clear_fault,
    s.Message: _message,
}
"""The function that carries out each kind of step."""
