"""What a person should know about the bodies of a cell: shapes that are not whole, and sizes as of mistaken units."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from workcell.collision.collision_body import CollisionBody

_HUGE, _TINY = 100.0, 1e-4
"""Bodies beyond these sizes [m] were probably given in other units."""
_LARGE, _SMALL, _UNLIKE = 10.0, 2e-3, 40.0
"""And so were those beyond these [m] that are so many times longer or shorter than what is usual in their cell."""


def _plausible(bodies: Sequence[CollisionBody]) -> tuple[float, float]:
    """From which size to which a body of a cell is plausible [m], by its robots' links or, without any, its bodies."""
    shaped = [body for body in bodies if not body.untouchable and body.zone is None]
    sizes = [body.tree.extent for body in shaped if body.is_link] or [body.tree.extent for body in shaped]
    if not sizes:
        return _TINY, _HUGE
    least = min(_SMALL, statistics.median_high(sizes) / _UNLIKE)
    most = max(_LARGE, statistics.median_low(sizes) * _UNLIKE)
    return max(_TINY, least), min(_HUGE, most)


def strange_sizes(bodies: Sequence[CollisionBody]) -> list[str]:
    """A sentence for every body whose size looks as if its units were mistaken."""
    return [text for body, text in _sizes(bodies) if text]


def _sizes(bodies: Sequence[CollisionBody]) -> Iterator[tuple[CollisionBody, str]]:
    """Every body, with what is strange about its size."""
    least, most = _plausible(bodies)
    for body in bodies:
        size, text = body.tree.extent, ""
        if not body.untouchable and not least <= size <= most:
            off = "in millimetres" if size > most else "in kilometres or scaled by 1/1000"
            text = f"{body.name} is {size:.6g} m long: was it given {off}? Lengths are metres."
        yield body, text


def notes_of(bodies: Sequence[CollisionBody]) -> tuple[str, ...]:
    """What a person should know about bodies: unknown shapes, open meshes, triangles left out, strange sizes."""
    notes = []
    for body, strange in _sizes(bodies):
        tree = body.tree
        if body.unknown:
            left = "it is not tested" if body.shapeless else "only what is known of it is tested"
            notes.append(f"The shape of {body.name} is unknown; {left}: {body.unknown}")
        if body.untouchable:
            if body.shapeless and not body.is_link:
                notes.append(f"{body.name} has no shape and is not tested.")
            continue
        if not tree.closed:
            notes.append(f"{body.name} is an open mesh: it is treated as a surface, without an inside.")
        if tree.dropped and body.zone is None:  # a swept volume has slivers that nobody drew
            one = tree.dropped == 1
            which, verb = ("1 triangle", "has") if one else (f"{tree.dropped} triangles", "have")
            notes.append(f"{which} of {body.name} {verb} no area and {'is' if one else 'are'} left out.")
        if strange:
            notes.append(strange)
    return tuple(notes)
