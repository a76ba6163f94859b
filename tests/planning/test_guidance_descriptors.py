"""Descriptors of arms: read, written and read again; and the two arms of the thesis in the library."""

from __future__ import annotations

import math

import numpy as np
import pytest
from guidance_scenes import PLANAR
from hypothesis import given
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import InvalidValue
from workcell.planning.guidance.descriptors import HUMANOID, UNIMATE, Descriptor
from workcell.planning.guidance.links import LinkArm


def test_the_example_of_the_thesis_is_read():
    found = Descriptor.read("(α1=0°, θ2=90°, Δa3=0, 5)")
    assert found.n == 5
    assert dict(found.fixed) == {("α", 1): 0.0, ("θ", 2): math.pi / 2, ("a", 3): None}
    assert str(found) == "(α1=0°, θ2=90°, Δa3=0, 5)"
    assert Descriptor.read("( alpha_1 = 0, theta_2 = 90deg, delta a_3 = 0, 5 )") == found


@st.composite
def descriptors(draw):
    n = draw(st.integers(1, 8))
    fixed = {}
    for i in range(1, n + 2):
        if draw(st.booleans()):
            fixed["a", i] = draw(st.one_of(st.none(), st.floats(0.0, 5.0), st.just(0.0)))
        for letter in "αθ" if i <= n else "":
            if draw(st.booleans()):
                degrees = st.floats(-180.0, 180.0)
                fixed[letter, i] = draw(st.one_of(degrees, degrees.map(math.radians), st.just(math.pi / 2)))
    return Descriptor(n, fixed, tuple(draw(st.sets(st.sampled_from("yz")).map(sorted))))


@given(descriptors())
def test_what_is_written_is_read_as_the_same(one):
    again = Descriptor.read(str(one))
    assert again == one
    assert str(again) == str(one)
    assert hash(again) == hash(one)


def test_an_arm_and_its_descriptor_belong_together():
    assert str(Descriptor.of(PLANAR)).startswith("(a1=0, α1=0°, Δa2=0, α2=0°")
    arm = UNIMATE.arm([0.3, 0.2, (0.5, 1.0), 0.1])
    assert Descriptor.of(arm) == UNIMATE
    moving = Descriptor.read("(Δa1=0, ay, 2)")
    assert Descriptor.of(moving.arm([1.0, (0.5, 1.0), (0.5, 1.0)])) == moving


@pytest.mark.parametrize("seed", range(5))
def test_the_arms_of_the_library_are_those_that_the_thesis_describes(seed):
    rng = np.random.default_rng(seed)
    t1, t2, t3, t4, twist = rng.uniform(-1.0, 1.0, 5)
    humanoid = HUMANOID.arm([0.0, 0.25, 0.6, 0.55, 0.22])
    x = humanoid.posture([t1, t2, t3, t4], [0.0, math.pi / 2, 0.0, twist], [0.0, 0.25, 0.6, 0.55, 0.22])
    q = [t1, t2, t3 + math.pi / 2, twist, t4 - math.pi / 2]
    np.testing.assert_allclose(wc.robot("loeff_humanoid").fk(q).xyz, humanoid.end_points(x)[-1], atol=1e-12)
    unimate = UNIMATE.arm([0.0, 0.15, (0.7, 1.5), 0.22])
    reach = rng.uniform(0.7, 1.5)
    x = unimate.posture([t1, 0.4 * t2, t3], [0.0, math.pi / 2, twist], [0.0, 0.15, reach, 0.22])
    q = [t1, 0.4 * t2 + math.pi / 2, reach, twist, t3 - math.pi / 2]
    np.testing.assert_allclose(wc.robot("loeff_unimate").fk(q).xyz, unimate.end_points(x)[-1], atol=1e-12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("α1=0°, 5", "A descriptor is written like (α1=0°, θ2=90°, Δa3=0, 5); found 'α1=0°, 5'."),
        ("(α1=0°)", "A descriptor ends with its number of links; found 'α1=0°'"),
        ("(α9=0°, 5)", "α9 is fixed, but an arm of 5 links has α1 to α5."),
        ("(a6=0, 5)", ""),
        ("(a7=0, 5)", "a7 is fixed, but an arm of 5 links has a1 to a6."),
        ("(β1=0, 5)", "found 'β1=0'"),
        ("(α1=, 5)", "found 'α1='"),
        ("(α1=0, α1=1, 5)", "α1 is fixed twice"),
        ("(Δα1=0, 5)", "Δ marks a length that does not change"),
        ("(Δa1=3, 5)", "Δ marks a length that does not change"),
        ("(a1=90°, 5)", "A length has no angle unit"),
        ("(0)", "The number of links of a descriptor is from 1 to 100; found 0."),
        ("(", "A descriptor is written like"),
        ("", "A descriptor is written like"),
    ],
)
def test_wrong_descriptors_are_refused_in_one_sentence(text, words):
    if not words:
        Descriptor.read(text)
        return
    with pytest.raises(InvalidValue) as caught:
        Descriptor.read(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ([0.0, 0.2, 1.0, 0.1], "a3 of (Δa1=0, α1=0°, Δa2=0, α2=90°, Δa4=0, 3) is free"),
        ([0.0, (0.1, 0.2), (0.5, 1.0), 0.1], "is fixed: give one value"),
        ([0.0, 0.2], "has 4 lengths; found 2"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(lengths, words):
    with pytest.raises(InvalidValue) as caught:
        UNIMATE.arm(lengths)
    assert words in str(caught.value)


def test_fixed_and_free_links_move_as_described():
    arm = LinkArm.of([0.0, 1.0, (0.5, 1.0)], [0.0, 0.0], [None, (-1.0, 1.0)])
    assert list(arm.moves) == [False, False, True, False, False, True, True, False, False]
