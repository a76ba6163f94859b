"""The table of tested pairs, with reasons for those that are not tested. It is saved with the cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Container
from typing import Literal, TypeVar

import msgspec

from workcell.errors import InvalidValue, UnknownName

PENETRATION = 1e-4
"""How deep a part may press into what supports it and still only rest on it [m]."""
ROUNDING = 1e-9
"""What rounding of poses, vertices and distances may amount to [m]; every promised bound is this much less."""

Phase = Literal["leaving", "arriving"]
Some = TypeVar("Some")


class Decision(msgspec.Struct, frozen=True):
    """What somebody decided about two names (bodies, objects, robots), with the reason and the evidence."""

    first: str
    second: str
    tested: bool
    reason: str
    evidence: str = ""


class PairMargin(msgspec.Struct, frozen=True):
    """The clearance required between two names [m]."""

    first: str
    second: str
    margin: float


class Support(msgspec.Struct, frozen=True):
    """A part that may touch what it rests on: until it is clear of it, or once it comes near.

    Attributes:
        part: the body that rests.
        base: the body it rests on.
        normal: from the base into the part, in the frame of the base.
        phase: 'leaving' until the clearance first exceeds the margin, 'arriving' from when it last does.
    """

    part: str
    base: str
    normal: tuple[float, float, float]
    phase: Phase = "leaving"


class PairTable(msgspec.Struct, frozen=True):
    """What is tested. A frozen value: every change makes another table.

    Everything is tested but what the rules except (adjacent links, a part and the hand that holds it, fixtures
    that cannot move, bodies carried together), what is switched off by name, and what a decision allows. A
    decision beats a rule; the last decision about a pair counts.

    Attributes:
        margin: the clearance required where no pair states its own [m].
        unused: names that take no part.
        self_off: robots that are not tested against themselves.
        decisions: pairs allowed, or tested in spite of a rule.
        margins: the clearance of single pairs.
        supports: what rests on what just now.
    """

    margin: float = 0.0
    unused: tuple[str, ...] = ()
    self_off: tuple[str, ...] = ()
    decisions: tuple[Decision, ...] = ()
    margins: tuple[PairMargin, ...] = ()
    supports: tuple[Support, ...] = ()

    def __post_init__(self) -> None:
        _metres(self.margin)
        for item in self.margins:
            _metres(item.margin)

    # ---- switching ------------------------------------------------------------------------------------

    def use(self, name: str) -> PairTable:
        """Let a body, object or robot take part again."""
        return msgspec.structs.replace(self, unused=tuple(other for other in self.unused if other != name))

    def do_not_use(self, name: str) -> PairTable:
        """Leave a body, object or robot out of every test."""
        return msgspec.structs.replace(self, unused=(*self.use(name).unused, name))

    def test_self(self, robot: str, on: bool = True) -> PairTable:
        """Switch the test of a robot's links against each other; what was decided about all of them is forgotten."""
        others = tuple(name for name in self.self_off if name != robot)
        kept = tuple(d for d in self.decisions if not _same(d.first, d.second, robot, robot))
        return msgspec.structs.replace(self, self_off=others if on else (*others, robot), decisions=kept)

    def allow(self, first: str, second: str, reason: str, evidence: str = "") -> PairTable:
        """Let two names touch, for a reason that the table keeps."""
        if not reason.strip():
            raise InvalidValue(f"Allowing {first!r} and {second!r} to touch needs a reason.")
        return self._decided(Decision(first, second, False, reason, evidence))

    def test(self, first: str, second: str, reason: str = "asked for") -> PairTable:
        """Test two names against each other even where a rule would except them; of a robot with itself its links."""
        if first == second:
            return self.test_self(first)
        return self._decided(Decision(first, second, True, reason))

    def forget(self, first: str, second: str) -> PairTable:
        """Drop what was decided about two names and the margin between them; the rules hold again."""
        decisions = tuple(d for d in self.decisions if not _same(d.first, d.second, first, second))
        margins = tuple(m for m in self.margins if not _same(m.first, m.second, first, second))
        if len(decisions) == len(self.decisions) and len(margins) == len(self.margins):
            known = [f"{d.first} – {d.second}" for d in self.decisions]
            known += [f"{m.first} – {m.second}" for m in self.margins]
            raise UnknownName.among("decision", f"{first} – {second}", known)
        return msgspec.structs.replace(self, decisions=decisions, margins=margins)

    def require(self, margin: float, first: str = "", second: str = "") -> PairTable:
        """Require a clearance [m] everywhere, or between two names."""
        _metres(margin)
        if not first and not second:
            return msgspec.structs.replace(self, margin=float(margin))
        if not first or not second:
            raise InvalidValue("A margin is for all pairs or for two names; found one name.")
        kept = tuple(m for m in self.margins if not _same(m.first, m.second, first, second))
        return msgspec.structs.replace(self, margins=(*kept, PairMargin(first, second, float(margin))))

    def resting(self, support: Support) -> PairTable:
        """Let a part touch what supports it, for a while."""
        length = math.sqrt(sum(x * x for x in support.normal))
        if not (math.isfinite(length) and abs(length - 1.0) < 1e-6):
            raise InvalidValue(f"The normal of a support must be a unit vector; found {support.normal}.")
        return msgspec.structs.replace(self, supports=(*self.lifted(support.part, support.base).supports, support))

    def lifted(self, part: str, base: str) -> PairTable:
        """End a support: the part is tested against its base again."""
        kept = tuple(s for s in self.supports if (s.part, s.base) != (part, base))
        return msgspec.structs.replace(self, supports=kept)

    # ---- saving ---------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """One line of JSON, to be saved with the cell."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> PairTable:
        """What :meth:`to_json` wrote."""
        try:
            return _READER.decode(text)
        except msgspec.DecodeError as error:
            raise InvalidValue(f"This is not a pair table: {error}.") from error

    def among(self, known: Container[str]) -> PairTable:
        """The entries that speak only of names that something has; the others wait until it is there again."""
        return msgspec.structs.replace(
            self,
            unused=tuple(name for name in self.unused if name in known),
            self_off=tuple(name for name in self.self_off if name in known),
            decisions=tuple(d for d in self.decisions if d.first in known and d.second in known),
            margins=tuple(m for m in self.margins if m.first in known and m.second in known),
            supports=tuple(s for s in self.supports if s.part in known and s.base in known),
        )

    def renamed(self, new: Callable[[str], str]) -> PairTable:
        """The same table after things got other names, which ``new`` gives for every name."""
        changed = msgspec.structs.replace
        return changed(
            self,
            unused=tuple(new(name) for name in self.unused),
            self_off=tuple(new(name) for name in self.self_off),
            decisions=tuple(changed(d, first=new(d.first), second=new(d.second)) for d in self.decisions),
            margins=tuple(changed(m, first=new(m.first), second=new(m.second)) for m in self.margins),
            supports=tuple(changed(s, part=new(s.part), base=new(s.base)) for s in self.supports),
        )

    def copied(self, robot: str, copy: str) -> PairTable:
        """The table with every entry about a robot or its bodies a second time, for a copy of the robot."""

        def new(name: str) -> str:
            return copy + name[len(robot) :] if name == robot or name.startswith(f"{robot}/") else name

        other, changed = self.renamed(new), msgspec.structs.replace
        return changed(
            self,
            unused=_with_new(self.unused, other.unused),
            self_off=_with_new(self.self_off, other.self_off),
            decisions=_with_new(self.decisions, other.decisions),
            margins=_with_new(self.margins, other.margins),
        )

    def names(self) -> list[str]:
        """Every name in the table."""
        used = [*self.unused, *self.self_off]
        for decision in self.decisions:
            used += [decision.first, decision.second]
        for item in self.margins:
            used += [item.first, item.second]
        for support in self.supports:
            used += [support.part, support.base]
        return used

    def require_names(self, known: Container[str]) -> None:
        """Refuse a table with names that nothing has."""
        for name in self.names():
            if name not in known:
                names = list(known) if isinstance(known, (frozenset, set, dict, list, tuple)) else []
                raise UnknownName.among(
                    "body, object or robot", name, names, "The pair table names it; correct it or drop the entry."
                )

    def _decided(self, decision: Decision) -> PairTable:
        kept = tuple(d for d in self.decisions if not _same(d.first, d.second, decision.first, decision.second))
        return msgspec.structs.replace(self, decisions=(*kept, decision))


_READER = msgspec.json.Decoder(PairTable)


def _same(a: str, b: str, first: str, second: str) -> bool:
    return {a, b} == {first, second}


def _metres(margin: float) -> None:
    if isinstance(margin, bool) or not isinstance(margin, (int, float)):
        raise InvalidValue(f"A margin is a length of 0 mm or more; found {margin!r}.")
    if not math.isfinite(margin) or margin < 0.0:
        raise InvalidValue(f"A margin must be 0 mm or more, not {margin * 1e3:g} mm.")
    if margin > 10.0:
        shown = f"{margin * 1e3:,.0f} mm"
        raise InvalidValue(f"A margin of {shown} is more than any cell needs; check its unit.")


def _with_new(ours: tuple[Some, ...], theirs: tuple[Some, ...]) -> tuple[Some, ...]:
    """Return entries, and those of others that are not among them."""
    return (*ours, *(one for one in theirs if one not in ours))
