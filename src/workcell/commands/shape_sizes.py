"""Commands for the sizes of named shapes, such as boxes and cylinders: sizes, size-grips, resize."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.shapes import SHAPES, Shape
from workcell.commands.language.transforms import PoseValue
from workcell.commands.placing import place
from workcell.commands.results import Done, Result
from workcell.errors import Refused
from workcell.geometry.recipe import decode, encode
from workcell.geometry.sizes import sizes_of
from workcell.spatial.transform import Transform
from workcell.spatial.units import Units, tidy
from workcell.wording import capital, counted, joined, quoted
from workcell.world.entities import Entity
from workcell.world.operations import is_operation
from workcell.world.together import moves_with

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.solid import Solid


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


class SizeGrips(Result, frozen=True):
    """The shape of a thing that can be changed by its faces: its word, and the names and values [m] of its sizes.

    ``pose`` is where the shape is in the world, as rows, and ``inside`` where it is in the thing. ``refusal`` is the
    reason why the sizes cannot be changed, and there are none then; '' if they can.
    """

    thing: str
    shape: str
    names: tuple[str, ...]
    sizes: tuple[float, ...]
    pose: list[list[float]]
    inside: list[list[float]]
    refusal: str
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "size-grips {thing}",
    help="give the shape of an object or zone that `resize` can change, and where it is",
    effect="reads",
    background=True,
    thing=Ref("object", "zone"),
    examples=["> add zone gate box 300 300 200 at 0,-900,500", "size-grips gate"],
)
def size_grips(session: Session, thing: Entity) -> SizeGrips:
    """The answer is for drawing while a face is dragged. Nothing changes."""
    here = moves_with(session, thing).X_world_thing.matrix
    try:
        block, inside = _resized(session, thing)
    except Refused as reason:
        return SizeGrips(thing.name, "", (), (), here.tolist(), np.eye(4).tolist(), str(reason), str(reason))
    sized = _sized(session, block, thing, False)
    assert sized is not None
    text = f"{thing.name}:\n{sized.line(session.units)}"
    pose = (here @ inside).tolist()
    return SizeGrips(thing.name, sized.shape, sized.names, sized.sizes, pose, inside.tolist(), "", text)


@command(
    "resize {thing} {shape} [at {pose}]",
    help="give an object or zone of one named shape other sizes, and another place",
    effect="edits",
    thing=Ref("object", "zone"),
    shape=Shape(),
    pose=PoseValue(),
    param_help={
        "shape": "the shape with its new sizes, such as box 800 600 40",
        "pose": "where its origin will be in the world; default: where it is",
    },
    examples=[
        "> add zone gate box 300 300 200 at 0,-900,500",
        "resize gate box 400 300 200 at 50,-900,500",
        "> add solid pin cylinder 10 60",
        "resize pin cylinder 12 60",
    ],
)
def resize(session: Session, thing: Entity, shape: Solid, pose: Transform | None = None) -> Done:
    """The origin of a box is in its middle: to keep a face where it is, move the origin by half of the change.

    If other things share the block, `modify BLOCK shape` changes all of them.
    """
    block, _ = _resized(session, thing)
    session.rows.update("entity", block.id, shape=encode(shape.recipe).decode())
    placed = f"; {place(session, thing, pose, hanging=True).text}" if pose is not None else ""
    return Done(f"sizes of {thing.name!r} changed{placed}")


def _resized(session: Session, thing: Entity) -> tuple[Entity, NDArray[np.float64]]:
    """Return the only block of a thing, which has a named shape, and its matrix in the thing; refused otherwise."""
    block = only_block(session, thing)
    ways = [one for one in session.database.relations(thing) if one.child == block.id]
    if len(ways) != 1 or _sized(session, block, thing, False) is None:
        raise Refused(
            f"{capital(thing.kind)} {thing.name!r} is not one named shape, such as a box. "
            f"`modify {block.reference} shape …` gives its block another shape.",
            block=block.name,
        )
    return block, ways[0].matrix


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
            f"Block {block.name!r} of {thing.kind} {thing.name!r} is also a part of {joined(others)}. "
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
