"""The figures of Kahloun 1987, corrected, and the analytic values of exact solids."""

from __future__ import annotations

import math

import numpy as np
import pytest

from workcell.errors import InvalidShape, InvalidValue
from workcell.geometry import faceted, properties, solids
from workcell.geometry.contour import ArcTo, Circle, LineTo, Path
from workcell.geometry.nurbs.curve import NurbsCurve, join
from workcell.geometry.nurbs.surface import NurbsSurface
from workcell.geometry.solid import Solid
from workcell.geometry.surface import Surface, disc, rectangle, surface
from workcell.geometry.sweep import pd_curve
from workcell.spatial.pose import Pose

PI = math.pi


def outward(solid: Solid) -> None:
    """Closed, and every face of the mesh looks away from the inside (the volume would be less otherwise)."""
    mesh = solid.mesh(2e-3)
    assert mesh.closed
    assert properties.of_mesh(mesh).volume > 0.0


@pytest.mark.parametrize(
    ("block", "relations", "surfaces", "volume", "area"),
    [
        (faceted.cylinder(1, 2, 8), 10, 2, 5.656854, 17.902724),
        (faceted.cylinder(1, 2, 32), 34, 2, 6.242890, 18.789084),
        (faceted.sphere(1, (4, 12)), 96, 4, 3.847759, 12.045310),
        (faceted.sphere(1, (8, 16)), 256, 8, 4.042740, 12.346123),
        (faceted.sphere(1, (2, 4)), 16, 2, 2.276142, 9.433178),
    ],
)
def test_faceted_primitives_are_the_corrected_figures(block, relations, surfaces, volume, area):
    assert len(block.relations) == relations
    assert len(block.surfaces) == surfaces
    assert block.solid.volume == pytest.approx(volume, abs=6e-7)
    assert block.solid.area == pytest.approx(area, abs=6e-7)
    assert block.solid.centroid == pytest.approx([0, 0, 0], abs=1e-12)
    assert block.solid.is_valid
    outward(block.solid)


@pytest.mark.parametrize("n", [3, 5, 7, 12, 33])
def test_faceted_cylinders_close_for_every_number_of_facets(n):
    theta = 2 * PI / n
    solid = faceted.cylinder(0.5, 0.3, n).solid
    assert solid.volume == pytest.approx(n / 2 * 0.25 * math.sin(theta) * 0.3, rel=1e-12)
    outward(solid)


def test_faceted_patches_look_outward_but_for_the_reflected_half_of_a_sphere():
    for block in (faceted.cylinder(1, 2, 9), faceted.sphere(1, (3, 8)), faceted.torus(2, 0.5, (9, 6))):
        for relation in block.relations:
            corners = np.array(block.surfaces[relation.surface].main[0].corners)
            place = relation.matrix @ [*corners.mean(axis=0), 0, 1]
            normal = np.linalg.inv(relation.matrix[:3, :3]).T @ [0, 0, 1]
            away = place[:3].copy()
            if "edge" in relation.name:
                ring = np.array([place[0], place[1], 0.0])
                away -= ring / np.linalg.norm(ring) * 2.0 * math.cos(PI / 9)
            elif "side" in relation.name:
                away[2] = 0.0
            assert float(normal @ away) > 0.0, relation.name


def test_facets_are_asked_for_where_the_primitive_is_made():
    assert solids.cylinder(1, 2, facets=8) == faceted.cylinder(1, 2, 8).solid
    assert solids.sphere(1, facets=(4, 12)) == faceted.sphere(1, (4, 12)).solid
    assert solids.cone(1, 2, facets=12) == faceted.cone(1, 2, 12).solid
    with pytest.raises(InvalidValue, match="The number of facets must be at least 3, not 2"):
        solids.cylinder(1, 2, facets=2)
    with pytest.raises(InvalidValue, match=r"takes .faces per half slice, slices."):
        solids.sphere(1, facets=8)


