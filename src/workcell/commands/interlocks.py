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
        f"`{word} {zone.name}` is a step of a program: programs that run in parallel take turns in a shared zone. A "
        "typed line runs alone.",
        zone=zone.name,
    )


@command(
    "enter-zone {zone}",
    help="wait until a shared zone has room, and enter it, in a program",
    effect="simulates",
    zone=Ref("zone"),
    param_help={"zone": "a zone with the rule shared"},
    examples=[
        *_STAGE,
        'write program load "enter-zone press%0A  move-joints-relative Puma 10,0,0,0,0,0%0Aleave-zone press"',
        "run load",
    ],
)
def enter_zone(_: Session, zone: Entity) -> Done:
    """The program that has waited longest enters first. A program or branch holds the zone until `leave-zone`.

    A step that would cause a deadlock is refused; the message names the programs that would wait for each other, and
    `try … on-error` can catch it. While a run is paused, `run-status` and `zones` list who holds a zone and who waits.
    """
    raise _in_programs("enter-zone", zone)


@command(
    "leave-zone {zone}",
    help="leave a shared zone, so that the program that has waited longest can enter, in a program",
    effect="simulates",
    zone=Ref("zone"),
    param_help={"zone": "a zone with the rule shared"},
    examples=[
        *_STAGE,
        'write program clear "leave-zone press%0Amove-joints-relative Puma 5,0,0,0,0,0"',
        'write program load "enter-zone press%0Amove-joints-relative Puma 10,0,0,0,0,0%0Acall clear"',
        "run load",
    ],
)
def leave_zone(_: Session, zone: Entity) -> Done:
    """Only a program that entered a zone can leave it. A program that ends leaves its zones; an event records this."""
    raise _in_programs("leave-zone", zone)
