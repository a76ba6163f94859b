"""Every solution of a general arm with six turning joints.

Five joints are eliminated (Raghavan and Roth's fourteen equations). The axis of joint 6, as a point and a
direction seen from link 2, gives equations that are linear in joints 1 and 2, which can be eliminated.
What remains, A·sin 3 + B·cos 3 + C of size 12 in the half-tangents of joints 4 and 5, is singular exactly at the
values of joint 3: an eigenvalue problem. Its real eigenvalues are the candidates. Each is refined on the
pose itself, so that digits lost in the elimination do not matter. Candidates that miss the pose are dropped.
"""

from __future__ import annotations

import math

import numpy as np

from workcell.kinematics.dh import Chain, DHRow, FloatArray, arm_of, row_matrix
from workcell.kinematics.structure import reach_of

_THIRDS = 2.0 * math.pi * np.arange(3) / 3.0
_TO_TRIG = np.linalg.inv(np.stack([np.ones(3), np.cos(_THIRDS), np.sin(_THIRDS)], axis=1))
_TO_TRIG_2 = np.kron(_TO_TRIG, _TO_TRIG)
_TO_TRIG_3 = np.kron(_TO_TRIG, _TO_TRIG_2)
_TO_HALF = np.array([[1.0, 0.0, 1.0], [1.0, 0.0, -1.0], [0.0, 2.0, 0.0]])
"""Rows 1, cos, sin as polynomials in the half-tangent, over (1 + x²)."""
_TO_HALF_2 = np.kron(_TO_HALF, _TO_HALF)
_GRID_2 = np.meshgrid(_THIRDS, _THIRDS, indexing="ij")
_GRID_3 = np.meshgrid(_THIRDS, _THIRDS, _THIRDS, indexing="ij")
_TURNS = (0.3, 1.9, 4.1)
"""Shifts of joint 3 to try, so that none of its solutions is near a half turn (an infinite half-tangent)."""


def _turned(theta: FloatArray, after: FloatArray) -> FloatArray:
    """Rz(theta)·after for an array of angles, (…, 4, 4)."""
    c, s = np.cos(theta)[..., None], np.sin(theta)[..., None]
    m = np.zeros((*np.shape(theta), 4, 4))
    m[..., 0, :] = c * after[0] - s * after[1]
    m[..., 1, :] = s * after[0] + c * after[1]
    m[..., 2:, :] = after[2:]
    return m


def _inverse(m: FloatArray) -> FloatArray:
    back = np.zeros_like(m)
    turn = np.swapaxes(m[..., :3, :3], -1, -2)
    back[..., :3, :3] = turn
    back[..., :3, 3] = -np.einsum("...ij,...j->...i", turn, m[..., :3, 3])
    back[..., 3, 3] = 1.0
    return back


def _fourteen(m: FloatArray) -> FloatArray:
    """The fourteen functions of an axis (point p, direction l): p, l, p·p, p·l, p×l, (p·p)l − 2(p·l)p."""
    p, z = m[..., :3, 3], m[..., :3, 2]
    pp = (p * p).sum(-1, keepdims=True)
    pl = (p * z).sum(-1, keepdims=True)
    return np.concatenate([p, z, pp, pl, np.cross(p, z), pp * z - 2.0 * pl * p], axis=-1)


