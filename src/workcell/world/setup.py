"""How a cell is simulated, as it stores it: mode, samples, watch, tested pairs and programs."""

from __future__ import annotations

from dataclasses import dataclass

from workcell.motion.profile_names import PROFILES
from workcell.world.catalogue import Catalogue
from workcell.world.identity import Value
from workcell.world.rows import Rows

FIRST_SETTINGS = {"profile": "trapezoid"}
"""The profile of a new cell; it keeps accelerations and needs no figure that data sheets lack."""
MODE, STEP, WATCH, PAIRS, FALL = "mode", "step", "watch", "pairs", "fall"
"""The settings of a cell that affect a simulation."""
GRASP_GAP = "grasp-gap"
"""The extra opening of a hand that moves in to grasp [m]."""
LARGE_MOVE, POSITIONS = "large-move", "positions"
"""Settings that only commands read: the limit of the rule `agent` [rad], and named joint values (JSON)."""
MODES = {"joint-by-joint": "one joint after the other", "path": "all together", "playback": "record, then show"}
WATCHES = ("yes", "certified", "certified undecided")
"""The possible ways to watch for collisions; empty if nothing is watched."""
WORDS: dict[str, tuple[str, ...]] = {"profile": tuple(PROFILES), MODE: tuple(MODES), WATCH: WATCHES}
"""The possible values of settings that are a word; each may also be empty."""


@dataclass(frozen=True)
class StoredProgram(Value):
    """A program as the cell stores it: its name, its lines, and the units of its bare numbers (JSON)."""

    name: str
    text: str
    units: str


@dataclass(frozen=True)
class Setup:
    """How a cell is simulated.

    Attributes:
        mode: ``path``, ``joint-by-joint`` or ``playback``; the first if the cell has none.
        step: the travel of the joint that moves most between two recorded samples [rad]; None for one degree.
        watch: how collisions are watched: '', ``yes``, ``certified`` or ``certified undecided``.
        pairs: the stored pair table (JSON), including entries for bodies that are not there now.
        programs: the programs of the cell.
        fall: how far a part may fall when it is released [m]; None for the default.
        grasp_gap: how much farther than needed a hand opens when it moves in to grasp [m].
    """

    mode: str = ""
    step: float | None = None
    watch: str = ""
    pairs: str = ""
    programs: tuple[StoredProgram, ...] = ()
    fall: float | None = None
    grasp_gap: float = 0.0


def programs_in(rows: Rows) -> tuple[StoredProgram, ...]:
    """The programs of a cell."""
    return tuple(
        StoredProgram(one.name, str(own.get("text", "")), str(own.get("units", "")))
        for one in rows.of_kind("program")
        for own in (one.properties,)
    )


def setup_of(database: Catalogue, programs: tuple[StoredProgram, ...]) -> Setup:
    """How a cell is simulated."""
    step, fall, gap = database.setting(STEP), database.setting(FALL), database.setting(GRASP_GAP)
    return Setup(
        database.setting(MODE),
        float(step) if step else None,
        database.setting(WATCH),
        database.setting(PAIRS),
        programs,
        float(fall) if fall else None,
        float(gap) if gap else 0.0,
    )
