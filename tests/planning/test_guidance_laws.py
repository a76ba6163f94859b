"""Laws of the guidance: velocities that links allow, rates that give them, and the mistakes of the thesis."""

from __future__ import annotations

import math

import numpy as np
import pytest
from guidance_scenes import FOLDED, GOAL, PLANAR, POSTS, SPATIAL, TWISTED
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.errors import InvalidValue, UnknownName
from workcell.planning.guidance.constants import Constants
from workcell.planning.guidance.destinations import Destination, Foresight
from workcell.planning.guidance.links import LinkArm
from workcell.planning.guidance.measuring import Measuring
from workcell.planning.guidance.obstacles import Cylinder, Moving, Packed, Solid, Sphere, Triangle
from workcell.planning.guidance.rates import saturated, saturation
from workcell.planning.guidance.runs import guide_links
from workcell.planning.guidance.step import step

angles = st.floats(-3.0, 3.0)
FREE = LinkArm.of([0.0, (1.0, 3.0), (1.0, 3.0), 2.0], [None] * 3, [None] * 3, base=((-1.0, 1.0), (-1.0, 1.0)))
NOTHING = Packed.of([])


def matrices(arm: LinkArm, x: np.ndarray) -> list[np.ndarray]:
    """The end points by the matrices of eq 2-5, multiplied one by one."""
    n, out, product = arm.n, [], np.eye(4)
    for i in range(n + 1):
        out.append((product @ [1.0, x[i], 0.0, 0.0])[1:] + [0.0, x[-2], x[-1]])
        if i < n:
            a, ca, sa = x[i], math.cos(x[n + 1 + i]), math.sin(x[n + 1 + i])
            ct, st_ = math.cos(x[2 * n + 1 + i]), math.sin(x[2 * n + 1 + i])
            product = product @ np.array(
                [[1, 0, 0, 0], [a, ct, -st_, 0], [0, ca * st_, ca * ct, -sa], [0, sa * st_, sa * ct, ca]]
            )
    return out


@given(st.lists(angles, min_size=3, max_size=3), st.lists(angles, min_size=3, max_size=3), st.floats(1.0, 3.0))
def test_end_points_are_those_of_the_matrices(twists, rotations, length):
    x = FREE.posture(rotations, twists, [0.0, length, 2.0, 2.0])
    x[-2:] = 0.3, -0.4
    np.testing.assert_allclose(FREE.end_points(x), matrices(FREE, x), atol=1e-12)


@given(
    st.lists(st.floats(0.2, 2.8), min_size=6, max_size=6), st.lists(angles, min_size=6, max_size=6), st.integers(0, 99)
)
@settings(max_examples=60)
def test_rates_move_the_end_points_at_the_velocities_that_the_step_states(rotations, twists, seed):
    rng = np.random.default_rng(seed)
    x = SPATIAL.posture(rotations, twists)
    obstacles = Packed.of([Sphere(tuple(rng.uniform(-6, 6, 3)), 0.5)])
    found = step(SPATIAL, x, rng.uniform(-5, 5, 3), obstacles, Constants(rate_cap=math.inf, twist_cap=math.inf))
    h = 1e-6
    moved = (SPATIAL.end_points(x + h * found.rates) - SPATIAL.end_points(x - h * found.rates)) / (2 * h)
    np.testing.assert_allclose(moved, found.given, atol=1e-5 * (1 + np.abs(found.rates).max()))


@given(
    st.lists(st.floats(0.3, 2.8), min_size=6, max_size=6), st.lists(angles, min_size=6, max_size=6), st.integers(0, 99)
)
@settings(max_examples=60)
def test_an_arm_whose_twists_are_free_gives_every_velocity_that_is_asked_for(rotations, twists, seed):
    rng = np.random.default_rng(seed)
    x = SPATIAL.posture(rotations, twists)
    wide = Constants(rate_cap=math.inf, twist_cap=math.inf, sine_floor=1e-9)
    found = step(SPATIAL, x, rng.uniform(-5, 5, 3), Packed.of([Sphere(tuple(rng.uniform(-6, 6, 3)), 0.5)]), wide)
    np.testing.assert_allclose(found.given, found.wanted, atol=1e-7 * (1 + np.abs(found.wanted).max()))


