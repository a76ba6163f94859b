"""The answers of commands on collisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, TypeVar

import msgspec

from workcell.commands.results import Result

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.check import Contact


class ContactRow(TypedDict):
    """A contact: the pair, its kind, a point [m], its depth [m], and the margin that is wanted [m]."""

    pair: list[str]
    kind: str
    point: list[float]
    depth: float
    margin: float


def contact_row(contact: Contact) -> ContactRow:
    """Return a contact as a row of an answer."""
    return {
        "pair": list(contact.pair),
        "kind": contact.kind,
        "point": [float(v) for v in contact.points[0]],
        "depth": float(contact.depth),
        "margin": float(contact.margin),
    }


class Touching(Result, frozen=True):
    """What touches: pairs with a point [m] and a depth [m], and the parts that rest on something.

    ``against`` are parts that stand beside something and touch it.
    """

    contacts: list[ContactRow]
    notes: list[str]
    text: str
    rests: tuple[tuple[str, str], ...] = ()
    against: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return self.text


class Along(Result, frozen=True):
    """The first contact in a recording: its time [s] and the pair; and how many samples were checked."""

    samples: int
    time: float | None
    pair: tuple[str, str] | None
    touching: int
    text: str
    notes: tuple[str, ...] = ()
    proved: bool = False
    undecided: tuple[tuple[float, float, tuple[str, str], str], ...] = ()
    differs: tuple[str, ...] = ()
    """How the cell differs from the one in which the recording was made."""

    def __str__(self) -> str:
        return self.text


class Share(Result, frozen=True):
    """How many random states of a robot are free, and which pairs touch most."""

    states: int
    free: int
    pairs: list[tuple[str, str, int]]
    text: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


class Nearest(Result, frozen=True):
    """The smallest distance [m], the pair, and the nearest points [m].

    ``own`` is the smallest distance between links of one robot, if both were asked for.
    """

    distance: float
    pair: tuple[str, str]
    points: list[list[float]]
    text: str
    time: float | None = None
    own: float | None = None
    own_pair: tuple[str, str] | None = None
    own_time: float | None = None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


class Proved(Result, frozen=True):
    """Whether a motion is free: ``free`` with a bound [m], ``contact`` with a time [s], or ``undecided``."""

    verdict: str
    bound: float | None
    time: float | None
    last_free: float | None
    pair: tuple[str, str] | None
    text: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


_Answer = TypeVar("_Answer", "Along", "Share", "Nearest", "Proved")


def noted(answer: _Answer, model: CollisionModel) -> _Answer:
    """Return an answer with the notes on the bodies, such as open meshes and strange sizes."""
    text = "\n".join([answer.text, *model.notes])
    return msgspec.structs.replace(answer, text=text, notes=model.notes)
