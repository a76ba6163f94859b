"""How a cell is simulated, as it keeps it: mode, samples, watch, tested pairs and programs."""

from __future__ import annotations

from dataclasses import dataclass

from workcell.motion.profile_names import PROFILES
from workcell.world.catalogue import Catalogue
from workcell.world.identity import Value
from workcell.world.rows import Rows

FIRST_SETTINGS = {"profile": "trapezoid"}
"""What a new cell begins with; this profile keeps accelerations and asks for no figure that data sheets lack."""
MODE, STEP, WATCH, PAIRS, FALL = "mode", "step", "watch", "pairs", "fall"
"""The settings of a cell that change what a simulation gives."""
MODES = {"joint-by-joint": "one joint after the other", "path": "all together", "playback": "record, then show"}
WATCHES = ("yes", "certified", "certified undecided")
"""How collisions may be looked for; nothing where they are not."""
WORDS: dict[str, tuple[str, ...]] = {"profile": tuple(PROFILES), MODE: tuple(MODES), WATCH: WATCHES}
"""What the settings that are a word may be; each may be empty also."""


@dataclass(frozen=True)
class StoredProgram(Value):
    """A program as the cell keeps it: its name, its lines, and the units of its bare numbers (JSON)."""

    name: str
    text: str
    units: str


@dataclass(frozen=True)
class Setup:
    """How a cell is simulated.

    Attributes:
        mode: ``path``, ``joint-by-joint`` or ``playback``; the first where the cell has none.
        step: how far the joint that moves most goes between two recorded samples [rad]; None for one degree.
        watch: how collisions are looked for: nothing, ``yes``, ``certified`` or ``certified undecided``.
        pairs: the pair table as it is kept (JSON), with what it says of bodies that are not there now.
        programs: the programs of the cell.
        fall: how far a part may fall when it is let go [m]; None for the default.
    """

    mode: str = ""
    step: float | None = None
    watch: str = ""
    pairs: str = ""
    programs: tuple[StoredProgram, ...] = ()
    fall: float | None = None


def programs_in(rows: Rows) -> tuple[StoredProgram, ...]:
    """The programs of a cell."""
    return tuple(
        StoredProgram(one.name, str(own.get("text", "")), str(own.get("units", "")))
        for one in rows.of_kind("program")
        for own in (one.properties,)
    )


def setup_of(database: Catalogue, programs: tuple[StoredProgram, ...]) -> Setup:
    """How a cell is simulated."""
    step, fall = database.setting(STEP), database.setting(FALL)
    return Setup(
        database.setting(MODE),
        float(step) if step else None,
        database.setting(WATCH),
        database.setting(PAIRS),
        programs,
        float(fall) if fall else None,
    )