@given(
    st.lists(st.floats(0.2, 2.8), min_size=3, max_size=3), st.lists(angles, min_size=3, max_size=3), st.integers(0, 99)
)
@settings(max_examples=60)
def test_velocities_never_stretch_a_link_beyond_its_bounds(rotations, twists, seed):
    rng = np.random.default_rng(seed)
    x = FREE.posture(rotations, twists, [0.0, 3.0, 1.0, 2.0])  # link 2 cannot grow, link 3 cannot shrink
    found = step(FREE, x, rng.uniform(-5, 5, 3), Packed.of([Sphere(tuple(rng.uniform(-3, 3, 3)), 0.3)]))
    u = np.diff(found.points, axis=0)
    rate = np.einsum("ij,ij->i", np.diff(found.wanted, axis=0), u) / np.linalg.norm(u, axis=1)
    scale = 1e-9 * (1 + np.abs(found.wanted).max())
    assert rate[0] <= scale
    assert rate[1] >= -scale
    assert abs(rate[2]) <= scale


def test_nothing_moves_past_its_bounds():
    arm = LinkArm.of([0.0, 2.0, 2.0], [0.0, 0.0], [(-0.5, 0.5), (0.0, 0.4)])
    found = guide_links(arm, arm.posture([0.5, 0.2]), (-3.0, 1.0, 0.0), time=50.0)
    assert found.outcome == "stalled"
    assert (found.states >= arm.low - 1e-12).all()
    assert (found.states <= arm.high + 1e-12).all()


def test_both_pulls_arrive_and_differ():
    listing = step(PLANAR, FOLDED, GOAL, NOTHING)
    text = step(PLANAR, FOLDED, GOAL, NOTHING, Constants(pull="proportional", gain=0.1))
    away = np.subtract(GOAL, listing.points[-1])
    np.testing.assert_allclose(np.linalg.norm(listing.wanted[-1]), 0.4)
    np.testing.assert_allclose(text.wanted[-1], 0.1 * away)
    found = guide_links(PLANAR, FOLDED, GOAL, POSTS, Constants(pull="proportional", gain=0.1))
    assert found.outcome == "arrived"
    assert found.clearance > 0.1


def test_an_obstacle_pushes_straight_away_from_its_surface_and_without_bound():
    arm = LinkArm.of([0.0, 2.0], [0.0], [None])
    x = arm.posture([0.0])
    sizes = []
    for gap in (0.3, 0.2, 0.1, 0.05, 0.01):
        pushed = step(arm, x, (2.0, 0.0, 0.0), Packed.of([Sphere((2.0, -gap - 0.5, 0.0), 0.5)]))
        direction = pushed.wanted[-1] / np.linalg.norm(pushed.wanted[-1])
        np.testing.assert_allclose(direction, [0.0, 1.0, 0.0], atol=1e-9)
        np.testing.assert_allclose(np.linalg.norm(pushed.wanted[-1]), 2 * 0.4 * (0.4 - gap) / gap**3, rtol=1e-9)
        sizes.append(float(np.linalg.norm(pushed.wanted[-1])))
    assert sizes == sorted(sizes)
    assert not step(arm, x, (2.0, 0.0, 0.0), Packed.of([Sphere((2.0, -1.0, 0.0), 0.5)])).wanted.any()


