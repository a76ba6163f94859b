"""The operands of Agent commands, as the forms of the commands name them: what may be typed for each."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workcell.languages.agent.objects import DRAWINGS, SOLIDS
from workcell.languages.agent.text_names import COLOUR, VECTOR, TextNames
from workcell.languages.agent.turn import THINGS
from workcell.wording import an, counted
from workcell.world.expand import COLOURS

_NUMBERS = frozenset(
    f"<{name}>"
    for name in (
        *("x", "y", "z", "roll", "pitch", "yaw", "value", "limit", "flag", "angle", "incremental", "distance"),
        *("r", "g", "b"),
    )
)
"""The operands that are one number each."""
_FLAGS = ("<flag>", "<incremental>")
_OPEN = ("<parameters>", "<joint angles>", "<agent-type>")
"""The operands of any number of words."""
FILE = "<filename>"
"""The operand that is a file; what can be typed for it depends on the folder that is typed."""
_PART = re.compile(r"(?:[^\s<]|<[^>]*>)+")
_COUNT = re.compile(r"\d+(?=>)")
_KEY = re.compile(r"[xyz]=")


def operands_at(form: str, index: int) -> tuple[str, ...]:
    """Return what an argument may be, in the words of the form of its command; the index counts from 0.

    An operand is such as `<agent>`, `solid` or `x=`. Behind one of any number of words may be those that follow it.
    """
    parts = _PART.findall(form)
    for at, part in enumerate(parts):
        if _KEY.match(part):
            return tuple(one[:2] for one in parts[at:])
        if part == "...":
            return _choices(parts[at - 1])
        if at == index:
            return _choices(part)
        if any(operand in _OPEN for operand in _choices(part)):
            return tuple(operand for later in parts[at + 1 :] for operand in _choices(later))
    return ()


def _choices(part: str) -> tuple[str, ...]:
    return tuple(_COUNT.sub("", one) for one in part.strip("[]").split("|"))


def number_places(form: str, count: int) -> list[int]:
    """Return which of so many arguments must be one number, counted from 1."""
    return [index + 1 for index in range(count) if _NUMBERS.issuperset(operands_at(form, index) or ("",))]


def suggestions(operand: str, names: TextNames, before: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    """Return what can be typed for an operand, each with what it is.

    Args:
        operand: see `operands_at`.
        names: those that the line may use.
        before: the arguments before it.
    """
    if operand == "<agent>":
        return _named(names, "robot")
    if operand == "<object>":
        return _named(names, *THINGS)
    if operand == "<color>":
        return [*_named(names, COLOUR), *((name, "a colour") for name in COLOURS)]
    if operand == "<vector>":
        return [(name, "joint values") for name, _ in names.of(VECTOR)]
    if operand == "<type>":
        solids = [(name, f"a solid of {counted(count, 'size')}") for name, count in SOLIDS.items()]
        return [*solids, *((name, "a drawing") for name in DRAWINGS)]
    if operand == "<agent-type>":
        return [(one.name, one.model) for one in names.session.call("robots").robots]
    if operand in _FLAGS:
        return [("1", "yes"), ("0", "no")]
    if _KEY.match(operand):
        return [] if any(one.startswith(operand) for one in before) else [(operand, f"the axis {operand[0]}")]
    return [] if operand.startswith("<") else [(operand, "a choice")]


def _named(names: TextNames, *kinds: str) -> list[tuple[str, str]]:
    return [(name, an(kind)) for name, kind in names.of(*kinds)]