def test_the_revolved_edge_of_figure_3_15():
    for profile, z in (([(0, 0), (2, 0), (1, 3), (0, 3)], 1.178571), ([(0, 0), (1, 0), (2, 3), (0, 3)], 1.821429)):
        block = faceted.rotational_sweep(surface(profile), 12)
        assert len(block.relations) == 36
        assert block.solid.volume == pytest.approx(21.0, rel=1e-12)
        assert block.solid.centroid == pytest.approx([0, 0, z], abs=6e-7)
        outward(block.solid)


def test_the_translational_sweep_of_figure_3_14_has_a_relation_an_edge_and_two():
    shape = surface(
        [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], [[(0.2, 0.2), (0.5, 0.2), (0.5, 0.5), (0.2, 0.5)]]
    )
    block = faceted.translational_sweep(shape, 0.5, prefix="plate_")
    assert len(block.relations) == 6 + 4 + 2
    assert all(relation.name.startswith("plate_") for relation in block.relations)
    assert block.solid.volume == pytest.approx((3 - 0.09) * 0.5, rel=1e-12)
    outward(block.solid)


def test_faceted_ellipsoids_cones_and_tori_close():
    assert faceted.ellipsoid(1, 2, 3, (8, 16)).solid.volume == pytest.approx(6 * 4.0427398, rel=1e-7)
    assert faceted.cone(1, 2, 12).solid.volume == pytest.approx(2.0, rel=1e-12)
    assert faceted.truncated_cone(0.5, 1, 2, 12).solid.volume == pytest.approx(3.5, rel=1e-12)
    for block in (faceted.ellipsoid(1, 2, 3, (4, 8)), faceted.cone(1, 2, 12), faceted.torus(2, 0.5, (8, 6))):
        outward(block.solid)


def ellipsoid_area(c, b, a):
    """Legendre's formula for semi-axes a ≥ b ≥ c, by an independent library."""
    from scipy.special import ellipeinc, ellipkinc

    phi = math.acos(c / a)
    m = a * a * (b * b - c * c) / (b * b * (a * a - c * c))
    s = math.sin(phi)
    return 2 * PI * c * c + 2 * PI * a * b / s * (ellipeinc(phi, m) * s * s + ellipkinc(phi, m) * math.cos(phi) ** 2)


EXACT = [
    ("box", solids.box(1, 2, 3), 6.0, 22.0),
    ("cylinder", solids.cylinder(1, 2), 2 * PI, 6 * PI),
    ("cone", solids.cone(1, 2), 2 * PI / 3, PI * (1 + math.sqrt(5))),
    ("truncated cone", solids.truncated_cone(0.5, 1, 2), 7 * PI / 6, PI * (1.25 + 1.5 * math.sqrt(4.25))),
    ("sphere", solids.sphere(1.5), 4.5 * PI, 9 * PI),
    ("torus", solids.torus(2, 0.5), PI**2, 4 * PI**2),
    ("wedge", solids.wedge(1, 2, 3), 3.0, 2 + 6 + 3 + 2 * math.sqrt(10)),
    ("pyramid", solids.pyramid(2, 2, 1), 4 / 3, 4 + 4 * math.sqrt(2)),
    ("truncated pyramid", solids.pyramid(2, 2, 3, 1, 1), 7.0, None),
    ("plate", solids.extrude(surface([(0, 0), (2, 0), (2, 1), (0, 1)], [Circle((0.5, 0.5), 0.2)]), 0.5), 1 - 0.02 * PI, None),
    ("slanted", solids.extrude(rectangle(1, 1), (1, 0, 2)), 2.0, None),
    ("ring", solids.revolve(surface([(1, 0), (2, 0), (2, 1), (1, 1)])), 3 * PI, 12 * PI),
    ("quarter", solids.revolve(surface([(1, 0), (2, 0), (2, 1), (1, 1)], [Circle((1.5, 0.5), 0.2)]), PI / 2),
     0.75 * PI * (1 - 0.04 * PI), None),
    ("torus about y", solids.revolve(disc(0.5), 2 * PI, (2, 0, 0), (0, 1, 0)), PI**2, 4 * PI**2),
    ("cone by revolving", solids.revolve(surface([(0, 0), (1, 0), (0, 2)])), 2 * PI / 3, PI * (1 + math.sqrt(5))),
    ("slot", solids.extrude(Surface((Path((0.0, 0.0), (LineTo((1.0, 0.0)), ArcTo((1.5, 0.5), (1.0, 1.0)),
     LineTo((0.0, 1.0)), ArcTo((-0.5, 0.5), (0.0, 0.0)))),)), 1.0), 1 + PI / 4, 2 * (1 + PI / 4) + 2 + PI),
]  # fmt: skip


