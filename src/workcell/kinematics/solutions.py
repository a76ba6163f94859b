"""All joint values that reach a pose, as a lazy sequence over arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

from workcell.kinematics.dh import Chain, FloatArray

if TYPE_CHECKING:
    from workcell.kinematics.family import SingularFamily

VALID, SHOULDER, ELBOW, WRIST, UNNAMED = 1, 2, 4, 8, 16

ORDER: tuple[tuple[int, int, int], ...] = (
    (1, 1, 1), (1, -1, 1), (-1, 1, 1), (-1, -1, 1), (1, 1, -1), (1, -1, -1), (-1, 1, -1), (-1, -1, -1),
)  # fmt: skip
"""Ding's order of (A, E, W)."""


class Naming:
    """The names of the slots of a solver's result.

    Attributes:
        labels: (A, E, W) of each slot; empty if the slots have no meaning.
        words: right or left arm, elbow up or down, wrist up or down, of each slot.
        indices: the Agent's 0…7 of each slot: 4 left arm + 2 elbow up + 1 wrist up.
    """

    __slots__ = ("indices", "labels", "words")

    def __init__(self, left: int = 0, up: int = 0, down: int = 0, jointed: bool = True) -> None:
        """Give for each of A, E, W the sign that means left, up and down; zeros mean no names.

        An arm that is not ``jointed`` like a human's (a quartic or sliding one) has no elbow that is up or down:
        its words name the side of the first axis and of the singular surface.
        """
        self.labels: tuple[tuple[int, int, int], ...] = ORDER if left else ()
        self.words: tuple[str, ...] = ()
        self.indices: tuple[int, ...] = ()
        if left:
            bits = [(a * left > 0, e * up > 0, w * down > 0) for a, e, w in ORDER]
            sides = ("right arm", "left arm") if jointed else ("hand behind", "hand ahead")
            bends = ("elbow down", "elbow up") if jointed else ("second way", "first way")
            self.words = tuple(
                f"{sides[is_left]}, {bends[is_up]}, wrist {'down' if is_down else 'up'}"
                for is_left, is_up, is_down in bits
            )
            self.indices = tuple(4 * is_left + 2 * is_up + (not is_down) for is_left, is_up, is_down in bits)


NAMELESS = Naming()


class IKSolution:
    """One of the solutions: a light view into the arrays of all of them."""

    __slots__ = ("_all", "_i")

    def __init__(self, solutions: IKSolutions, i: int) -> None:
        self._all = solutions
        self._i = i

    @property
    def q(self) -> FloatArray:
        """Joint values [rad or m], (n,), read-only."""
        row: FloatArray = self._all.q[self._i]
        return row

    @property
    def label(self) -> tuple[int, int, int] | None:
        """Ding's (A, E, W), or None if the arm has no such branches."""
        return self._all.label[self._i]

    @property
    def words(self) -> str:
        """The configuration in words."""
        return self._all.words[self._i]

    @property
    def index(self) -> int:
        """The Agent's 0…7; for arms without named branches, the position in the list."""
        return self._all.index[self._i]

    @property
    def within_limits(self) -> bool:
        """Whether every joint is within its limits."""
        return bool(self._all.within_limits[self._i])

    @property
    def violations(self) -> tuple[tuple[int, float], ...]:
        """(joint counted from 1, how far outside [rad or m], signed) for each joint outside its limits."""
        row = self._all.excess[self._i]
        return tuple((int(j) + 1, float(row[j])) for j in np.flatnonzero(row))

    @property
    def singular(self) -> tuple[str, ...]:
        """The singularities of this configuration: ``shoulder``, ``elbow``, ``wrist``."""
        return self._all.singular[self._i]

    @property
    def family(self) -> SingularFamily | None:
        """The continuous set of solutions that contains this one, if it is singular and there is one."""
        from workcell.kinematics.family import family_of

        return family_of(self._all.chain, self.q) if self.singular else None

    def __repr__(self) -> str:
        values = ", ".join(f"{value:.6g}" for value in self.q)
        return f"<IKSolution {self.index}: ({values}) {self.words}>"


