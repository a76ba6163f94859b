"""Blocks as operands of other blocks: how they are typed, and the check of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.references import Ref
from workcell.commands.language.shapes import SpacePoints
from workcell.commands.language.tokens import Tokens
from workcell.commands.language.transforms import FORMS, read_step, transform_text
from workcell.commands.language.values import Vector
from workcell.errors import InvalidShape
from workcell.spatial.transform import Transform
from workcell.spatial.units import Units
from workcell.wording import counted, quoted
from workcell.world.entities import Entity
from workcell.world.expand import Expander
from workcell.world.operations import (
    Combine,
    ExtrudeSurface,
    RevolveSurface,
    operation_of,
)

if TYPE_CHECKING:
    from workcell.commands.session import Session


class Factors(SpacePoints):
    """Triples of plain numbers along a curve: ``(1,1,1) (1.5,1.5,1) (0.5,0.5,1)``."""

    label = "(A,B,C) (A,B,C) …"
    _triple = Vector("number", 3)


class Operand(Ref):
    """A block and, if it is moved, transformation words (in full) behind it."""

    def __init__(self) -> None:
        super().__init__("block")
        self.label = "BLOCK [TRANSFORMATION]"
        self.help = "a block and, if it is moved, a transformation such as translate 50,0,0"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """The block, then steps; a word that only begins like a step is the next block."""
        block = super().parse(tokens, session, seen)
        steps = []
        while (token := tokens.peek()) is not None and not token.quoted and token.text in FORMS:
            tokens.take()
            steps.append(read_step(token.text, tokens, session))
        return block, Transform(tuple(steps))

    def text(self, value: Any) -> str:
        """The block with its kind, and the steps."""
        block, place = value
        return f"{block.reference} {transform_text(place)}" if place.steps else str(block.reference)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """The name of the block, and the steps."""
        block, place = value
        return f"{quoted(block.name)} {transform_text(place, units)}" if place.steps else quoted(block.name)


def prove(session: Session, block: Entity) -> None:
    """Make the solid once, so that an impossible or invalid one is refused before anything is stored."""
    solid = Expander(session.database).solid(block)
    assert solid is not None
    faults = solid.check(session.progress, session.cancel)
    if faults and faults[0].kind.endswith("."):  # a sentence of the kernel is complete
        raise InvalidShape(f"Block {block.name!r} cannot be made: {faults[0].kind}", faults=faults)
    if faults:
        more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise InvalidShape(f"Block {block.name!r} would not be a valid solid: {faults[0]}{more}.", faults=faults)


def operation_summary(units: Units, shape: str) -> str:
    """Describe an operation in a few words."""
    operation = operation_of(shape)
    if isinstance(operation, Combine):
        return operation.operation + (" (fast)" if operation.fast else "")
    if isinstance(operation, ExtrudeSurface):
        return "extrude along " + ", ".join(units.show(v, "length") for v in operation.vector)
    if isinstance(operation, RevolveSurface):
        return "revolve by " + units.show(operation.angle, "angle")
    if operation.form == "curve":
        return "sweep along a curve of the cell"
    return f"sweep along a curve of {counted(len(operation.points), 'point')}"
