"""Robots as link files and back: the hand, the masses and the shapes stay where they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import InvalidValue
from workcell.geometry import solids
from workcell.geometry.solid import Solid
from workcell.kinematics.dh import Chain, DHRow
from workcell.robots.formats import link_file
from workcell.robots.formats.link_file import LinkFile
from workcell.robots.formats.link_vectors import solids_of, strokes_of
from workcell.robots.link import Link, MassProperties, Part
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose


def random_pose(rng: np.random.Generator, kind: str) -> Pose:
    if kind == "none":
        return Pose.identity()
    turn = Pose.from_axis_angle(rng.normal(size=3), rng.uniform(-3, 3))
    if kind == "parallel":
        turn = Pose.from_axis_angle((0, 0, 1), rng.uniform(-3, 3))
    return Pose.from_xyz(*rng.uniform(-1, 1, 3)) @ turn


def random_robot(seed: int, base: str, tool: str) -> Robot:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    alphas = rng.choice([0.0, np.pi / 2, -np.pi / 2, np.pi, 0.3], n)
    rows = [
        DHRow(rng.uniform(-3, 3), rng.uniform(-1, 1), rng.choice([0.0, 0.4, -0.7]), alpha, bool(rng.random() < 0.3))
        for alpha in alphas
    ]
    links = []
    for i in range(n + 1):
        points = rng.normal(size=(20, 3))
        centre = points.mean(axis=0)
        spread = points - centre
        inertia = (spread**2).sum() * np.eye(3) - spread.T @ spread
        links.append(Link(f"l{i}", mass=MassProperties(rng.uniform(0.5, 5), centre, inertia)))
    chain = Chain(rows, random_pose(rng, base), random_pose(rng, tool))
    limits = np.tile((-9.0, 9.0), (n, 1))
    return Robot("arm", chain, limits=limits, home=rng.uniform(-1, 1, n), links=tuple(links))


def written(links: list[LinkFile]) -> list[LinkFile]:
    return [link_file.parse(link_file.write(link)) for link in links]


def assert_same(one: Robot, other: Robot, seed: int = 1) -> None:
    """The same hand and the same masses wherever the joints go from home."""
    rng = np.random.default_rng(seed)
    assert other.n == one.n
    for dq in [np.zeros(one.n), *rng.uniform(-1.5, 1.5, (4, one.n))]:
        assert other.fk(other.home + dq).is_close(one.fk(one.home + dq), 1e-9, 1e-9)
        ours, theirs = one.frames(one.home + dq), other.frames(other.home + dq)
        for i, (a, b) in enumerate(zip(one.links, other.links, strict=True)):
            if a.mass is None:
                continue
            assert b.mass is not None
            here, there = a.mass.moved(Pose(ours[i])), b.mass.moved(Pose(theirs[i]))
            assert there.mass == pytest.approx(here.mass)
            assert there.centre == pytest.approx(here.centre, abs=1e-9)
            assert there.inertia == pytest.approx(here.inertia, rel=1e-6, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["none", "parallel", "any"]),
    st.sampled_from(["none", "parallel", "any"]),
    st.sampled_from([1e-3, 1.0, 0.0254]),
)
def test_any_arm_survives_as_link_files(seed: int, base: str, tool: str, unit: float) -> None:
    arm = random_robot(seed, base, tool)
    files = written(link_file.links_of_robot(arm, unit))
    assert all(link.check() == () for link in files) or unit != 1e-3
    assert_same(arm, link_file.robot_from_links(files, "arm", unit), seed)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_fixed_links_anywhere_are_folded(seed: int) -> None:
    """The hand through the A matrices of the files, joint by joint, is an independent truth."""
    rng = np.random.default_rng(seed)
    links, kinds = [], []
    for number in range(int(rng.integers(2, 7))):
        kind = 1 if number == 1 else int(rng.choice([1, 2, 3]))
        theta, dz, da, alpha = rng.uniform(-170, 170), *rng.uniform(-400, 400, 2), rng.choice([0.0, 90.0, -90.0, 35.0])
        matrix = link_file._row_matrix(np.radians(theta), dz, da, np.radians(alpha))
        # The frame of the link is anywhere; its joint frames follow.
        into = random_pose(rng, "any").matrix.copy()
        into[:3, 3] *= 1e3
        mass = np.diag([0.0, 0.0, 0.0, rng.uniform(1, 3)])
        mass[:3, 3] = mass[3, :3] = rng.uniform(-50, 50, 3) * mass[3, 3]
        mass[:3, :3] = np.outer(mass[:3, 3], mass[:3, 3]) / mass[3, 3] + np.diag(rng.uniform(1e4, 2e4, 3))
        links.append(LinkFile(theta, dz, da, alpha, (1, 1), (kind, 1), mass, into, into @ matrix, matrix))
        kinds.append(kind)
    arm = link_file.robot_from_links(written(links))
    assert arm.n == sum(kind != 3 for kind in kinds)
    for dq in [np.zeros(arm.n), *rng.uniform(-1, 1, (3, arm.n))]:
        here, moves, centre, total = np.eye(4), iter(dq), np.zeros(3), 0.0
        for link, kind in zip(links, kinds, strict=True):
            q = 0.0 if kind == 3 else next(moves)
            turn = link_file._row_matrix(q if kind == 1 else 0.0, q * 1e3 if kind == 2 else 0.0, 0.0, 0.0)
            joint = here @ turn
            placed = joint @ np.linalg.inv(link.input_frame)
            at = link.inertia[:3, 3] / link.inertia[3, 3]
            centre += link.inertia[3, 3] * (placed @ [*at, 1.0])[:3]
            total += link.inertia[3, 3]
            here = joint @ link.a_matrix
        hand = arm.fk(arm.home + dq)
        assert hand.xyz * 1e3 == pytest.approx(here[:3, 3], abs=1e-5)
        assert hand.rotation == pytest.approx(here[:3, :3], abs=1e-9)
        frames = arm.frames(arm.home + dq)
        found = [link.mass.moved(Pose(frame)) for link, frame in zip(arm.links, frames, strict=True) if link.mass]
        assert sum(one.mass for one in found) == pytest.approx(total)
        middle = sum(one.mass * one.centre for one in found) / total
        assert middle * 1e3 == pytest.approx(centre / total, abs=1e-5)


def facets(solid: Solid) -> float:
    """The volume of a mesh, by the tetrahedra from the origin."""
    mesh = solid.mesh()
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def test_shapes_go_out_as_loops_and_come_back_as_solids() -> None:
    for solid in (
        solids.box(0.2, 0.1, 0.05),
        solids.cylinder(0.03, 0.1).moved(Pose.from_xyz(0.3, 0, 0)),
        solids.box(0.2, 0.2, 0.1) - solids.cylinder(0.05, 0.3),
    ):
        strokes = strokes_of([solid], 1e-3)
        (again,) = solids_of(strokes, 1e-3)
        assert again.volume == pytest.approx(facets(solid), rel=1e-9)
    assert len(strokes_of([solids.box(1, 1, 1)], 1.0)) == 6 * 5  # six faces of four corners, closed
    assert solids_of(strokes[:-5], 1e-3) == []
    assert solids_of(np.array([[0, 0, 0, 0], [1, 0, 0, 1.0]]), 1e-3) == []
    hollow = solids.box(0.2, 0.2, 0.2) - solids.box(0.1, 0.1, 0.1)
    pair = [hollow, solids.box(0.1, 0.1, 0.1).moved(Pose.from_xyz(0.15, 0, 0))]  # touching
    found = solids_of(strokes_of(pair, 1e-3), 1e-3)
    assert [one.volume for one in found] == pytest.approx([0.007, 0.001])
    backward = strokes_of(pair, 1e-3)
    loops = np.split(backward, np.flatnonzero(backward[:, 3] == 0)[1:])
    turned = np.vstack([np.column_stack([loop[::-1, :3], loop[:, 3]]) for loop in loops])
    assert [one.volume for one in solids_of(turned, 1e-3)] == pytest.approx([0.007, 0.001])


def test_a_library_arm_comes_back_with_its_shapes() -> None:
    arm = wc.robot("planar2r")
    again = link_file.robot_from_links(written(link_file.links_of_robot(arm)))
    assert_same(arm.replace(links=tuple(Link(link.name) for link in arm.links)), again)
    for q in (np.zeros(2), np.array([0.4, -0.9])):
        for i, link in enumerate(arm.links):
            ours = [part.solid.moved(Pose(arm.frames(arm.home + q)[i])) for part in link.seen]
            theirs = [part.solid.moved(Pose(again.frames(again.home + q)[i])) for part in again.links[i].seen]
            assert sum(s.volume for s in theirs) == pytest.approx(sum(facets(s) for s in ours), rel=1e-9)


def test_links_that_do_not_move_are_refused() -> None:
    with pytest.raises(InvalidValue, match="None of these links has a joint that turns or slides"):
        link_file.robot_from_links([LinkFile(0, 0, 0, 0, types=(3, 3))])
    with pytest.raises(InvalidValue, match="A robot needs at least one link file"):
        link_file.robot_from_links([])


# ---- the base link of ROBOSIM's table 1 ---------------------------------------------------------------


def test_the_base_link_of_table_1_has_these_parameters() -> None:
    """By hand: the axes meet at z = 50, above the fixed joint at z = -25; the second leans by 45 degrees."""
    rotate = Pose.from_axis_angle
    into = Pose.from_xyz(0.0, -0.030, -0.025)
    out = Pose.from_xyz(-0.005, -0.030, 0.055) @ rotate((0, 0, 1), np.pi / 2) @ rotate((1, 0, 0), -np.pi / 4)
    column = solids.cylinder(0.010, 0.050).moved(Pose.from_xyz(0, -0.030, 0))
    mass = MassProperties(1.5, np.array([0.0, -0.03, 0.0]), np.diag([1e-4, 1e-4, 5e-5]))
    link = link_file.link_of_solids(into, out, ("fixed", "revolute"), [column], mass)
    assert (link.theta, link.dz, link.da, link.alpha) == pytest.approx((90.0, 75.0, 0.0, -45.0), abs=1e-9)
    assert link.types == (3, 1)
    assert link.output_frame[:3, 3] == pytest.approx([0.0, -30.0, 50.0], abs=1e-9)
    assert link.check() == ()
    again = link_file.parse(link_file.write(link))
    assert again.inertia[3, 3] == pytest.approx(1.5)
    found = again.mass_properties()
    assert found is not None
    assert found.centre == pytest.approx([0, -0.03, 0])
    assert found.inertia == pytest.approx(np.diag([1e-4, 1e-4, 5e-5]), abs=1e-12)
    (solid,) = again.solids()
    assert solid.volume == pytest.approx(facets(column), rel=1e-9)
    assert solid.mesh().bounds[0] == pytest.approx([-0.01, -0.04, -0.025], abs=1e-4)


def test_parts_of_a_link_keep_their_place() -> None:
    arm = wc.robot("planar2r")
    pin = Part(solids.box(0.01, 0.02, 0.03).moved(Pose.from_xyz(0.1, 0.2, 0.3)), (1.0, 0.0, 0.0))
    arm = arm.replace(links=(Link("base"), Link("a", (pin,)), Link("b")), gripper=None)
    again = link_file.robot_from_links(written(link_file.links_of_robot(arm)))
    q = np.array([0.3, 0.4])
    low, high = pin.solid.moved(Pose(arm.frames(arm.home + q)[1])).mesh().bounds
    below, above = again.links[1].parts[0].solid.moved(Pose(again.frames(again.home + q)[1])).mesh().bounds
    assert below == pytest.approx(low, abs=1e-9)
    assert above == pytest.approx(high, abs=1e-9)