class IKSolutions:
    """Every way in which an arm can reach a pose: a sequence that is computed on access.

    ``q`` (k, n), ``label``, ``words``, ``index`` and ``within_limits`` (k,) correspond. An empty sequence means
    that the pose cannot be reached; :func:`workcell.kinematics.unreachable.explain` finds the reason.
    """

    __slots__ = (
        "_excess", "_flags", "_index", "_inside", "_kept", "_label", "_naming", "_q", "_raw", "_words",
        "chain", "limits",
    )  # fmt: skip
    chain: Chain
    limits: FloatArray | None
    _excess: FloatArray
    _inside: NDArray[np.bool_]

    def __init__(
        self,
        chain: Chain,
        raw: FloatArray,
        flags: NDArray[np.uint8],
        naming: Naming = NAMELESS,
        limits: FloatArray | None = None,
    ) -> None:
        """Wrap the slots of one pose: ``raw`` (B, n) and ``flags`` (B,), 0 if there is no solution."""
        self.chain = chain
        self.limits = limits
        self._raw = raw
        self._flags = flags
        self._naming = naming
        self._kept: list[int] | None = None
        self._q: FloatArray | None = None
        self._label: list[tuple[int, int, int] | None] | None = None
        self._words: list[str] | None = None
        self._index: list[int] | None = None

    @property
    def slots(self) -> list[int]:
        """The position of each solution in the solver's fixed order (that of ``ik_batch``)."""
        if self._kept is None:
            self._kept = [i for i, flag in enumerate(self._flags.tolist()) if flag]
        return self._kept

    @property
    def q(self) -> FloatArray:
        """Joint values (k, n) [rad or m], read-only; turned by whole turns into the limits where possible."""
        if self._q is None:
            kept = self.slots
            q = self._raw if len(kept) == len(self._raw) else self._raw[kept]
            if self.limits is None:
                self._excess, self._inside = np.zeros(q.shape), np.ones(len(q), dtype=np.bool_)
            else:
                q, self._excess, self._inside = fitted(q, self.limits, self.chain.prismatic)
            q.flags.writeable = False
            self._q = q
        return self._q

    @property
    def label(self) -> list[tuple[int, int, int] | None]:
        """Ding's (A, E, W) of each solution, None if the arm has no such branches."""
        if self._label is None:
            names = self._naming.labels
            self._label = [names[i] if names and self._named(i) else None for i in self.slots]
        return self._label

    @property
    def words(self) -> list[str]:
        """The configuration of each solution, in words."""
        if self._words is None:
            names, total = self._naming.words, len(self.slots)
            self._words = [
                names[i] if names and self._named(i) else f"solution {k + 1} of {total}"
                for k, i in enumerate(self.slots)
            ]
        return self._words

    @property
    def index(self) -> list[int]:
        """The Agent's 0…7 of each solution; for arms without named branches, the position in the list."""
        if self._index is None:
            numbers = self._naming.indices
            self._index = [numbers[i] for i in self.slots] if numbers else list(range(len(self.slots)))
        return self._index

    def _named(self, slot: int) -> bool:
        return not self._flags[slot] & UNNAMED

    @property
    def excess(self) -> FloatArray:
        """How far each joint is outside its limits (k, n) [rad or m]: negative below, positive above."""
        self.q  # noqa: B018 – computed together
        return self._excess

    @property
    def within_limits(self) -> NDArray[np.bool_]:
        """Whether each solution is within the limits (k,)."""
        self.q  # noqa: B018 – computed together
        return self._inside

    @property
    def singular(self) -> list[tuple[str, ...]]:
        """The singularities of each solution."""
        names = ((SHOULDER, "shoulder"), (ELBOW, "elbow"), (WRIST, "wrist"))
        return [tuple(name for bit, name in names if self._flags[i] & bit) for i in self.slots]

    def with_label(self, label: tuple[int, int, int]) -> IKSolution | None:
        """The solution of Ding's (A, E, W), if there is one."""
        return next((self[k] for k, found in enumerate(self.label) if found == label), None)

    def with_index(self, index: int) -> IKSolution | None:
        """The solution of the Agent's index, if there is one."""
        return next((self[k] for k, found in enumerate(self.index) if found == index), None)

    def __len__(self) -> int:
        return len(self.slots)

    @overload
    def __getitem__(self, i: int) -> IKSolution: ...
    @overload
    def __getitem__(self, i: slice) -> list[IKSolution]: ...
    def __getitem__(self, i: int | slice) -> IKSolution | list[IKSolution]:
        if isinstance(i, slice):
            return [IKSolution(self, k) for k in range(*i.indices(len(self)))]
        size = len(self)
        if not -size <= i < size:
            raise IndexError(f"There are {size} solutions; {i} is not one of their numbers.")
        return IKSolution(self, i % size)

    def __iter__(self) -> Iterator[IKSolution]:
        return (IKSolution(self, k) for k in range(len(self)))

    def __repr__(self) -> str:
        return f"<IKSolutions: {len(self)}>"


def fitted(
    q: FloatArray, limits: FloatArray, prismatic: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Joint values (M, n) moved by whole turns into their limits where possible, their excess, and which fit.

    A value within 1e-9 of a limit counts as inside.
    """
    from workcell.kinematics import _kernels

    out, excess, inside = np.empty(q.shape), np.empty(q.shape), np.empty(len(q), dtype=np.bool_)
    _kernels.fit_limits(q, limits, prismatic, out, excess, inside)
    return out, excess, inside