@pytest.mark.parametrize(("solid", "volume", "area"), [e[1:] for e in EXACT], ids=[e[0] for e in EXACT])
def test_exact_solids_have_their_analytic_volume_and_area(solid, volume, area):
    assert solid.volume == pytest.approx(volume, rel=1e-9)
    if area is not None:
        assert solid.area == pytest.approx(area, rel=1e-9)
    assert solid.is_valid
    outward(solid)


@pytest.mark.parametrize(
    "solid",
    [solids.box(1, 2, 3), solids.cylinder(1, 2), solids.cone(1, 2), solids.truncated_cone(1, 0.5, 2),
     solids.sphere(1), solids.torus(2, 0.5), solids.wedge(1, 2, 3, 0.4), solids.pyramid(2, 3, 3, 1, 0.5),
     solids.ellipsoid(1, 2, 3)],
)  # fmt: skip
def test_primitives_are_made_as_robosim_does(solid):
    assert solid.centroid == pytest.approx([0, 0, 0], abs=1e-9)
    moments = solid.inertia
    assert moments[0, 2] == pytest.approx(0.0, abs=1e-3) or solid.recipe.__class__.__name__ == "Polyhedron"


def test_the_kernel_agrees_with_the_formulas_that_stand_in_for_it():
    import msgspec

    from workcell.geometry import analytic
    from workcell.geometry.kernel.requests import PropertiesAnswer, PropertiesRequest
    from workcell.geometry.kernel.worker import default_worker

    for solid in (
        solids.box(1, 2, 3),
        solids.cylinder(1, 2),
        solids.truncated_cone(0.5, 1, 2),
        solids.sphere(1),
        solids.torus(2, 0.5),
    ):
        data = default_worker().submit(PropertiesRequest(solid.recipe))
        answer = msgspec.msgpack.decode(data, type=PropertiesAnswer)
        known = analytic.properties(solid.recipe)
        assert known is not None
        assert answer.volume == pytest.approx(known.volume, rel=1e-12)
        assert answer.area == pytest.approx(known.area, rel=1e-12)
        assert answer.centroid == pytest.approx(known.centroid, abs=1e-9)
        assert np.array(answer.inertia) == pytest.approx(known.inertia, abs=1e-8 * np.abs(known.inertia).max())


def test_an_ellipsoid_both_ways_of_section_3_3_1_3():
    direct = solids.ellipsoid(1, 2, 3)
    scaled = solids.sphere(1).transformed(np.diag([1, 2, 3, 1]))
    assert direct == scaled
    assert direct.volume == pytest.approx(8 * PI, rel=1e-12)
    assert direct.inertia == pytest.approx(np.diag([13, 10, 5]) * 8 * PI / 5, rel=1e-9)
    assert direct.area == pytest.approx(ellipsoid_area(1, 2, 3), rel=1e-9)
    assert direct.mesh(2e-2).closed
    cut = direct - solids.box(4, 4, 8).moved(Pose.from_xyz(2, 0, 0))
    assert cut.volume == pytest.approx(4 * PI, rel=1e-6)


def test_reflections_and_unequal_scales_are_valid_solids():
    part = solids.extrude(surface([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]), 0.5)
    mirrored = part.transformed(np.diag([-1, 1, 1, 1]))
    stretched = part.transformed([[2, 0.3, 0, 1], [0, 1, 0, 0], [0, 0, 0.5, 0], [0, 0, 0, 1]])
    for solid, volume in ((mirrored, 1.5), (stretched, 1.5)):
        assert solid.volume == pytest.approx(volume, rel=1e-9)
        assert solid.is_valid
        outward(solid)
        assert (solid + solids.box(0.1, 0.1, 0.1).moved(Pose.from_xyz(20, 0, 0))).volume == pytest.approx(volume + 1e-3)


