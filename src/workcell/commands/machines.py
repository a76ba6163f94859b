"""Commands on machines: create machine, machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import NewName
from workcell.commands.model import make
from workcell.commands.results import Made, Table
from workcell.world.devices import placed_robot, require_machine
from workcell.world.entities import Entity
from workcell.world.machine_places import MEMBERS

if TYPE_CHECKING:
    from workcell.commands.session import Session

_CELL = (
    "> add rail track 3000",
    "> create robot Arm irb1600",
    "> mount Arm on track",
    "> add positioner Table at 1500,1200,0",
)


@command(
    "create machine {name} [of {members}]*",
    help="combine robots and mechanisms into a machine, whose joints move in one timing",
    effect="edits",
    name=NewName(),
    members=Ref("robot", "mechanism"),
    param_help={"members": "two or more robots and mechanisms, in the order of their joints"},
    examples=[
        *_CELL,
        "create machine Cell of track of Arm of Table",
        "move-joints-absolute Cell 1200,0,20,-40,0,30,0,30,90",
    ],
)
def create_machine(session: Session, name: str, members: list[Entity] | None = None) -> Made:
    """Example: an arm on a rail with a positioner. Moves of the hand can use the other axes too (`axes best`)."""
    names = tuple(placed_robot(session.snapshot(), one).name for one in members or [])
    require_machine(session.snapshot(), name, names)
    return make(session, "machine", name, properties={MEMBERS: ", ".join(names)})


@command(
    "machines",
    help="list the machines, their members, and their current joint values",
    effect="reads",
    background=True,
    examples=[*_CELL, "> create machine Cell of track of Arm", "machines"],
)
def machines(session: Session) -> Table:
    """Joint values are in the units of the cell."""
    rows = []
    snapshot, state = session.snapshot(), session.state
    for one in snapshot.machines:
        joints = one.problem
        if not joints:
            machine = snapshot.machine(one.name).robot
            values = machine.whole({name: state.joints[name] for name in machine.names})
            quantities = ["length" if row.prismatic else "angle" for row in machine.rows]
            joints = ", ".join(session.units.show(v, q) for v, q in zip(values.tolist(), quantities, strict=True))
        rows.append((one.name, ", ".join(one.members), joints))
    return Table(("machine", "made of", "joints now"), tuple(rows))
