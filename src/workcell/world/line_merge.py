"""Three-way merging of lines and lists: changes of one side are used, different changes of both are reported."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple


class Dispute(NamedTuple):
    """Lines that both sides changed, each in its own way."""

    line: int
    """The first of these lines in the base, from 1."""
    base: tuple[str, ...]
    ours: tuple[str, ...]
    theirs: tuple[str, ...]


class _Edit(NamedTuple):
    start: int
    end: int
    new: tuple[str, ...]


def merge_lines(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str], prefer_ours: bool = True
) -> tuple[list[str], list[Dispute]]:
    """The lines with the edits of both sides; where these overlap, those of the preferred side.

    Edits of lines that only touch each other do not overlap. Two insertions at one place do, unless they are the same.
    """
    found = [(edit, True) for edit in _edits(base, ours)] + [(edit, False) for edit in _edits(base, theirs)]
    waiting = sorted(found, key=lambda one: one[0][:2])  # an insertion comes before a change of the line after it
    merged: list[str] = []
    disputes: list[Dispute] = []
    at = 0
    while waiting:
        group = [waiting.pop(0)]
        start, end = group[0][0].start, group[0][0].end
        while waiting and _overlap(waiting[0][0], start, end):
            group.append(waiting.pop(0))
            end = max(end, group[-1][0].end)
        mine, other = ([edit for edit, is_ours in group if is_ours is side] for side in (True, False))
        merged += base[at:start]
        at = end
        left, right = _applied(base, start, end, mine), _applied(base, start, end, other)
        if mine and other and left != right:
            disputes.append(Dispute(start + 1, tuple(base[start:end]), tuple(left), tuple(right)))
            merged += left if prefer_ours else right
        else:
            merged += left if mine else right
    return [*merged, *base[at:]], disputes


def _overlap(edit: _Edit, start: int, end: int) -> bool:
    """Whether an edit overlaps those from ``start`` to ``end``; two insertions at one place do."""
    return edit.start < end or edit.start == edit.end == start == end


def _edits(base: Sequence[str], new: Sequence[str]) -> list[_Edit]:
    found = SequenceMatcher(None, base, new, autojunk=False).get_opcodes()
    edits: list[_Edit] = []
    for what, start, end, first, last in found:
        if what == "equal":
            continue
        if what == "replace" and end - start == last - first:  # line by line, so that others may edit the next one
            edits += [_Edit(start + k, start + k + 1, (new[first + k],)) for k in range(end - start)]
        else:
            edits.append(_Edit(start, end, tuple(new[first:last])))
    return edits


def _applied(base: Sequence[str], start: int, end: int, edits: list[_Edit]) -> list[str]:
    lines: list[str] = []
    for edit in edits:
        lines += [*base[start : edit.start], *edit.new]
        start = edit.end
    return [*lines, *base[start:end]]


def merge_items(
    base: list[Any], ours: list[Any], theirs: list[Any], key: Callable[[Any], Hashable]
) -> tuple[list[Any], list[Hashable]]:
    """A list of items that are identified by a key, with the changes of both sides; and the disputed keys.

    Items keep the order of ours; new ones of theirs come last. A disputed item is taken from ours.
    """
    sides = [{key(one): one for one in side} for side in (base, ours, theirs)]
    known, mine, other = sides
    merged, disputed = [], []
    for name in {**mine, **other, **known}:
        was, left, right = (side.get(name) for side in sides)
        if left != right and was not in (left, right):
            disputed.append(name)
        chosen = right if left == was else left
        if chosen is not None:
            merged.append(chosen)
    return merged, disputed
