"""Does anything touch at this state: the pairs, and where, how deep and along which normal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from workcell.collision.arrangement import NOTHING
from workcell.collision.clearance import margin_of
from workcell.collision.meeting import Meeting
from workcell.collision.pairs import PENETRATION
from workcell.collision.supports import pressed
from workcell.world.body import unknown_words
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.arrangement import Arrangement
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]
Ints = NDArray[np.int32]
Kind = Literal["surfaces", "inside", "margin", "support"]

_ROOM = 1024
"""The most contacts of one state that are listed."""


@dataclass(frozen=True, eq=False)
class Contact:
    """Two bodies that touch, or come nearer than they may.

    Attributes:
        first: name of the one, the one farther along its arm.
        second: name of the other.
        first_link: the link's number, 0 for a base; -1 for an object or zone.
        second_link: likewise.
        kind: 'surfaces' cross or touch; one 'inside' the other; nearer than the 'margin'; a part presses deeper
            into its 'support' than it may.
        margin: the clearance required of the pair [m].
        zone: whether the second is a zone.
    """

    first: str
    second: str
    first_link: int
    second_link: int
    kind: Kind
    _meeting: Meeting
    margin: float = 0.0
    zone: bool = False

    @property
    def pair(self) -> tuple[str, str]:
        """Both names."""
        return self.first, self.second

    @property
    def points(self) -> Array:
        """Where the surfaces touch (k, 3) [m] in the world.

        The middle between the nearest points when apart; the nearest point of the inner one when one is inside.
        """
        if len(self._meeting.touches[0]):
            return self._meeting.touches[0]
        _, here, there = self._meeting.gap
        if self.kind == "inside":
            return np.asarray((here if self.first_inside else there)[None])
        return np.asarray((here + there)[None] / 2.0)

    @property
    def first_inside(self) -> bool:
        """Whether, of two of which one is inside the other, it is the first: the lesser one is."""
        return self.zone or self._meeting.first.extent <= self._meeting.second.extent

    @property
    def normals(self) -> Array:
        """The outward unit normals (k, 3) of the second body's surface at the points."""
        if len(self._meeting.touches[1]):
            return self._meeting.touches[1]
        distance, here, there = self._meeting.gap
        return np.asarray((here - there)[None] / distance if distance > 0.0 else np.zeros((1, 3)))

    @property
    def direction(self) -> Array:
        """The unit vector (3,) along which the second body gets free of the first the soonest."""
        return self._meeting.way_out[1] if self.kind != "margin" else -self.normals[0]

    @property
    def depth(self) -> float:
        """How far the second body must be shifted along ``direction`` to be free [m]; minus the distance when apart."""
        return self._meeting.way_out[0] if self.kind != "margin" else -self._meeting.gap[0]

    def __str__(self) -> str:
        one, other = self.first, f"zone {self.second}" if self.zone else self.second
        if self.kind == "margin":
            return f"{one} comes too near to {other}"
        if self.kind == "support":
            return f"{one} presses too deep into {other}"
        if self.kind == "inside":
            return f"{one} is inside {other}" if self.first_inside else f"{other} is inside {one}"
        return f"{one} reaches into {other}" if self.zone else f"{one} touches {other}"


@dataclass(frozen=True, eq=False)
class Check:
    """What was found at one state.

    Attributes:
        contacts: the pairs that touch or come too near; only the first one found when only that was asked.
        notes: what a person should know about the bodies.
        unknown: bodies whose shape is not known, which were not tested.
    """

    contacts: tuple[Contact, ...]
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def free(self) -> bool:
        """Whether nothing touches."""
        return not self.contacts

    def __bool__(self) -> bool:
        return bool(self.contacts)

    def __str__(self) -> str:
        text = "; ".join(str(contact) for contact in self.contacts) + "." if self.contacts else "Nothing touches."
        return text + unknown_words(self.unknown)


def check(model: CollisionModel, state: CellState, first: bool = False) -> Check:
    """What touches, or comes nearer than its margin, at a state.

    Args:
        model: the bodies and the pair table.
        state: where everything is.
        first: stop at the first contact found, looking from the tool outward.
    """
    arrangement = model.arrangement(state)
    poses = arrangement.scratch()
    limit = 1 if first else _ROOM
    found = np.empty((1, limit, 3), dtype=np.int32)
    counts = contacts_of(arrangement, arrangement.q(state), poses, found)
    count = min(int(counts[0]), limit)
    contacts = [_contact(arrangement, poses, *row) for row in found[0, :count].tolist()] if count else []
    if not (first and contacts):
        contacts += [_contact(arrangement, poses, *row) for row in rest_contacts(arrangement)]
        if arrangement.supports:
            contacts += pressing(arrangement, poses)
    return Check(tuple(contacts[:1] if first else contacts), model.notes, model.unknown)


def contacts_of(arrangement: Arrangement, Q: Array, poses: Array, found: Ints, free: Array = NOTHING) -> Ints:
    """How many pairs with a joint that moves touch at each row of joint values (N, joints).

    Args:
        arrangement: who stands where.
        Q: joint values of all robots.
        poses: room for the poses of all frames; those of the last row stay there.
        found: (N, most, 3) filled with the two bodies and the kind of each contact, the tool outward.
        free: where driven bodies are, the same at each row.
    """
    from workcell.collision import _kernels_states

    counts = np.empty(len(Q), dtype=np.int32)
    _kernels_states.contacts(
        arrangement.mesh, arrangement.bodies, arrangement.frames, arrangement.which, arrangement.still_tree,
        arrangement.moving, arrangement.reach, Q, free, poses, found.shape[1], counts, found,
    )  # fmt: skip
    return counts


def rest_contacts(arrangement: Arrangement) -> list[tuple[int, int, int]]:
    """Pairs of still bodies that are too near: worked out once, since joint values do not change them."""
    known = arrangement._rest_contacts
    if known is None:
        from workcell.collision import _kernels_meshes

        first, second, margins = arrangement.rest
        kinds = np.zeros(len(first), dtype=np.int32)
        hits = np.empty((len(first), 2), dtype=np.int32)
        _kernels_meshes.pairs_within(
            arrangement.mesh, arrangement.bodies, arrangement.still, first, second, margins, kinds, hits
        )
        known = [(int(first[k]), int(second[k]), int(kinds[k])) for k in np.flatnonzero(kinds)]
        arrangement._rest_contacts = known
    return known


def pressing(arrangement: Arrangement, poses: Array) -> list[Contact]:
    """Supported parts that press deeper into their support than they may."""
    model = arrangement.model
    found = []
    for support in arrangement.supports:
        part, base = model.index[support.part], model.index[support.base]
        if pressed(arrangement, poses, part, base, np.array(support.normal), PENETRATION):
            found.append(_contact(arrangement, poses, part, base, 4))
    return found


def _contact(arrangement: Arrangement, poses: Array, a: int, b: int, kind: int) -> Contact:
    model = arrangement.model
    one, other = model.bodies[a], model.bodies[b]
    X_a, X_b = poses[arrangement.frame[a]].copy(), poses[arrangement.frame[b]].copy()
    meeting = Meeting(one.tree, other.tree, X_a, X_b)
    found: Kind = ("surfaces", "surfaces", "inside", "margin", "support")[kind]
    if kind == 1 and arrangement.reach > 1e-7 and meeting.gap[0] > 1e-9:
        found = "margin"
    margin = margin_of(arrangement, a, b)
    return Contact(one.name, other.name, one.link, other.link, found, meeting, margin, other.zone is not None)