ARC = NurbsCurve.arc((0, 0, 0), 2.0, 0, PI / 2)
PATH = join([
    NurbsCurve.line((0, 0, 0), (1, 0, 0)),
    NurbsCurve.arc((1, 0.5, 0), 0.5, -PI / 2, PI / 2),
    NurbsCurve.line((1.5, 0.5, 0), (1.5, 2, 0)),
])  # fmt: skip
UP = NurbsCurve.line((0, 0, 0), (0, 0, 1))
SWEPT = [
    ("tube along an arc", solids.sweep(disc(0.3, 0.2), ARC), PI * 0.05 * PI),
    ("closed ring", solids.sweep(rectangle(0.2, 0.4), NurbsCurve.arc((0, 0, 0), 2.0)), 2 * PI * 2 * 0.08),
    ("twisted bar", solids.sweep(rectangle(0.2, 0.4), pd_curve(UP, (0, 1, 0), twist=PI / 2)), 0.08),
    ("tapered bar", solids.sweep(rectangle(1, 1), pd_curve(UP, (0, 1, 0), scale=(0.5, 0.5, 1))), 7 / 12),
    ("nine components", solids.sweep(rectangle(1, 1), pd_curve(UP, (0, 1, 0), scale=(0.5, 1, 1), twist=1)), 0.75),
    ("pipe", solids.sweep(disc(0.2, 0.15), pd_curve(PATH, (0, 0, 1))), PI * 0.0175 * (2.5 + PI / 4)),
]


@pytest.mark.parametrize(("solid", "volume"), [e[1:] for e in SWEPT], ids=[e[0] for e in SWEPT])
def test_swept_solids_have_their_volume(solid, volume):
    assert solid.volume == pytest.approx(volume, rel=1e-6)
    outward(solid)


def test_a_helix_has_the_volume_of_its_section_times_its_length():
    t = np.linspace(0, 4 * PI, 60)
    helix = NurbsCurve.through(np.column_stack([np.cos(t), np.sin(t), 0.3 * t]), 5)
    coil = solids.sweep(disc(0.2), pd_curve(helix, (0, 0, 1)))
    # Pappus: the centroid of the section runs along the curve, the section stands across it.
    assert coil.volume == pytest.approx(PI * 0.04 * helix.length(), rel=1e-6)


def test_the_frame_of_a_pd_curve_is_equation_3_1():
    curve = pd_curve(ARC, (0.2, 0.1, 1.0))
    for u in (0.1, 0.5, 0.9):
        m = curve.frames([u])[0]
        t = ARC.derivatives(u, 1)[1]
        t /= np.linalg.norm(t)
        n = np.cross((0.2, 0.1, 1.0), t)
        n /= np.linalg.norm(n)
        assert m[:3, 2] == pytest.approx(t)
        assert m[:3, 0] == pytest.approx(n)
        assert m[:3, 1] == pytest.approx(np.cross(t, n))
        assert m[:3, 3] == pytest.approx(ARC.at(u))


