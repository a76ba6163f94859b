"""The command that guides a hand between obstacles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from workcell.commands.hand_moves import POINT, HandTarget
from workcell.commands.language.choices import Choice
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Length, Number
from workcell.commands.results import Result
from workcell.commands.typed_steps import carried_out
from workcell.errors import DeadEnd
from workcell.programs import steps as s
from workcell.world.body import unknown_after
from workcell.world.devices import unwatched

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.guiding import Guiding

_CELL = (
    "> create robot Puma puma560 joints 0,0,-90,0,90,0",
    "> add solid ball sphere 80 at 450,250,300",
)


_KEPT = "Its motion up to there is kept as one step of the history; `undo` takes it back."


class Guided(Result, frozen=True):
    """A hand was guided.

    Attributes:
        robot: whose hand.
        duration: how long it took [s].
        time: what the clock says [s].
        miss: how far the hand was from its destination when it arrived [m].
        turn: how far it was from its attitude [rad]; 0 where only the position counts.
        clearance: the least distance to anything that is not the arm itself [m]; None where nothing came near.
        pair: the two bodies of it.
        plans: how often a plan helped it out of a dead end.
        unknown: the bodies whose shape is not known.
    """

    robot: str
    duration: float
    time: float
    miss: float
    turn: float
    clearance: float | None
    pair: tuple[str, str] | None
    plans: int = 0
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.robot} was guided in {self.duration:.4f} s; it missed by {self.miss * 1e3:.3g} mm"
        if self.turn > 0.0:
            text += f" and {math.degrees(self.turn):.2g} deg"
        if self.clearance is not None and self.pair is not None:
            text += f"; {self.pair[0]} came within {self.clearance * 1e3:.4g} mm of {self.pair[1]}"
        if self.plans:
            text += f"; {'a plan' if self.plans == 1 else f'{self.plans} plans'} helped it out of a dead end"
        return f"{text}; simulated time {self.time:.4f} s{unknown_after(self.unknown)}"


@command(
    "guide {robot} {pose} [on {on}] [speed {speed}] [keep {keep}] [tolerance {tolerance}] [within {within}] "
    "[every {period}] [ignoring {ignoring}] [method {method}] [resolution {resolution}] "
    "[gain {gain}] [caution {caution}] [damping {damping}] [of {point}] [--position] "
    "[--plan]",
    help="bring the hand to a pose between obstacles, deciding at every period where to go next",
    effect="simulates",
    robot=Ref("robot"),
    pose=HandTarget(),
    on=Ref("object"),
    speed=Number("speed", positive=True),
    keep=Length(positive=True),
    tolerance=Length(positive=True),
    within=Number("time", positive=True),
    period=Number("time", positive=True),
    ignoring=Ref("object", "robot", "mechanism"),
    method=Choice(
        {"jacobian": "through the Jacobian of any arm, the default", "thesis": "as the thesis of 1973 does, by links"},
        "jacobian|thesis",
    ),
    resolution=Number("angle", positive=True),
    gain=Number(positive=True),
    caution=Number(positive=True),
    damping=Number(positive=True),
    point=POINT,
    param_help={
        "pose": "in the world; with `on` in the frame of that object",
        "on": "an object that carries the destination, such as a part on a belt: it is met where it will be",
        "speed": "of the hand; 250 mm/s by default",
        "keep": "the distance at which things begin to push the arm away; 50 mm by default",
        "tolerance": "how near the hand has to come; 1 mm by default",
        "within": "give up after this time; 60 s by default",
        "period": "how often it decides; every 20 ms by default",
        "ignoring": "something that it need not keep away from, such as the part that it is to take",
        "method": "how it decides: jacobian, the default, for every arm, or thesis for chains of generalised links",
        "gain": "how fast the last of the way is used up, as a part of it in a second; 4 by default",
        "caution": "how fast a distance to something may be used up, as a part of it in a second; 4 by default",
        "damping": "how much large joint speeds are avoided near singular postures; 0.03 by default",
        "resolution": "the step of the encoders that the joints are read with; exact by default",
        "point": "what is brought there; the tool by default",
        "position": "only the position counts, the hand may turn as it likes",
        "plan": "answer a dead end by a plan that is proved free, and go on after it",
    },
    examples=[
        *_CELL,
        "guide Puma 300,550,250 euler fanuc_wpr 180,0,180",
        "guide Puma 600,-300,400 speed 400mm/s keep 30 --position",
    ],
)
def guide(session: Session, **given: Any) -> Guided:
    """Every link keeps away from everything, as L. A. Loeff's guidance of 1973 does; it looks again at each period.

    A destination out of reach is refused before anything moves. A hand that gets no closer stops there, unless `--plan`
    finds a way; its motion up to there is one step of the history, as that of any motion that is stopped.
    """
    try:
        done = carried_out(session, s.Guide, given)
    except DeadEnd as error:
        raise DeadEnd(f"{error.message} {_KEPT}", **error.evidence) from error
    found: Guiding = done.found
    near = found.nearest is not None
    return Guided(
        found.wish.robot, done.duration, session.simulator_time, found.distance, found.turn,
        found.clearance if near else None, found.nearest, found.ways, unwatched(session.snapshot()),
    )  # fmt: skip
