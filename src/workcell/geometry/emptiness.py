"""Messages for booleans that leave nothing: which operation, and of what."""

from __future__ import annotations

from workcell.errors import InvalidShape
from workcell.geometry import recipe as r

_NAMED = 3
"""The number of parts of an operation that are named before the rest are counted."""


def nothing_left(node: r.Recipe) -> InvalidShape:
    """The error for an operation that leaves nothing."""
    return InvalidShape(f"Nothing is left: {described(node)} is empty.", faults=("empty",))


def empty_part(whole: r.Recipe, node: r.Recipe) -> InvalidShape:
    """The error for an operation that cannot be made because a part of it is empty."""
    word = str(whole.__struct_config__.tag)
    return InvalidShape(
        f"The {word} cannot be made, because a part of it is empty: nothing is left of {described(node)}. Change that "
        f"part, or leave it out.",
        faults=("empty part",),
        part=described(node),
    )


def is_empty(error: InvalidShape) -> bool:
    """Whether an error means that an operation leaves nothing."""
    return error.evidence.get("faults") == ("empty",)


def described(node: r.Recipe, deep: bool = True) -> str:
    """A solid in a few words: its name, or what it is made of."""
    while isinstance(node, r.Placed):
        node = node.part
    if isinstance(node, r.Named):
        return f"'{node.name}'"
    if not isinstance(node, r.Union | r.Difference | r.Intersection):
        word = str(node.__struct_config__.tag)
        return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
    word = type(node).__name__.lower()
    if not deep:
        return f"{'an' if word == 'intersection' else 'a'} {word}"
    first, *others = (described(part, deep=False) for part in node.parts())
    if isinstance(node, r.Difference):
        return f"the difference of {first} and {_listed(others)}"
    return f"the {word} of {_listed([first, *others])}"


def _listed(parts: list[str]) -> str:
    shown = parts[:_NAMED]
    if len(parts) > _NAMED:
        shown.append(f"{len(parts) - _NAMED} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
