"""Solids go out to STEP and come back with the volume they had."""

from __future__ import annotations

import math
import zlib
from collections import Counter

import numpy as np
import pytest
from random_solids import RandomSolids

from workcell.errors import InvalidShape
from workcell.geometry import solids
from workcell.geometry.formats import files
from workcell.geometry.solid import Solid
from workcell.spatial.pose import Pose


def cut_ball(rng: np.random.Generator) -> tuple[Solid, float]:
    """A ball cut by a slanted plane, somewhere; and the volume of the cap that is left [m³]."""
    radius = float(rng.uniform(0.03, 0.15))
    height = float(rng.uniform(-0.8, 0.8)) * radius
    slant, place = (
        Pose.from_xyz_angles(rng.uniform(-0.05, 0.05, 3) * far, rng.uniform(-3, 3, 3), "xyz_intrinsic")
        for far in (0, 1)
    )
    tool = solids.box(1, 1, 1).moved(Pose.from_xyz(0, 0, 0.5 + height)).moved(slant)
    volume = math.pi * (2.0 / 3.0 * radius**3 + radius**2 * height - height**3 / 3.0)
    return (solids.sphere(radius) - tool).moved(place), volume


def test_balls_cut_by_slanted_planes_come_back_whole():
    rng = np.random.default_rng(3)
    for _ in range(6):
        solid, volume = cut_ball(rng)
        assert solid.volume == pytest.approx(volume, rel=1e-10)
        again = files.from_bytes(solid.step(), ".step")
        assert again.volume == pytest.approx(volume, rel=1e-9)


SOLIDS = 100


def there_and_back(solid: Solid) -> float:
    """By how much of its volume a solid changes in a STEP file, in this process."""
    from workcell.geometry.kernel.occ import exchange, measure
    from workcell.geometry.kernel.occ.build import Builder

    builder = Builder()
    before = measure.properties(builder.proved(solid.recipe)).volume
    written = exchange.to_step(builder.for_step(solid.recipe))
    return abs(measure.properties(exchange.from_step(zlib.compress(written))).volume / before - 1.0)


@pytest.mark.soak
def test_random_solids_come_back_from_step_with_their_volume(capfd):
    make = RandomSolids(577, snapped=0.2)
    told: Counter[str] = Counter()
    errors = []
    while len(errors) < SOLIDS:
        try:
            errors.append(there_and_back(make.tree()))
        except InvalidShape as error:
            told["empty" if "empty" in str(error) else "refused"] += 1
    worst = np.sort(errors)[::-1]
    capfd.readouterr()  # what the kernel says about its files
    print(
        f"\nSTEP: {len(errors)} random solids there and back, {int((worst > 1e-9).sum())} off by more than 1e-9 of their "
        f"volume, worst {worst[0]:.1e}, median {np.median(worst):.1e}"
    )
    assert (worst > 1e-9).mean() <= 0.2
    assert (worst > 1e-8).mean() <= 0.03
