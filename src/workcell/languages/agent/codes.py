"""The numbered errors of the Agent language, and which of our errors becomes which of them."""

from __future__ import annotations

from workcell import errors as e

UNDEFINED, UNKNOWN, TOO_MANY, MISSING, ILLEGAL, INTERNAL, NO_AGENT = 1, 2, 3, 4, 5, 6, 7
TWICE, COORDINATES, JOINT, COLLISION, MOVEMENT, HOLDS, HOLDS_NOT = 8, 9, 10, 11, 12, 13, 14

CODES = {
    UNDEFINED: "Undefined command: {command}",
    UNKNOWN: "Unknown object: {command}",
    TOO_MANY: "Too many arguments",
    MISSING: "Missing argument(s)",
    ILLEGAL: "Illegal argument: {index}",
    INTERNAL: "Internal error",
    NO_AGENT: "Object not an agent: {command}",
    TWICE: "Multiple commands for the same agent: {command}",
    COORDINATES: "Illegal coordinates: {command}",
    JOINT: "Joint violation: {agent} {joint}",
    COLLISION: "Collision: {collision}",
    MOVEMENT: "Internal movement error",
    HOLDS: "Hand is already holding object: {held}",
    HOLDS_NOT: "Hand is not holding object: {held}",
}
"""The message of every code, as the source prints it."""

CODE_OF: dict[type[e.WorkcellError], int] = {
    e.UnknownName: UNKNOWN,
    e.InvalidValue: ILLEGAL,
    e.NameTaken: ILLEGAL,
    e.CommandSyntaxError: ILLEGAL,
    e.FileProblem: ILLEGAL,
    e.JointLimit: JOINT,
    e.LimitStop: JOINT,
    e.KinematicsError: COORDINATES,
    e.GraspFailed: COORDINATES,
    e.CollisionStop: COLLISION,
    e.NoPath: COLLISION,
    e.MotionError: MOVEMENT,
    e.WorkcellError: INTERNAL,
}
"""The code of each class of error; that of the nearest class above holds for those that are not listed.

Without the evidence that its message needs, a joint violation or a collision is an internal movement error, and an
illegal argument or an unknown object is an internal error.
"""
_NEEDS = {ILLEGAL: "index", UNKNOWN: "command", JOINT: "joint", COLLISION: "collision", COORDINATES: "command"}
_OTHERWISE = {JOINT: MOVEMENT, COLLISION: MOVEMENT}


class AgentProblem(e.WorkcellError):
    """A command that the Agent language itself refuses; ``code`` is its number, ``facts`` what its message names."""

    def __init__(self, code: int, reason: str, **facts: object) -> None:
        super().__init__(reason, code=code, facts=facts)


def joint_of(error: e.WorkcellError) -> object:
    """Return the joint that an error names, counted from 1; None if it names none."""
    joints = error.evidence.get("joints")
    return error.evidence.get("joint") or (joints[0] if isinstance(joints, (list, tuple)) and joints else None)


def code_of(error: e.WorkcellError) -> int:
    """Return the code of an error by its class; a pose that the limit of a joint forbids is a joint violation."""
    if isinstance(error, e.KinematicsError) and joint_of(error) is not None:
        return JOINT
    return next(CODE_OF[one] for one in type(error).__mro__ if one in CODE_OF)


def message(error: e.WorkcellError, facts: dict[str, object]) -> str:
    """Return the code and the message of an error, as the error stream prints them.

    Args:
        error: what was refused.
        facts: what messages name: the command, the agent, the index of the argument, the joint, the collision.
    """
    if isinstance(error, AgentProblem):
        code = int(str(error.evidence["code"]))
        own = error.evidence["facts"]
        facts = {**facts, **(own if isinstance(own, dict) else {})}
    else:
        code = code_of(error)
    needed = _NEEDS.get(code)
    if needed is not None and facts.get(needed) is None:
        code = _OTHERWISE.get(code, INTERNAL)
    return f"{code} {CODES[code].format_map(facts)}".rstrip()