def test_the_greatest_influence_of_a_solid_counts_and_not_their_sum():
    arm = LinkArm.of([0.0, 2.0], [0.0], [None])
    x = arm.posture([0.0])
    cube = Solid.of_mesh(
        np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]) + [1.5, 0.2, -0.5],
        [
            (0, 1, 3),
            (0, 3, 2),
            (4, 6, 7),
            (4, 7, 5),
            (0, 4, 5),
            (0, 5, 1),
            (2, 3, 7),
            (2, 7, 6),
            (0, 2, 6),
            (0, 6, 4),
            (1, 5, 7),
            (1, 7, 3),
        ],
    )
    found = step(arm, x, (2.0, 0.0, 0.0), Packed.of([cube]))
    np.testing.assert_allclose(found.wanted[-1], [0.0, -2 * 0.4 * 0.2 / 0.2**3, 0.0], atol=1e-9)
    assert found.clearance == pytest.approx(0.2)


def test_links_have_a_thickness():
    thick = LinkArm.of([0.0] + [2.0] * 6, [0.0] * 6, [(-3.14, 3.14)] * 6, half_thickness=0.15)
    found = guide_links(thick, FOLDED, GOAL, POSTS)
    bare = guide_links(PLANAR, FOLDED, GOAL, POSTS)
    assert found.clearance > 0.3
    lines = np.array([step(PLANAR, x, GOAL, Packed.of(POSTS)).clearance for x in found.states[::20]])
    np.testing.assert_allclose(found.clearances[::20] + 0.15, lines, atol=1e-12)
    assert found.steps != bare.steps


def test_penetration_stops_the_run():
    found = guide_links(PLANAR, FOLDED, GOAL, [Sphere((0.8, 1.5, 0.0), 0.5)])
    assert found.outcome == "contact"
    assert found.steps == 0
    assert "touched obstacle 1" in found.sentence


def test_a_moving_obstacle_that_runs_into_the_arm_is_a_contact_and_one_that_passes_is_not():
    hits = Moving(Cylinder((-6, 1, -5), (-6, 1, 5), 0.5), (3.0, 0.0, 0.0))
    assert guide_links(PLANAR, FOLDED, GOAL, [hits]).outcome == "contact"
    passes = Moving(Cylinder((14, 6, -5), (14, 6, 5), 0.5), (-0.15, 0.0, 0.0))
    found = guide_links(PLANAR, FOLDED, GOAL, [passes])
    assert found.outcome == "arrived"
    assert found.clearance > 0.2


def test_encoders_and_deflection_change_what_is_read_and_where_the_arm_is():
    exact = guide_links(PLANAR, FOLDED, GOAL, POSTS)
    coarse = guide_links(PLANAR, FOLDED, GOAL, POSTS, measuring=Measuring(resolution=2e-3))
    assert coarse.outcome == "arrived"
    assert not np.array_equal(coarse.states[50], exact.states[50])
    np.testing.assert_allclose(coarse.clearance, exact.clearance, atol=0.02)
    lift = LinkArm.of([0.0, 1.0, 1.0], [math.pi / 2, 0.0], [None, None])  # an arm that lifts
    stiff = guide_links(lift, lift.posture([0.3, 0.3], [math.pi / 2, 0.0]), (1.2, 0.0, 0.8))
    soft = guide_links(
        lift, lift.posture([0.3, 0.3], [math.pi / 2, 0.0]), (1.2, 0.0, 0.8), measuring=Measuring(compliance=0.02, load=1.0),
        time=30.0,
    )  # fmt: skip
    assert stiff.outcome == "arrived"
    assert soft.outcome != "arrived"  # the tip hangs lower than the encoders show
    assert soft.points[-1][-1][2] < stiff.points[-1][-1][2]


def test_attitude_turns_the_last_link():
    wanted = Destination(np.array([5.0, 4.0, 2.0]), np.array([0.0, 0.0, -1.0]))
    found = guide_links(SPATIAL, TWISTED, wanted, turn_tolerance=0.05)
    assert found.outcome == "arrived"
    last = found.points[-1][-1] - found.points[-1][-2]
    assert math.acos(last @ [0, 0, -1] / np.linalg.norm(last)) <= 0.05