class _Arrangement:
    """One order of the closed loop of six joints and the pose.

    Joint ``first`` takes the role of joint 1 in the elimination, the next ones follow (or, ``back``, precede). The pose
    is between joints 6 and 1 of the arm. An arm whose geometry makes one arrangement degenerate is usually
    harmless in another.
    """

    def __init__(self, links: FloatArray, first: int, back: bool) -> None:
        self.back = back
        self.first = first
        self.links = links
        self.order = [(first + k) % 6 for k in range(6)]
        self.places = np.array([5 - j for j in self.order] if back else self.order)
        self.left = self._left(links[self.order]) if first == 0 else None

    @staticmethod
    def _left(links: FloatArray) -> FloatArray:
        """Coefficients (27, 14): joints 3, 4, 5 over 1, cos, sin each, by equation."""
        t3, t4, t5 = _GRID_3
        left = _fourteen(_turned(t3, links[2]) @ _turned(t4, links[3]) @ _turned(t5, links[4]))
        return np.asarray(_TO_TRIG_3 @ left.reshape(27, 14))

    def _set_up(self, X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        links, target = self.links[self.order], X
        if self.back:
            target = _inverse(X)
        if self.first:
            links[5 - self.first] = links[5 - self.first] @ _inverse(target)
            target = np.eye(4)
        left = self._left(links) if self.left is None else self.left.copy()
        t1, t2 = _GRID_2
        before = _inverse(_turned(t1, links[0]) @ _turned(t2, links[1]))
        right = _TO_TRIG_2 @ _fourteen(before @ (target @ _inverse(links[5]))).reshape(9, 14)
        left[0] -= right[0]
        linear = right[1:].T
        full, _ = np.linalg.qr(linear, mode="complete")
        e = (left @ full[:, 8:]).reshape(3, 9, 6).transpose(0, 2, 1) @ _TO_HALF_2
        big = np.zeros((3, 12, 12))  # monomials x4^i·x5^j; the lower half is the upper one times x4
        big[:, :6, :9] = e
        big[:, 6:, 3:] = e
        return links, target, left, linear, big

    def health(self, X: FloatArray) -> float:
        """The distance of the elimination from degenerate for one pose, by reciprocal condition numbers."""
        _, _, _, linear, big = self._set_up(X)
        return min(_reciprocal_condition(linear), _best_turn(big)[0])

    def candidates(self, X: FloatArray) -> FloatArray:
        """Approximate DH angles (k, 6) of the arm for the pose X of frame 6 in frame 0, lengths in units."""
        links, target, left, linear, big = self._set_up(X)
        best, shift = _best_turn(big)
        if best < 1e-15:
            return np.empty((0, 6))
        c, s = math.cos(shift), math.sin(shift)
        cosine, sine = c * big[1] + s * big[2], c * big[2] - s * big[1]
        companion = np.zeros((24, 24))
        companion[:12, 12:] = np.eye(12)
        companion[12:] = np.linalg.solve(big[0] - cosine, -np.hstack([big[0] + cosine, 2.0 * sine]))
        values, vectors = np.linalg.eig(companion)
        # Nearly double roots appear as pairs with small imaginary parts; refinement decides.
        real = np.abs(values.imag) < 1e-2 * (1.0 + np.abs(values))
        if not real.any():
            return np.empty((0, 6))
        monomials = vectors[:12, real].real.reshape(4, 3, -1)
        t3 = 2.0 * np.arctan(values.real[real]) + shift
        t4 = 2.0 * _arctan_ratio(monomials, 0)
        t5 = 2.0 * _arctan_ratio(monomials, 1)
        one = np.ones_like(t3)
        b3, b4, b5 = (np.stack([one, np.cos(t), np.sin(t)]) for t in (t3, t4, t5))
        known = left.T @ (b3[:, None, None] * b4[None, :, None] * b5[None, None]).reshape(27, -1)
        u, *_ = np.linalg.lstsq(linear, known, rcond=1e-10)
        # Columns 1·c2, 1·s2, c1·1, c1·c2, c1·s2, s1·1, s1·c2, s1·s2.
        t1, t2 = np.arctan2(u[5], u[2]), np.arctan2(u[1], u[0])
        five = _turned(t1, links[0]) @ _turned(t2, links[1]) @ _turned(t3, links[2])
        five = five @ _turned(t4, links[3]) @ _turned(t5, links[4])
        rest = _inverse(five) @ target @ _inverse(links[5])
        t6 = np.arctan2(rest[:, 1, 0], rest[:, 0, 0])
        found = np.empty((len(t1), 6))
        found[:, self.places] = np.stack([t1, t2, t3, t4, t5, t6], axis=1)
        return -found if self.back else found


def _best_turn(big: FloatArray) -> tuple[float, float]:
    best, shift = 0.0, 0.0
    for turn in _TURNS:
        lead = big[0] - (math.cos(turn) * big[1] + math.sin(turn) * big[2])
        size = _reciprocal_condition(lead)
        if size > best:
            best, shift = size, turn
    return best, shift


def _reciprocal_condition(matrix: FloatArray) -> float:
    """The least singular value as a part of the greatest; 0 if all are 0, as for links without length."""
    values = np.linalg.svd(matrix, compute_uv=False)
    return float(values[-1] / values[0]) if values[0] > 0.0 else 0.0


class GeneralSolver:
    """The elimination for one chain; its preparation takes some milliseconds."""

    def __init__(self, chain: Chain) -> None:
        self.unit = reach_of(chain)
        self.offsets = chain.table[:, 0]
        self.X_0_base = chain.X_base_0.inverse().matrix
        self.X_tool_n = chain.X_n_tool.inverse().matrix
        self.arm = arm_of(chain)
        ahead = np.array([row_matrix(DHRow(0.0, r.d / self.unit, r.a / self.unit, r.alpha)) for r in chain.rows])
        # From the tool to the base: joint 6 turns by −θ, then the inverse of link 5, and so on; link 6's own
        # fixed part joins the pose.
        self.end = _inverse(ahead[5])
        behind = np.array([_inverse(ahead[4 - k]) for k in range(5)] + [np.eye(4)])
        ways = [_Arrangement(links, k, back) for links, back in ((ahead, False), (behind, True)) for k in range(6)]
        rng = np.random.default_rng(7)
        tests = []
        for _ in range(2):
            X = np.eye(4)
            for link, angle in zip(ahead, rng.uniform(-3.0, 3.0, 6), strict=True):
                X = X @ _turned(angle, link)
            tests.append(X)
        health = {way: min(way.health(self._seen(way, X)) for X in tests) for way in ways}
        # The natural order needs the least work for a pose and is used unless it is much worse.
        health[ways[0]] *= 100.0
        self.ways = sorted(ways, key=lambda way: -health[way])

    def _seen(self, way: _Arrangement, X: FloatArray) -> FloatArray:
        return np.asarray(X @ self.end) if way.back else X

    def solve(self, pose: FloatArray) -> FloatArray:
        """Every solution (k, 6) of one base-to-tool pose (4, 4), sorted, each exact to rounding."""
        from workcell.kinematics import _kernels_numeric as kernel

        pose = np.array(pose)
        X = self.X_0_base @ pose @ self.X_tool_n
        X[:3, 3] /= self.unit
        arm, slides, base, tool = self.arm
        found = np.empty((64, 6))
        guesses = np.empty((0, 6))
        count = 0
        for way in self.ways[:3]:
            more = way.candidates(self._seen(way, X)) - self.offsets
            guesses = np.concatenate([guesses, more])
            before = count
            count = kernel.polish_all(arm, slides, base, tool, pose, self.unit, guesses, found)
            # Done if every candidate became a distinct solution, or if a second way found nothing new. Real
            # solutions come in pairs: an odd count means that one was lost.
            sure = count == len(more) or (count == before and count > 0)
            if sure and count % 2 == 0:
                break
        return found[:count]


def _arctan_ratio(monomials: FloatArray, axis: int) -> FloatArray:
    """Arctan of the half-tangent, from the two neighbouring monomials with the greatest weight."""
    upper = monomials[1:] if axis == 0 else monomials[:, 1:]
    lower = monomials[:-1] if axis == 0 else monomials[:, :-1]
    upper, lower = upper.reshape(-1, upper.shape[-1]), lower.reshape(-1, lower.shape[-1])
    weight = np.abs(upper) + np.abs(lower)
    pick = np.argmax(weight, axis=0)
    column = np.arange(upper.shape[-1])
    top, bottom = upper[pick, column], lower[pick, column]
    return np.asarray(np.arctan2(top * np.sign(bottom + (bottom == 0.0)), np.abs(bottom)))
