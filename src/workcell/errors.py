"""Every error that Workcell raises on purpose.

The tree::

    WorkcellError
    ├── InvalidValue            a number, matrix or parameter that cannot be used
    │   └── TooCostly           work beyond what one command may cost; carries the number and the bound
    ├── UnknownName             a name that nothing has; carries the closest ones
    ├── NameTaken               a name that something else has already
    ├── CommandSyntaxError      a command line that does not parse; carries the place and what was expected
    ├── Refused                 a well-formed request that the rules forbid
    │   ├── PointedTo           removing what others use; carries who points
    │   ├── WrongLevel          attaching between levels that do not fit
    │   ├── CycleRefused        a relation that would make an entity part of itself
    │   ├── NothingToUndo       no history in that direction
    │   └── DeadLock            programs wait for each other in a ring; carries who holds what and waits for what
    ├── FileProblem             a file that cannot be read or written
    │   ├── NotACell            the file is not what its name says
    │   ├── DamagedCell         a cell whose content is broken; carries the problems
    │   ├── NewerFile           written by a later Workcell
    │   ├── DiskFull            there is no room for what was to be written; nothing of it was
    │   └── CellLocked          another process is writing; carries the holder
    ├── GeometryError           a shape that cannot be made
    │   ├── InvalidShape        made, but not a valid surface or solid; carries places
    │   └── KernelCrashed       the CAD process died on this request
    ├── KinematicsError         a pose or configuration that the arm cannot take
    │   ├── Unreachable         no joint values reach the pose
    │   ├── JointLimit          a joint would leave its range; carries joint and excess
    │   └── NotConverged        the numeric solver gave up; carries the residual
    ├── MotionError             a motion that cannot be made or must stop
    │   ├── MotionStop          something began and was stopped; all stands where it stopped, and the recording is whole
    │   │   ├── CollisionStop   before something touched; carries time and pair
    │   │   ├── LimitStop       where a joint comes to a limit; carries joint and limit
    │   │   └── FallStop        after a part fell, landed elsewhere or could not stand; carries part and where it is
    │   ├── GraspFailed         the gripper closed on nothing; carries the test that failed
    │   └── NoPath              no free path was found; carries what is in the way
    │       ├── StartBlocked    the robot touches something where it starts; carries the pairs and a free place
    │       └── GoalBlocked     it touches something at every goal; carries the pairs and a free place
    ├── ServiceError            the wire: not connected, not allowed, not understood
    ├── MissingDependency       an engine or program that is not installed; says how to get it
    └── Cancelled               the request was cancelled by the one who made it

A message is one sentence or two: what was asked, what was found, what would have been right, what to do.
Evidence goes into fields, so that a program can act on it without reading the sentence.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from workcell.wording import either


class WorkcellError(Exception):
    """The root of all errors raised on purpose; ``evidence`` holds the facts by name."""

    def __init__(self, message: str, **evidence: object) -> None:
        super().__init__(message)
        self.message = message
        self.evidence = evidence

    def __str__(self) -> str:
        return self.message

    def pointed(self) -> str:
        """The message under the line with a caret at the place, where the error knows one."""
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
    """A name that nothing has; ``closest`` holds the nearest names that exist."""

    @classmethod
    def among(cls, what: str, asked: str, known: Iterable[str], advice: str = "", most: int = 8) -> UnknownName:
        """Say which names of ``known`` come closest to ``asked``; where none does, all, if no more than ``most``."""
        names = sorted(set(known))
        closest = difflib.get_close_matches(asked, names, n=3, cutoff=0.5)
        if closest:
            hint = f"did you mean {either(closest)}?"
        elif not names:
            hint = f"there is no {what} yet."
        elif len(names) <= most:
            hint = f"there is {either(names)}."
        else:
            hint = f"there are {len(names)}, such as {', '.join(names[:5])}."
        text = f"There is no {what} called {asked!r}; {hint}"
        return cls(f"{text} {advice}".rstrip(), asked=asked, closest=closest)


class NameTaken(WorkcellError):
    """A name that something else has already."""


class CommandSyntaxError(WorkcellError):
    """A command line that does not parse.

    Fields: ``line`` the text, ``column`` where it went wrong (0-based), ``expected`` what could stand there.
    """


class Refused(WorkcellError):
    """A well-formed request that the rules forbid."""


class PointedTo(Refused):
    """Removing what others use; ``pointers`` names them."""


class WrongLevel(Refused):
    """Attaching between levels that do not fit; ``allowed`` names those that do."""


class CycleRefused(Refused):
    """A relation that would make an entity part of itself."""


class NothingToUndo(Refused):
    """No history in that direction."""


class DeadLock(Refused):
    """Programs wait for each other in a ring; ``programs`` names them in order, ``zones`` what they hold."""


class FileProblem(WorkcellError):
    """A file that cannot be read or written."""


class NotACell(FileProblem):
    """The file is not what its name says."""


class DamagedCell(NotACell):
    """A cell whose content is broken; ``problems`` lists what, where it is known."""


class NewerFile(FileProblem):
    """Written by a later Workcell."""


class DiskFull(FileProblem):
    """There is no room for what was to be written; nothing of it was."""


class CellLocked(FileProblem):
    """Another process is writing; ``holder`` names it."""


class GeometryError(WorkcellError):
    """A shape that cannot be made."""


class InvalidShape(GeometryError):
    """Made, but not a valid surface or solid; ``faults`` lists what and where."""


class KernelCrashed(GeometryError):
    """The CAD process died on this request; it has been started anew."""


class KinematicsError(WorkcellError):
    """A pose or configuration that the arm cannot take."""


class Unreachable(KinematicsError):
    """No joint values reach the pose."""


class JointLimit(KinematicsError):
    """A joint would leave its range; ``joint`` counts from 1, ``excess`` is how far out."""


class NotConverged(KinematicsError):
    """The numeric solver gave up; ``residual`` is what was left."""


class MotionError(WorkcellError):
    """A motion that cannot be made or must stop."""


class MotionStop(MotionError):
    """Something began and was stopped: all stands where it stopped, and what was recorded until then is kept.

    Fields: ``stopped`` is when [s].
    """


class CollisionStop(MotionStop):
    """Something touched; ``time`` and ``pair`` say when and what."""


class LimitStop(MotionStop):
    """A joint came to a limit; ``joint`` counts from 1, ``limit`` names which."""


class FallStop(MotionStop):
    """A part fell, landed elsewhere, cannot stand or is inside something; ``part`` and ``on`` name it and the place."""


class GraspFailed(MotionError):
    """The gripper closed on nothing; ``test`` names the one that the nearest candidate failed."""


class NoPath(MotionError):
    """No free path was found; ``obstacles`` lists what the search met and how often, ``tries`` what was tried."""


class StartBlocked(NoPath):
    """The robot touches something where it starts; ``pairs``, ``depth`` [m] and ``free``, free joint values nearby."""


class GoalBlocked(NoPath):
    """The robot touches something at every goal; ``pairs``, ``depth`` [m] and ``free``, free joint values nearby."""


class ServiceError(WorkcellError):
    """The wire: not connected, not allowed, not understood."""


class MissingDependency(WorkcellError):
    """An engine or program that is not installed; the message says how to get it."""


class Cancelled(WorkcellError):
    """The request was cancelled by the one who made it."""