def test_a_moving_destination_is_met_and_a_late_look_is_made_up_for():
    def seen(time: float) -> Destination:
        return Destination(np.array([3.0 + 0.15 * time, 4.0, 0.5]))

    found = guide_links(SPATIAL, TWISTED, seen, time=60.0)
    assert found.outcome == "arrived"
    assert found.distance < 0.02
    chased = np.linalg.norm(np.diff(found.points[:, -1], axis=0), axis=1).sum()
    direct = np.linalg.norm(found.points[-1][-1] - found.points[0][-1])
    assert chased < 1.1 * direct  # it goes to where they meet, not after it


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.5, 3.0))
def test_straight_motions_are_foreseen_exactly(vx, vy, ahead):
    known = Foresight()
    for k in range(5):
        known.observe(
            0.1 * k, Destination(np.array([vx * 0.1 * k, 1.0 + vy * 0.1 * k, 0.0]), np.array([1.0, 0.0, 0.0]))
        )
    np.testing.assert_allclose(
        known.at(0.4 + ahead).position, [vx * (0.4 + ahead), 1.0 + vy * (0.4 + ahead), 0.0], atol=1e-9
    )


def test_saturation_keeps_the_direction():
    rates, most = np.array([0.5, -4.0, 1.0]), np.array([1.0, 2.0, 1.0])
    assert saturation(rates, most) == 2.0
    np.testing.assert_allclose(saturated(rates, most), rates / 2.0)
    np.testing.assert_allclose(saturated(0.1 * rates, most), 0.1 * rates)
    np.testing.assert_allclose(saturated(0.1 * rates, most, "fastest"), rates / 2.0)
    slow = guide_links(PLANAR, FOLDED, GOAL, POSTS, speeds=np.full(21, 0.3))
    assert slow.outcome == "arrived"
    assert slow.fastest <= 0.3 * (1 + 1e-12)


# ---- mistakes of the thesis that its corrections did not list -----------------------------------------------


def test_eq_3_1_as_printed_overlooks_rates_below_zero():
    rates, most = np.array([0.5, -4.0]), np.array([1.0, 1.0])
    printed = max(rates / most)
    assert np.abs(rates / printed).max() > 1.0  # an actuator would have to be eight times too fast
    assert np.abs(saturated(rates, most)).max() <= 1.0


def test_the_listing_scales_the_second_end_point_as_if_the_base_stood():
    arm = LinkArm.of([0.0, 2.0, 2.0, 2.0], [None] * 3, [None] * 3, base=((-5.0, 5.0), (-5.0, 5.0)))
    x = arm.posture([0.8, 0.9, -0.7], [0.2, 0.3, 0.1])
    worst = {}
    for reading in ("listing", "corrected"):
        found = step(arm, x, (-3.0, 4.0, 1.0), NOTHING, Constants(reading=reading))
        assert np.abs(found.wanted[0]).max() > 0.01  # the base goes along
        u = np.diff(found.points, axis=0)
        rate = np.einsum("ij,ij->i", np.diff(found.wanted, axis=0), u) / np.linalg.norm(u, axis=1)
        worst[reading] = np.abs(rate).max()
    assert worst["listing"] > 0.01  # a link of fixed length would have to stretch
    assert worst["corrected"] < 1e-12


def test_the_listing_overlooks_an_end_point_beside_a_cylinder_when_the_lines_cross_beyond_it():
    arm = LinkArm.of([0.0, 2.0], [0.0], [None])
    x = arm.posture([0.0])
    # The axis leans, so that the common normal of both lines is beyond its end; yet the tip is 0.1 from its surface.
    leaning = Cylinder((2.0, 0.6, 0.0), (4.0, 0.6, 1.0), 0.5)
    seen = {}
    for reading in ("listing", "corrected"):
        found = step(arm, x, (2.0, 0.0, 0.0), Packed.of([leaning]), Constants(reading=reading))
        assert found.clearance == pytest.approx(0.1, abs=1e-9)
        seen[reading] = float(np.linalg.norm(found.wanted[-1]))
    assert seen["listing"] == 0.0
    assert seen["corrected"] > 100.0


