"""Commands for the sizes of named shapes, such as boxes and cylinders: sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.shapes import SHAPES
from workcell.commands.results import Result
from workcell.errors import Refused
from workcell.geometry.recipe import decode
from workcell.geometry.sizes import sizes_of
from workcell.spatial.units import Units, tidy
from workcell.wording import capital, counted, joined, quoted
from workcell.world.entities import Entity
from workcell.world.operations import is_operation

if TYPE_CHECKING:
    from workcell.commands.session import Session


class SizedBlock(Result, frozen=True):
    """A block of a named shape: the names of its sizes in order, and the sizes [m].

    ``density`` [kg/m³] is what the block states itself. ``others`` are the things besides the one asked about that the
    block is a part of: its sizes are theirs too. ``placed`` is whether it lies elsewhere than at the origin of the
    thing.
    """

    block: str
    shape: str
    names: tuple[str, ...]
    sizes: tuple[float, ...]
    density: float | None
    others: tuple[str, ...]
    placed: bool

    def line(self, units: Units) -> str:
        """Return the shape as a command line has it."""
        sizes = " ".join(str(tidy(round(units.from_si(size, "length"), 9))) for size in self.sizes)
        return f"  {self.block}: {self.shape} {sizes}{f', also of {joined(self.others)}' if self.others else ''}"


class SizeList(Result, frozen=True):
    """The blocks of named shapes that a thing is made of."""

    thing: str
    blocks: tuple[SizedBlock, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "sizes {thing}",
    help="list the named shapes that a block or object is made of, with their sizes",
    effect="reads",
    background=True,
    thing=Ref("block", "object"),
    examples=["> add solid crate box 400 300 200 at 0,0,100", "sizes crate", "modify crate shape box 400 300 250"],
)
def sizes(session: Session, thing: Entity) -> SizeList:
    """Blocks that others are combined from are listed too. `modify BLOCK shape` changes the sizes."""
    found = tuple(_sized(session, block, thing, placed) for block, placed in _leaves(session, thing))
    known = tuple(one for one in found if one is not None)
    lines = [f"{thing.name}: {counted(len(known), 'named shape')}", *(one.line(session.units) for one in known)]
    return SizeList(thing.name, known, "\n".join(lines))


def only_block(session: Session, thing: Entity) -> Entity:
    """Return the block whose shape is the shape of an object; refused if there is none, or more than one."""
    leaves = [block for block, _ in _leaves(session, thing)]
    if len(leaves) != 1:
        names = [quoted(block.name) for block in leaves]
        made = f"is made of {counted(len(names), 'block')}" if names else "has no block with a shape of its own"
        advice = f": {joined(names)}. Use `modify block:NAME shape …` with one of them" if names else ""
        raise Refused(f"{capital(thing.kind)} {thing.name!r} {made}{advice}.", blocks=tuple(names))
    block = leaves[0]
    others = _others(session, block, thing)
    if others:
        raise Refused(
            f"Block {block.name!r} of object {thing.name!r} is also a part of {joined(others)}. "
            f"`modify block:{quoted(block.name)} shape …` changes it for all of them.",
            block=block.name,
        )
    return block


def _leaves(session: Session, thing: Entity) -> Iterator[tuple[Entity, bool]]:
    """Yield the blocks with a shape of their own below a thing, each once, and whether it is placed there."""
    database, seen = session.database, set[int]()

    def below(one: Entity, placed: bool) -> Iterator[tuple[Entity, bool]]:
        if one.id in seen:
            return
        seen.add(one.id)
        if one.kind == "block" and one.shape and not is_operation(one.shape):
            yield one, placed
        for relation in database.relations(one):
            part = database.by_id(relation.child)
            if part.kind in ("block", "object"):
                yield from below(part, placed or bool(relation.transform.steps))

    return below(thing, False)


def _sized(session: Session, block: Entity, thing: Entity, placed: bool) -> SizedBlock | None:
    assert block.shape is not None
    known = sizes_of(decode(block.shape.encode()))
    if known is None:
        return None
    shape, values = known
    density = block.properties.get("density")
    stated = None if density is None else float(density)
    return SizedBlock(block.name, shape, SHAPES[shape][0], values, stated, _others(session, block, thing), placed)


def _others(session: Session, block: Entity, thing: Entity) -> tuple[str, ...]:
    """Return the things that a block is a part of, besides the one asked about."""
    database = session.database
    owners = {one.parent for one in database.pointers(block)} - {thing.id}
    return tuple(sorted(database.by_id(number).name for number in owners)) if owners else ()
