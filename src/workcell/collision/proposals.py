"""Pairs that touch at home: proposed with evidence, allowed only when somebody confirms them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workcell.collision.check import Contact, check
from workcell.collision.pairs import PairTable
from workcell.collision.supports import at_rest
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel


@dataclass(frozen=True, eq=False)
class Proposal:
    """A tested pair that touches where it should be free, and what is known about it.

    Attributes:
        contact: the pair, with points, normals and depth.
        evidence: that in words, kept in the table when the pair is allowed.
    """

    contact: Contact
    evidence: str

    @property
    def pair(self) -> tuple[str, str]:
        """Both names."""
        return self.contact.pair

    def __str__(self) -> str:
        return f"{' and '.join(self.pair)}: {self.evidence}"


def proposals(model: CollisionModel, state: CellState | None = None) -> tuple[Proposal, ...]:
    """The tested pairs that touch at a state, the home of the cell by default; nothing is allowed by this.

    Being in a zone, or nearer than a margin, is nothing to allow, and what rests on something may.
    """
    home = model.snapshot.initial if state is None else state
    found = []
    for contact in check(at_rest(model, home), home).contacts:
        if contact.zone or contact.kind == "margin":
            continue
        x, y, z = (float(v) * 1e3 for v in contact.points[0])
        how = {
            "surfaces": f"they touch {max(contact.depth, 0.0) * 1e3:.3g} mm deep",
            "inside": "one is inside the other",
            "support": f"one presses {contact.depth * 1e3:.3g} mm into the other",
        }[contact.kind]
        found.append(Proposal(contact, f"{how} at home, at {x:.4g}, {y:.4g}, {z:.4g} mm"))
    return tuple(found)


def confirmed(table: PairTable, proposal: Proposal, reason: str) -> PairTable:
    """The table that lets the proposed pair touch, for a reason given by whoever confirms it."""
    return table.allow(*proposal.pair, reason, proposal.evidence)
