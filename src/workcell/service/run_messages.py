"""The message about programs and runs: what every window shows of them."""

# ruff: noqa: RUF012 (a struct copies its defaults)

from __future__ import annotations

from workcell.service.message import Message, MessageValue


class PlaceInfo(MessageValue, frozen=True):
    """A line of a program, counted from 1."""

    program: str
    line: int


class ThreadInfo(MessageValue, frozen=True, omit_defaults=True):
    """A program or a branch of a run: where it is, what it does, who called it, and its variables as texts.

    ``stands`` is true for the one whose next step the paused run is before. Lines are counted in the program as it is
    now; 0 for a line that was removed since the run began.
    """

    name: str
    program: str
    line: int
    doing: str
    stands: bool = False
    callers: list[PlaceInfo] = []
    variables: dict[str, str] = {}


class BreakpointInfo(MessageValue, frozen=True, omit_defaults=True):
    """A breakpoint; ``when`` is its condition."""

    program: str
    line: int
    when: str = ""


class ParameterInfo(MessageValue, frozen=True, omit_defaults=True):
    """A parameter of a program.

    Attributes:
        name: its name.
        type: its type, such as ``length`` or ``part``.
        unit: of a bare number that is given for it; '' for a plain number, or for something else.
        required: whether a run needs a value for it.
        default: the value that it has otherwise, as it can be given.
        kinds: the kinds of entity that it may name.
    """

    name: str
    type: str
    unit: str = ""
    required: bool = False
    default: str = ""
    kinds: list[str] = []


class ProgramInfo(MessageValue, frozen=True, omit_defaults=True):
    """A program of the cell.

    ``id`` stays when it is renamed, ``mark`` changes with its lines, ``language`` is ``commands`` or another language.
    """

    id: str
    name: str
    mark: str
    language: str
    parameters: list[ParameterInfo] = []


class SignalInfo(MessageValue, frozen=True, omit_defaults=True):
    """A signal and its present value; ``fixed`` if it belongs to a device or a sensor and is not set by hand.

    ``unit`` is the unit of the value, one of those of the cell; '' for a plain number.
    """

    name: str
    value: float
    fixed: bool = False
    unit: str = ""


class RunInfo(Message, frozen=True, tag="run"):
    """The programs of the cell, the run that is paused or in progress, and the signals.

    ``state`` is ``none`` if there is no run. ``hit`` says that a breakpoint paused it, ``unclear`` why the condition of
    that breakpoint has no value. ``time`` is the simulated time [s]. All windows get it whenever it changes, and a few
    times a second while a run is in progress.
    """

    state: str
    programs: list[ProgramInfo]
    breakpoints: list[BreakpointInfo]
    signals: list[SignalInfo]
    threads: list[ThreadInfo]
    time: float
    started: list[str]
    hit: bool = False
    unclear: str = ""
    edited: bool = False
    """Whether the cell was edited since the run began; edits apply to the next run."""
    elsewhere: list[str] = []
    """What differs between the present state and the initial one, in which runs start."""
    awaits: list[str] = []
    """The signals for which a paused run waits; empty if it is paused before a step."""
    again: bool = False
    """Whether `pause-at` can return to a time of the last run."""
    ran: list[str] = []
    """The programs that were started together in the recording, in their order; empty if there are none."""
    back: bool = False
    """Whether the paused run has an earlier pause to which `step-back` returns."""
    override: float = 0.0
    """The least override of the devices in the run that is paused or in progress [%]; 0 if there is no run."""
