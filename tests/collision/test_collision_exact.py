"""Distances right to rounding, insides without thresholds, near misses without one false proof."""

from __future__ import annotations

import math
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from collision_cells import _point_triangle, box_mesh, brute_inside, cell_of, mesh_of
from exact_triangles import exact_gap, hard_pair
from near_misses import KINDS, edges, verdicts

from workcell.collision import _kernels_boxes, _kernels_insides, _kernels_triangles
from workcell.collision.bodies import collision_model
from workcell.collision.certify import certify
from workcell.collision.check import check
from workcell.collision.clearance import clearance
from workcell.collision.proof import Free
from workcell.collision.tree import tree_of
from workcell.spatial.pose import Pose

PART = 1e-12
"""What a distance may be off by, as a part of the greatest coordinate."""


# ---- triangles ----------------------------------------------------------------------------------------


def thinness(t):
    a, b, c = t.reshape(3, 3)
    side = max(np.linalg.norm(b - a), np.linalg.norm(c - b), np.linalg.norm(a - c))
    return np.linalg.norm(np.cross(b - a, c - a)) / side**2 if side else 0.0


def worst_error(seed, count):
    """The greatest error of the kernel as a part of the greatest coordinate, with and without a cap on the distance."""
    rng = np.random.default_rng(seed)
    e, f, out = np.empty(12), np.empty(12), np.empty(9)
    worst = 0.0
    for number in range(count):
        p, q = hard_pair(rng)
        thin, thin_q = thinness(p), thinness(q)
        if min(thin, thin_q) <= 1e-12:
            continue  # trees leave these out
        true, far = exact_gap(p, q), max(np.abs(p).max(), np.abs(q).max())
        found = math.sqrt(_kernels_triangles.triangle_gap2(p, q, thin < 1e-3, thin_q < 1e-3, e, f, math.inf, out))
        assert abs(found - true) <= PART * far, (seed, number, found, true)
        assert abs(np.linalg.norm(out[3:6] - out[:3]) - true) <= PART * far, (seed, number)
        cap = true + 2.0 * PART * far
        capped = math.sqrt(_kernels_triangles.triangle_gap2(p, q, thin < 1e-3, thin_q < 1e-3, e, f, cap * cap, out))
        assert abs(capped - true) <= PART * far or capped == cap, (seed, number, capped, true)
        touch = _kernels_triangles.triangles_touch(p, q, thin < 1e-3, thin_q < 1e-3, e, f, out)
        if abs(true - _kernels_boxes.TOUCH) > PART * far:
            assert touch == (true < _kernels_boxes.TOUCH), (seed, number, true)
        worst = max(worst, abs(found - true) / far)
    return worst


def test_distances_of_hard_triangles_are_right_to_rounding():
    assert worst_error(0, 2000) < PART


@pytest.mark.soak
def test_distances_of_a_million_hard_triangles_are_right_to_rounding():
    worst = max(worst_error(seed, 10_000) for seed in range(1, 101))
    print(f"1,000,000 hard pairs of triangles: greatest error {worst:.2g} of the greatest coordinate")


def crossed_wedges(angle, dip, length=10.0):
    """Two wedges, edge over edge, that cross at a small angle and would miss each other but for a dip."""
    lower = edges_of(length)
    upper = mesh_of(lower.vertices * np.array([1.0, -1.0, -1.0]), lower.triangles)
    turned = Pose.from_xyz(0.0, 0.0, dip) @ Pose.from_axis_angle((0, 0, 1), angle)
    return cell_of({}, {"lower": (lower, Pose.identity()), "upper": (upper, turned)}, ("upper",))


def edges_of(length):
    h = 0.5 * length
    corners = [(x, y, z) for x in (-h, h) for y, z in ((0.0, 0.0), (0.1, -0.1), (-0.1, -0.1))]
    return mesh_of(corners, [(0, 2, 1), (3, 4, 5), (0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4), (2, 0, 3), (2, 3, 5)])


@pytest.mark.parametrize("angle", [0.0, 1e-15, 1e-12, 1e-10, 1e-8, 9e-7, 1.1e-6, 1e-4])
@pytest.mark.parametrize("dip", [2e-9, 6e-7, 1e-4])
def test_edges_that_nearly_run_side_by_side_are_as_far_apart_as_they_are(angle, dip):
    snapshot, meshes = crossed_wedges(angle, dip)
    model = collision_model(snapshot, meshes=meshes)
    assert clearance(model, snapshot.initial).distance == pytest.approx(dip, abs=1e-13)
    assert not check(model, snapshot.initial).contacts
    snapshot, meshes = crossed_wedges(angle, -dip)
    model = collision_model(snapshot, meshes=meshes)
    assert clearance(model, snapshot.initial).distance == 0.0
    assert check(model, snapshot.initial).contacts


