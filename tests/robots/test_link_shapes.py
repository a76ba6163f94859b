"""Link shapes: forms made right, links that do not run into each other at home."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.kinematics.dh import Chain
from workcell.robots import arm_form
from workcell.robots.build import robot_from_file
from workcell.robots.catalogue import robot, robots
from workcell.robots.link_shapes import shape_solid
from workcell.robots.robot import Robot
from workcell.robots.robot_file import ShapePart, Style, parse
from workcell.robots.shape_parts import slab, tube


def test_a_tapered_tube_runs_from_end_to_end() -> None:
    solid = tube((0.1, 0.2, 0.3), (0.1, 0.2, 0.8), 0.05, 0.02)
    assert solid.volume == pytest.approx(math.pi * 0.5 * (0.05**2 + 0.05 * 0.02 + 0.02**2) / 3)
    low, high = solid.mesh().bounds
    assert (low[2], high[2]) == pytest.approx((0.3, 0.8))


def test_a_slab_is_the_hull_of_two_discs() -> None:
    r1, r2, length, thick = 0.1, 0.06, 0.4, 0.05
    solid = slab((0, 0, 0), (0.4, 0, 0), r1, r2, thickness=thick, normal=(0, 0, 1))
    tilt = math.asin((r1 - r2) / length)
    hull = (r1**2 * (math.pi / 2 + tilt) + r2**2 * (math.pi / 2 - tilt)) + (r1 + r2) * length * math.cos(tilt)
    assert solid.volume == pytest.approx(hull * thick, rel=1e-9)


def test_forms_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidValue, match="two different ends"):
        tube((0, 0, 0), (0, 0, 0), 0.1)
    with pytest.raises(InvalidValue, match="neither inside the other"):
        slab((0, 0, 0), (0.01, 0, 0), 0.1, 0.05, thickness=0.1, normal=(0, 0, 1))
    with pytest.raises(InvalidValue, match="tube of link 2 is not complete"):
        shape_solid(ShapePart(2, "tube", (0, 0, 0), r=(5,)))
    with pytest.raises(InvalidValue, match="needs 2 radii; found 1"):
        arm_form.draw(Chain([(0, 0, 1, 0), (0, 0, 1, 0)]), Style(radii=(5.0,)))


def test_a_shape_for_a_link_that_is_not_there_is_refused() -> None:
    text = """format = "workcell-robot 1"
name = "x"
model = "x"
maker = "x"
joints = [{ d = 1, a = 1, alpha = 0, limits = [0, 1] }]
shape = [{ link = 4, kind = "ball", start = [0, 0, 0], r = [5] }]
"""
    with pytest.raises(InvalidValue, match="for link 4; the links are numbered 0…1"):
        robot_from_file(parse(text))
    with pytest.raises(InvalidValue, match="#rrggbb or one of arm, frame, dark, steel; found 'pink'"):
        robot_from_file(parse(text.replace("link = 4", 'colour = "pink", link = 1')))


@pytest.mark.parametrize("kinds", ["R", "RR", "PRP", "RRRRRRR"])
def test_any_chain_gets_a_form(kinds: str) -> None:
    rng = np.random.default_rng(len(kinds))
    rows = [(0.0, *rng.uniform(0.1, 0.4, 2), rng.choice([0, math.pi / 2, -math.pi / 2]), kind == "P") for kind in kinds]
    pieces = arm_form.draw(Chain(rows), Style())
    assert len(pieces) == len(kinds) + 1
    assert all(link for link in pieces)


def overlaps(arm: Robot, q: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Pairs of links, not neighbours, whose shapes share volume."""
    import manifold3d

    bodies = []
    for (solid, _), frame in zip(arm.link_solids, arm.frames(q), strict=True):
        assert solid is not None
        mesh = solid.mesh(2e-3)
        points = (mesh.vertices @ frame[:3, :3].T + frame[:3, 3]).astype(np.float32)
        bodies.append(manifold3d.Manifold(manifold3d.Mesh(points, mesh.triangles.astype(np.uint32))))
    n = len(bodies)
    return [(i, j) for i in range(n) for j in range(i + 2, n) if (bodies[i] ^ bodies[j]).volume() > 1e-9]


@pytest.mark.parametrize("name", ["puma560", "ur5"])
def test_links_are_clear_of_each_other_at_home(name: str) -> None:
    assert overlaps(robot(name), robot(name).home) == []


@pytest.mark.soak
@pytest.mark.parametrize("name", robots())
def test_links_of_every_robot_are_clear_at_home(name: str) -> None:
    assert overlaps(robot(name), robot(name).home) == []


def test_the_puma_keeps_clear_of_itself_in_the_thesis_program() -> None:
    arm = robot("puma560")
    for q in ((0, 0, -90, 0, 90, 0), (-70, -10, -80, 30, 70, -10), (-60, 0, -70, 0, 90, 30)):
        assert overlaps(arm, np.radians(q)) == []


@pytest.mark.parametrize("name", [name for name in robots() if name.startswith("ur")])
def test_no_link_comes_through_the_cap_of_the_drum_at_its_end(name: str) -> None:
    for link in robot(name).links[1:-1]:
        *_, drum, cap = (part.solid.mesh().vertices for part in link.parts)
        side = np.sign(cap[:, 2].mean() - drum[:, 2].mean())
        if link.parts[-1].name != "dark" or (side * cap[:, 2]).max() <= (side * drum[:, 2]).max():
            continue  # an axle, not a cap on a drum
        bar = link.parts[0].solid.mesh().vertices
        over = np.linalg.norm(bar[:, :2], axis=1) < np.linalg.norm(cap[:, :2], axis=1).max()
        assert (side * bar[over, 2]).max() < (side * cap[:, 2]).max() - 1e-3