def test_the_listing_halves_an_influence_when_the_next_link_is_out_of_reach():
    """The text: where an obstacle acts on the middle of one link only, both of its ends get the whole influence."""
    arm = LinkArm.of([0.0] + [2.0] * 4, [0.0] * 4, [None] * 4)
    points = arm.end_points(x := arm.posture([0.5, -0.6, 0.5, -1.6]))
    inner, outer = points[3] - points[2], points[4] - points[3]
    normal = np.array([outer[1], -outer[0], 0.0]) / np.linalg.norm(outer)
    centre = points[3] + 0.7 * outer + 0.8 * normal
    foot = float((centre - points[2]) @ inner) / 4.0
    assert 0.0 < foot < 1.0  # the post is beside the middle of the inner link too, but out of reach
    assert np.linalg.norm(centre - points[2] - foot * inner) > 0.5 + 0.4
    post = Cylinder((*centre[:2], -5.0), (*centre[:2], 5.0), 0.5)
    whole = -2 * 0.4 * 0.1 / 0.3**3
    pushes = {}
    for reading in ("listing", "corrected"):
        found = step(arm, x, points[4], Packed.of([post]), Constants(reading=reading))
        assert float(found.wanted[4] @ normal) == pytest.approx(whole)
        pushes[reading] = float(found.wanted[3] @ normal)
    assert pushes["corrected"] == pytest.approx(whole)
    assert pushes["listing"] == pytest.approx(whole / 2)


# ---- wrong input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Constants(speed=0.0), "The speed of the pull is a number above zero; found 0.0."),
        (lambda: Constants(reach=math.nan), "The distance at which obstacles begin to push is a number above zero; found nan."),
        (lambda: Sphere((0, 0, math.nan), 1.0), "The centre of a sphere is a point of three finite numbers"),
        (lambda: Sphere((0, 0, 0), -1.0), "The radius of a sphere is zero or more"),
        (lambda: Cylinder((0, 0, 0), (0, 0, 0), 1.0), "The axis of a cylinder has two different ends"),
        (lambda: Triangle((0, 0, 0), (1, 0, 0), (2, 0, 0)), "The corners of a triangle are not on one line"),
        (lambda: Solid.tetrahedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]), "not in one plane"),
        (lambda: LinkArm.of([0.0, 1.0], [0.0, 0.0], [None]), "has 1 twists and as many rotations; found 2 and 1"),
        (lambda: LinkArm.of([0.0, -1.0], [0.0], [None]), "The length a_2 is zero or more; found -1."),
        (lambda: LinkArm.of([0.0, 1.0], [0.0], [(1.0, 0.0)]), "The bounds of θ_1 are 1 and 0"),
        (lambda: guide_links(PLANAR, FOLDED[:-1], GOAL), "This arm has 21 parameters"),
        (lambda: guide_links(PLANAR, FOLDED + 4.0, GOAL), "a_1 is 4; it stays between 0 and 0."),
        (lambda: guide_links(PLANAR, FOLDED, GOAL, period=0.0), "The period of a guided run is a number above zero"),
        (lambda: guide_links(PLANAR, FOLDED, GOAL, period=1e-9), "at most 1,000,000 steps"),
        (lambda: guide_links(PLANAR, FOLDED, (1.0, math.inf, 0.0)), "A destination is three finite numbers"),
        (lambda: Destination(np.zeros(3), np.zeros(3)), "An attitude is a direction; found zero."),
        (lambda: Measuring(resolution=-1.0), "The resolution of a measurement is zero or more"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_clear_sentence(make, words):
    with pytest.raises(InvalidValue) as caught:
        make()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_choices_name_the_known_ones():
    with pytest.raises(UnknownName, match="listing"):
        Constants(pull="magnet")
    with pytest.raises(UnknownName, match="fastest"):
        saturated([1.0], [1.0], "slow")


def test_a_run_can_be_cancelled():
    asked = iter([False, False, True])
    found = guide_links(PLANAR, FOLDED, GOAL, POSTS, cancel=lambda: next(asked))
    assert found.outcome == "cancelled"
    assert found.steps == 2