# ---- near misses --------------------------------------------------------------------------------------


def test_no_motion_past_an_obstacle_is_called_free_that_is_not():
    counts, near = verdicts(range(105))
    assert counts["Free"] > 30
    assert counts["ContactAt"] > 15
    assert near > 8


def test_hulls_that_a_direction_parts_do_not_meet():
    """A flat simplex, whose corners lay in one plane but for rounding, seemed to hold a point of both hulls."""
    counts, _ = verdicts([101_056])  # it comes no nearer than 1.7 nm
    assert counts["ContactAt"] == 0
    counts, _ = verdicts([107_211])  # it touches, but not from the start, when it is 10.8 nm apart
    assert counts["ContactAt"] == 1


def test_edges_that_slide_along_each_other_are_free_only_by_what_they_are():
    """The crossing used to be looked for at the start of the edge when it was below 1e-6 rad."""
    scene = edges(np.random.default_rng(51))
    found = certify(scene.model(), {"Arm": scene.motion})
    assert not isinstance(found, Free) or found.bound <= scene.distance(scene.time)


@pytest.mark.soak
def test_ten_thousand_near_misses_without_one_false_proof():
    parts = [range(100_000 + start, 100_100 + start) for start in range(0, 10_000, 100)]
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(verdicts, parts))
    counts = {kind: sum(part[0][kind] for part in found) for kind in found[0][0]}
    near = sum(part[1] for part in found)
    assert sum(counts.values()) == 10_000
    print(
        f"10,000 near misses of {len(set(KINDS))} kinds: {counts['Free']} proved free ({near} of them by less than 10 µm), "
        f"{counts['ContactAt']} touch, {counts['Undecided']} undecided; no proof and no contact was false"
    )


# ---- inside -------------------------------------------------------------------------------------------


def shells():
    rng = np.random.default_rng(7)
    yield box_mesh(1.0, 2.0, 3.0)
    # Long prisms over outlines with sides from nanometres to metres: walls and caps are slivers.
    for _ in range(6):
        turn = np.sort(
            np.concatenate([rng.uniform(0, 2 * np.pi, 5), *(a + 10.0 ** rng.uniform(-7, -3, 4) for a in (1.0, 4.0))])
        )
        outline = np.column_stack([np.cos(turn), np.sin(turn)])
        n = len(outline)
        long = 10.0 ** rng.uniform(-1, 1.5)
        corners = [(*xy, 0.0) for xy in outline] + [(*xy, long) for xy in outline]
        triangles = [(0, i + 1, i) for i in range(1, n - 1)] + [(n, n + i, n + i + 1) for i in range(1, n - 1)]
        for i in range(n):
            j = (i + 1) % n
            triangles += [(i, j, n + j), (i, n + j, n + i)]
        yield mesh_of(corners, triangles)


@pytest.mark.parametrize("turned", [False, True])
def test_what_lies_inside_does_not_depend_on_slivers_that_a_ray_meets(turned):
    rng = np.random.default_rng(3)
    stack = np.empty((512, 2), dtype=np.int64)
    for mesh in shells():
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0] if turned else np.eye(3)
        tree = tree_of(mesh_of(mesh.vertices @ R.T, mesh.triangles), "shell")
        packed = (tree.box, tree.link, tree.triangles, tree.kind)
        low, high = tree.box[0, :3] - tree.box[0, 3:], tree.box[0, :3] + tree.box[0, 3:]
        points = rng.uniform(low, high, (60, 3))
        # Points from which a ray runs exactly into a corner or along an edge.
        aims = tree.triangles.reshape(-1, 3)[rng.integers(3 * len(tree.triangles), size=60)]
        aimed = aims - rng.uniform(0.0, 1.0, (60, 1)) * _kernels_insides._DIRECTIONS[0]
        for x in np.concatenate([points, aimed]):
            if _point_triangle(x, tree.corners()).min() < 1e-7:
                continue
            expected = brute_inside(x, tree.corners())
            assert _kernels_insides.winding(packed, 0, *x, stack) == expected
            assert _kernels_insides.solid_angle(packed, 0, *x, stack) == expected
