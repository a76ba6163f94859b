"""Work that is kept between queries: a roadmap gives free paths only, comes back with its scene, and stays small."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from planning_cells import free_configurations, pillars

import workcell as wc
from workcell.collision.bodies import collision_model
from workcell.collision.certify import certify
from workcell.errors import NoPath
from workcell.planning.find_path import STEP, find_path
from workcell.planning.planners import Query
from workcell.planning.roadmap import _MOST, Roadmap
from workcell.planning.space import space_of


@pytest.fixture(scope="module")
def cell():
    with pillars() as made:
        yield made


@pytest.fixture(scope="module")
def free(cell):
    return free_configurations(cell, 40, seed=11)


def asked(cell, start, goal, **options):
    return find_path(cell.snapshot(), cell.state, "Arm", goal, start=start, budget=20.0, keep=True, **options)


def queries(free):
    return list(zip(free[::2], free[1::2], strict=True))


def roadmap_of(cell):
    return space_of(cell.snapshot(), cell.state, "Arm").roadmap


def test_every_path_along_the_roadmap_is_proved_again_by_a_fresh_model(free):
    methods = set()
    with pillars() as cell, pillars() as other:
        model = collision_model(other.snapshot(), warn=False)
        for start, goal in queries(free):
            plan = asked(cell, start, goal)
            methods.add(plan.method)
            proof = certify(model, {"Arm": plan.trajectory}, other.state.with_joints("Arm", start))
            assert proof.free, str(proof)
            np.testing.assert_allclose(plan.waypoints[[0, -1]], [start, goal], atol=1e-12)
    assert {"direct", "rrt-connect", "roadmap"} <= methods


def test_the_same_history_gives_the_same_paths(free):
    def history():
        with pillars() as cell:
            return [asked(cell, start, goal).trajectory.to_bytes() for start, goal in queries(free)[:8]]

    assert history() == history()


def test_a_scene_has_its_own_roadmap_which_comes_back_with_it(free):
    with pillars() as cell:
        for start, goal in queries(free)[:4]:
            asked(cell, start, goal)
        known = roadmap_of(cell)
        size = len(known)
        assert size > 4
        cell.do("place pillar0 at 501,300,0")
        assert len(roadmap_of(cell)) == 0
        asked(cell, *queries(free)[5])
        assert len(known) == size
        cell.do("undo")
        assert roadmap_of(cell) is known


def test_where_a_moved_thing_blocks_a_kept_path_another_one_is_found(free):
    start, goal = next((a, b) for a, b in queries(free) if _direct_is_blocked(free, a, b))
    with pillars() as cell:
        first = asked(cell, start, goal)
        middle = first.path.position(first.path.length / 2)
        at = cell.snapshot().robot("Arm").robot.fk(middle).xyz
        cell.add_solid(wc.solids.box(0.05, 0.05, 0.05), name="thing", at=wc.Pose.from_xyz(*at))
        model = collision_model(cell.snapshot(), warn=False)
        here = cell.state.with_joints("Arm", start)
        assert not certify(model, {"Arm": first.trajectory}, here).free
        try:
            second = asked(cell, start, goal)
        except NoPath:
            return
        assert certify(model, {"Arm": second.trajectory}, here).free


def _direct_is_blocked(free, start, goal):
    with pillars() as cell:
        return asked(cell, start, goal).method != "direct"


def _query(cell, start, goals):
    space = space_of(cell.snapshot(), cell.state, "Arm")
    return Query(space, space.scene(), start, np.array(goals), 0, STEP, np.inf)


def test_the_way_along_a_roadmap_is_the_shortest_of_free_edges(cell, free):
    """Against all simple ways of a small graph, every edge of which was tested one by one."""
    paths = [free[[0, 4, 8]], free[[1, 4, 9]], free[[2, 5, 9]]]
    rng = np.random.default_rng(5)
    for trial in range(12):
        start, goal = free[10 + trial], free[39 - trial]
        query = _query(cell, start, [goal])
        roadmap = Roadmap(query.space.weights)
        for path in paths:
            kept = path + rng.uniform(-0.02, 0.02, path.shape)
            kept = kept[~query.touching(kept)]
            if len(kept) > 1 and not query.blocked(kept[:-1], kept[1:]).any():
                roadmap.add(kept)
        way = roadmap.path(query)
        best = _shortest(query, roadmap, start, goal)
        if way is None:
            assert not np.isfinite(best)
            continue
        assert not query.blocked(way[:-1], way[1:]).any()
        length = _length(roadmap, way)
        # Edges that were not tested yet count a tenth longer.
        assert best / (1 + 1e-9) <= length <= 1.1 * best * (1 + 1e-9)


def _length(roadmap, way):
    return np.linalg.norm(np.diff(way, axis=0) * roadmap._costs, axis=1).sum()


def _shortest(query, roadmap, start, goal):
    """The length of the shortest way over free edges (Floyd and Warshall)."""
    nodes = roadmap._nodes[: len(roadmap)]
    count = len(nodes)
    ways = np.full((count + 2, count + 2), np.inf)
    everything = np.vstack([nodes, start[None], goal[None]])
    near = {
        k: np.argsort(np.linalg.norm((nodes - q) * roadmap._costs, axis=1))[:8] for k, q in ((-2, start), (-1, goal))
    }
    pairs = {(i, int(j)) for i in range(count) for j in roadmap._near[i] if j >= 0}
    pairs |= {(count + 2 + k, int(j)) for k, some in near.items() for j in some}
    for i, j in pairs:
        if not query.blocked(everything[i][None], everything[j][None])[0]:
            way = np.linalg.norm((everything[i] - everything[j]) * roadmap._costs)
            ways[i, j] = ways[j, i] = way
    for k, i in itertools.product(range(count + 2), repeat=2):
        ways[i] = np.minimum(ways[i], ways[i, k] + ways[k])
    return ways[count, count + 1]


def test_a_roadmap_forgets_its_oldest_paths(cell):
    weights = space_of(cell.snapshot(), cell.state, "Arm").weights
    roadmap, rng = Roadmap(weights), np.random.default_rng(2)
    last = None
    for _ in range(400):
        last = rng.uniform(-1.0, 1.0, (4, 6))
        roadmap.add(last)
        assert len(roadmap) <= _MOST
    nodes = roadmap._nodes[: len(roadmap)]
    for row in last:
        assert np.abs(nodes - row).max(axis=1).min() < 1e-9
    assert (roadmap._near < len(roadmap)).all()
