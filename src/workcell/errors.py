"""Every error that Workcell raises on purpose.

The tree::

    WorkcellError
    ├── InvalidValue            a number, matrix or parameter that cannot be used
    │   └── TooCostly           work beyond what one command may cost; carries the number and the bound
    ├── UnknownName             a name that does not exist; carries the closest ones
    ├── NameTaken               a name that is already taken
    ├── CommandSyntaxError      a command line that does not parse; carries the place and what was expected
    ├── Refused                 a well-formed request that the rules forbid
    │   ├── PointedTo           something to be removed is in use; carries what uses it
    │   ├── WrongLevel          an attachment between levels that do not fit
    │   ├── CycleRefused        a relation that would make an entity part of itself
    │   ├── NothingToUndo       there is nothing to undo, or nothing to redo
    │   └── Deadlock            programs wait for each other in a ring; carries who holds what and waits for what
    ├── FileProblem             a file that cannot be read or written
    │   ├── NotACell            the file is not a cell
    │   ├── DamagedCell         a cell whose content is broken; carries the problems
    │   ├── NewerFile           written by a later Workcell
    │   ├── DiskFull            the disk has no room; nothing was written
    │   └── CellLocked          another process is writing; carries the holder
    ├── GeometryError           a shape that cannot be made
    │   ├── InvalidShape        made, but not a valid surface or solid; carries places
    │   └── KernelCrashed       the CAD process died on this request
    ├── KinematicsError         a pose or configuration that the arm cannot take
    │   ├── Unreachable         no joint values reach the pose
    │   ├── JointLimit          a joint would leave its range; carries joint and excess
    │   └── NotConverged        the numeric solver gave up; carries the residual
    ├── MotionError             a motion that cannot be made or must stop
    │   ├── MotionStop          a motion was stopped on its way; the recording up to the stop is kept
    │   │   ├── CollisionStop   before a collision; carries time and pair
    │   │   ├── LimitStop       at the limit of a joint; carries joint and limit
    │   │   ├── DeadEnd         a guided hand did not arrive; carries the outcome, the distance and the pair
    │   │   └── FallStop        a part fell, landed elsewhere or could not stand; carries the part and its place
    │   ├── GraspFailed         the gripper closed on nothing; carries the test that failed
    │   └── NoPath              no free path was found; carries what is in the way
    │       ├── NoWay           it is proved that there is none; carries the body that cannot pass
    │       ├── StartBlocked    the robot touches something where it starts; carries the pairs and a free place
    │       ├── GoalBlocked     it touches something at every goal; carries the pairs and a free place
    │       └── ConstraintBroken  the start, or every goal, breaks what the path must keep
    ├── ServiceError            a connection problem: not connected, not allowed, not understood
    ├── MissingDependency       an engine or program that is not installed; the message explains how to get it
    └── Cancelled               the caller cancelled the request

A message has one or two sentences: what was asked, what was found, what would have been right, what to do.
Evidence goes into fields, so that a program can act on it without reading the sentence.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from workcell.wording import either, quoted


class WorkcellError(Exception):
    """The root of all errors that Workcell raises on purpose; ``evidence`` holds the facts by name."""

    def __init__(self, message: str, **evidence: object) -> None:
        super().__init__(message)
        self.message = message
        self.evidence = evidence

    def __str__(self) -> str:
        return self.message

    def pointed(self) -> str:
        """Return the line with a caret at the error and the message below it.

        Only the message if the place is unknown.
        """
        line, column = self.evidence.get("line"), self.evidence.get("column")
        if not isinstance(line, str) or not isinstance(column, int):
            return self.message
        return f"{line}\n{' ' * column}^\n{self.message}"

    def __getattr__(self, name: str) -> object:
        evidence = self.__dict__.get("evidence", {})
        if name in evidence:
            return evidence[name]
        raise AttributeError(f"{type(self).__name__} has no field {name!r}; it has {sorted(evidence)}")

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.evidence)


def _rebuild(cls: type[WorkcellError], message: str, evidence: dict[str, object]) -> WorkcellError:
    error = cls.__new__(cls)
    WorkcellError.__init__(error, message, **evidence)
    return error


class InvalidValue(WorkcellError):
    """A number, matrix or parameter that cannot be used."""


class TooCostly(InvalidValue):
    """Work beyond what one command may cost; ``asked`` and ``most`` are the number and its bound."""


class UnknownName(WorkcellError):
    """A name that does not exist; ``closest`` holds the nearest names that exist."""

    @classmethod
    def among(cls, what: str, asked: str, known: Iterable[str], advice: str = "", most: int = 8) -> UnknownName:
        """Return the error for an unknown name.

        It lists the closest of ``known``, or all if they are at most ``most``.
        """
        names = sorted(set(known))
        closest = difflib.get_close_matches(asked, names, n=3, cutoff=0.5)
        if closest:
            hint = f"did you mean {either([quoted(name) for name in closest])}?"
        elif not names:
            hint = f"there is no {what} yet."
        elif len(names) <= most:
            hint = f"there is {either([quoted(name) for name in names])}."
        else:
            hint = f"there are {len(names)}, such as {', '.join(map(quoted, names[:5]))}."
        text = f"There is no {what} called {asked!r}; {hint}"
        return cls(f"{text} {advice}".rstrip(), asked=asked, closest=closest)


class NameTaken(WorkcellError):
    """A name that is already taken."""


class CommandSyntaxError(WorkcellError):
    """A command line that does not parse.

    Fields: ``line`` is the text, ``column`` the place of the error (from 0), ``expected`` what would be right there.
    """


class Refused(WorkcellError):
    """A well-formed request that the rules forbid."""


class PointedTo(Refused):
    """Something to be removed is in use; ``pointers`` names what uses it."""


class WrongLevel(Refused):
    """An attachment between levels that do not fit; ``allowed`` names those that do."""


class CycleRefused(Refused):
    """A relation that would make an entity part of itself."""


class NothingToUndo(Refused):
    """There is nothing to undo, or nothing to redo."""


class Deadlock(Refused):
    """Programs wait for each other in a ring.

    ``programs`` names them in order, ``zones`` names the zones that they hold.
    """


class FileProblem(WorkcellError):
    """A file that cannot be read or written."""


class NotACell(FileProblem):
    """The file is not a cell."""


class DamagedCell(NotACell):
    """A cell whose content is broken; ``problems`` lists the known problems."""


class NewerFile(FileProblem):
    """A file that a later Workcell wrote."""


class DiskFull(FileProblem):
    """The disk has no room; nothing was written."""


class CellLocked(FileProblem):
    """Another process is writing; ``holder`` names it."""


class GeometryError(WorkcellError):
    """A shape that cannot be made."""


class InvalidShape(GeometryError):
    """A shape that was made but is not a valid surface or solid; ``faults`` lists what is wrong and where."""


class KernelCrashed(GeometryError):
    """The CAD process died on this request; a new one has been started."""


class KinematicsError(WorkcellError):
    """A pose or configuration that the arm cannot take."""


class Unreachable(KinematicsError):
    """No joint values reach the pose."""


class JointLimit(KinematicsError):
    """A joint would leave its range; ``joint`` counts from 1, ``excess`` is how far outside it would be."""


class NotConverged(KinematicsError):
    """The numeric solver gave up; ``residual`` is the remaining error."""


class MotionError(WorkcellError):
    """A motion that cannot be made or must stop."""


class MotionStop(MotionError):
    """A motion was stopped on its way. Everything stays where it stopped, and the recording up to the stop is kept.

    Fields: ``stopped`` is the time of the stop [s].

    """


class CollisionStop(MotionStop):
    """A motion was stopped before a collision; ``time`` and ``pair`` give when and what."""


class DeadEnd(MotionStop):
    """A guided hand did not arrive.

    Fields: ``outcome`` is how it ended, ``distance`` how far it is away [m], ``pair`` what came nearest.
    """


class LimitStop(MotionStop):
    """A joint came to a limit; ``joint`` counts from 1, ``limit`` names the limit."""


class FallStop(MotionStop):
    """A part fell, landed elsewhere, cannot stand or is inside something; ``part`` and ``on`` name it and the place."""


class GraspFailed(MotionError):
    """The gripper closed on nothing; ``test`` names the test that the nearest candidate failed."""


class NoPath(MotionError):
    """No free path was found; ``obstacles`` lists what the search met and how often, ``tries`` what was tried."""


class NoWay(NoPath):
    """It is proved that there is no path: a ball of ``radius`` [m] inside ``body`` cannot get there."""


class StartBlocked(NoPath):
    """The robot touches something where it starts; ``pairs``, ``depth`` [m] and ``free``, free joint values nearby."""


class GoalBlocked(NoPath):
    """The robot touches something at every goal; ``pairs``, ``depth`` [m] and ``free``, free joint values nearby."""


class BlockedByMotion(NoPath):
    """Others that move are in the way all the time; ``blockers`` lists who, from when to when [s] and which bodies."""


class ConstraintBroken(NoPath):
    """The start, or every goal, breaks what the path must keep."""


class ServiceError(WorkcellError):
    """A connection problem: not connected, not allowed, not understood."""


class MissingDependency(WorkcellError):
    """An engine or program that is not installed; the message explains how to get it."""


class Cancelled(WorkcellError):
    """The caller cancelled the request."""
