"""Steps of programs that share zones: enter-zone and leave-zone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.results import Done
from workcell.errors import Refused
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session

_STAGE = [
    "> create robot Puma puma560 joints 0,0,-90,0,90,0",
    "> add zone press box 400 400 400 at 700,0,200 rule shared",
]


def _in_programs(word: str, zone: Entity) -> Refused:
    return Refused(
        f"`{word} {zone.name}` is a step of a program: programs that run side by side enter a shared zone by turns. A "
        "typed line runs alone.",
        zone=zone.name,
    )


@command(
    "enter-zone {zone}",
    help="wait until a shared zone has room and enter it, in a program",
    effect="simulates",
    zone=Ref("zone"),
    examples=[
        *_STAGE,
        'write program load "enter-zone press%0A  move-joints-relative Puma 10,0,0,0,0,0%0Aleave-zone press"',
        "run load",
    ],
)
def enter_zone(_: Session, zone: Entity) -> Done:
    """First come, first served. The program or branch that entered a zone holds it until `leave-zone`.

    A step that would close a ring of programs which wait for each other is refused, and the sentence names the ring;
    `try … on-error` takes it. While a run is paused `run-status` and `zones` list who holds what and who waits.
    """
    raise _in_programs("enter-zone", zone)


@command(
    "leave-zone {zone}",
    help="leave a shared zone, so that the program that has waited longest enters it, in a program",
    effect="simulates",
    zone=Ref("zone"),
    examples=[
        *_STAGE,
        'write program clear "leave-zone press%0Amove-joints-relative Puma 5,0,0,0,0,0"',
        'write program load "enter-zone press%0Amove-joints-relative Puma 10,0,0,0,0,0%0Acall clear"',
        "run load",
    ],
)
def leave_zone(_: Session, zone: Entity) -> Done:
    """Only who entered it. A program that comes to its end leaves the zones that it is in, and an event says so."""
    raise _in_programs("leave-zone", zone)