def test_sweeps_that_cannot_be_are_refused_with_the_place():
    with pytest.raises(InvalidShape, match=r"crosses itself near \(.*bends more tightly"):
        solids.sweep(disc(0.6), pd_curve(PATH, (0, 0, 1)))
    with pytest.raises(InvalidShape, match="direction of the PD curve is along the curve"):
        solids.sweep(disc(0.1), pd_curve(UP, (0, 0, 1)))
    corner = join([NurbsCurve.line((0, 0, 0), (1, 0, 0)), NurbsCurve.line((1, 0, 0), (1, 1, 0))])
    with pytest.raises(InvalidShape, match=r"corner of 90° at \(1000, 0, 0\) mm"):
        solids.sweep(disc(0.1), pd_curve(corner, (0, 0, 1))).volume
    loop = [(0, 0, 0), (2, 0, 0), (3, 1, 0), (2, 2, 0), (1, 1, 0), (1, -1, 0)]
    eight = NurbsCurve.through(np.array(loop, dtype=float), 5)
    with pytest.raises(InvalidShape, match="crosses itself near"):
        solids.sweep(disc(0.1), pd_curve(eight, (0, 0, 1))).volume
    square = surface([(-1, 0), (1, 0), (1, 1), (-1, 1)])
    with pytest.raises(InvalidShape, match=r"crosses the axis of revolution near \(0, 0, 0\)"):
        solids.revolve(square)
    with pytest.raises(InvalidShape, match=r"crosses the axis of revolution near \(0, 0, 0\)"):
        solids.revolve(square, PI, (0, 0.5, 0), (0, 1, 0.3))
    with pytest.raises(InvalidValue, match="axis of a revolution is perpendicular to the surface"):
        solids.revolve(square, 1.0, (2, 0, 0), (0, 0, 1))
    with pytest.raises(InvalidValue, match="must leave the plane"):
        solids.extrude(disc(1), 0.0)


def test_a_pipe_that_meets_itself_is_told_where_its_middle_lines_cross():
    points = 0.1 * np.array([(0, 0, 0), (2, 0, 0), (3, 1, 0), (2, 2, 0), (1, 1, 0), (1, -1, 0)])
    path = NurbsCurve.through(points)
    u = np.linspace(0.0, 1.0, 401)
    at = np.array([path.at(value) for value in u])
    apart = np.linalg.norm(at[:, None] - at[None], axis=2) + 9.0 * (np.abs(u[:, None] - u[None]) < 0.2)
    where = at[np.unravel_index(apart.argmin(), apart.shape)[0]]
    (fault,) = solids.sweep(disc(0.02), pd_curve(path, (0, 0, 1))).check()
    assert fault.kind == "crossing faces"
    assert fault.faces == ("side",)
    assert fault.place == pytest.approx(tuple(where), abs=0.005)


def test_free_form_lids_are_sewn_into_solids_and_trimmed_patches_have_their_area():
    side = 0.1
    grid = np.zeros((4, 4, 3))
    grid[..., 0], grid[..., 1] = np.meshgrid(np.linspace(0, side, 4), np.linspace(0, side, 4), indexing="ij")
    grid[1:3, 1:3, 2] = 0.06
    lid = NurbsSurface.clamped(grid, (3, 3))
    square = surface([(0, 0), (side, 0), (side, side), (0, side)])
    body = solids.sewn([("lid", lid.patch, np.eye(4)), ("floor", square, np.eye(4))])
    # A bicubic Bézier height field has the mean of its control heights: 4 of 16 at 0.06.
    assert body.volume == pytest.approx(side * side * 0.06 / 4, rel=1e-6)
    assert set(body.faces.names) == {"lid", "floor"}
    assert body.is_valid
    flat = NurbsSurface.ruled(NurbsCurve.line((0, 0, 0), (1, 0, 0)), NurbsCurve.line((0, 1, 0), (1, 1, 0)))
    hole = flat.trimmed(Surface((rectangle_loop(0.0, 1.0),), (rectangle_loop(0.4, 0.6),)))
    frame = solids.sewn(
        [("top", hole.transformed(Pose.from_xyz(0, 0, 1).matrix).patch, np.eye(4)), ("bottom", hole.patch, np.eye(4))]
        + [(f"wall{i}", wall.patch, np.eye(4)) for i, wall in enumerate(walls((0, 1)) + walls((0.4, 0.6)))]
    )
    assert frame.volume == pytest.approx(1 - 0.04, rel=1e-6)


def rectangle_loop(a, b):
    return surface([(a, a), (b, a), (b, b), (a, b)]).main[0]


def walls(ends):
    a, b = ends
    corners = [(a, a), (b, a), (b, b), (a, b)]
    made = []
    for p, q in zip(corners, corners[1:] + corners[:1], strict=True):
        made.append(NurbsSurface.ruled(NurbsCurve.line((*p, 0), (*q, 0)), NurbsCurve.line((*p, 1), (*q, 1))))
    return made
