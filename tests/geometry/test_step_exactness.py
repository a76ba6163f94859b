"""Solids go out to STEP and come back with the volume they had."""

from __future__ import annotations

import math
import zlib
from collections import Counter

import numpy as np
import pytest
from random_solids import RandomSolids

from workcell.errors import InvalidShape, Refused
from workcell.geometry import solids
from workcell.geometry.formats import files
from workcell.geometry.solid import Solid
from workcell.geometry.step_file import StepFile
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
        again = files.from_bytes(solid.step().data, ".step")
        assert again.volume == pytest.approx(volume, rel=1e-9)


SOLIDS = 100


def there_and_back(solid: Solid) -> tuple[float, float]:
    """By how much of its volume a solid changes in a STEP file, in this process, and how much the export states."""
    from workcell.geometry.kernel.occ import exchange, measure
    from workcell.geometry.kernel.occ.build import Builder

    builder = Builder()
    before = measure.properties(builder.proved(solid.recipe)).volume
    built, stated = builder.for_step(solid.recipe)
    written = exchange.to_step(built)
    return abs(measure.properties(exchange.from_step(zlib.compress(written))).volume / before - 1.0), stated


@pytest.mark.soak
def test_random_solids_come_back_from_step_with_their_volume(capfd):
    make = RandomSolids(577, snapped=0.2)
    told: Counter[str] = Counter()
    errors: list[float] = []
    while len(errors) < SOLIDS:
        try:
            error, stated = there_and_back(make.tree())
            assert error <= 1e-9 or stated >= 0.5 * error, "a loss that the export does not state"
            errors.append(error)
        except InvalidShape as error:
            told["empty" if "empty" in str(error) else "refused"] += 1
    worst = np.sort(errors)[::-1]
    capfd.readouterr()  # what the kernel says about its files
    print(
        f"\nSTEP: {len(errors)} random solids there and back, {int((worst > 1e-9).sum())} off by more than 1e-9 of their "
        f"volume, worst {worst[0]:.1e}, median {np.median(worst):.1e}"
    )
    assert (worst > 1e-9).mean() <= 0.2


def test_what_a_file_loses_is_said_or_refused():
    whole = StepFile(b"", (0.0, 8e-10))
    assert whole.checked(("lid", "box")) == ""
    little = StepFile(b"", (0.0, 4e-8, 2e-9))
    assert little.checked(("lid", "box", "rod")) == (
        "; read again, its volume is off by 4.0e-08 of itself for 'box' (of 2 parts that change, this one most)"
    )
    much = StepFile(b"", (0.44,))
    with pytest.raises(Refused, match=r"'lid' would not survive STEP: .* off by 44 %.*--inexact") as told:
        much.checked(("lid",))
    assert told.value.evidence["change"] == 0.44
    assert much.checked(("lid",), inexact=True) == "; read again, its volume is off by 44 %"
    with pytest.raises(Refused, match="it is not a solid"):
        StepFile(b"", (math.inf,)).checked(("lid",))


def test_a_solid_that_does_not_survive_is_not_written(monkeypatch, tmp_path):
    file = tmp_path / "ball.step"
    ball = solids.sphere(0.1)
    monkeypatch.setattr(Solid, "step", lambda self: StepFile(b"ISO-10303-21", (2e-5,)))
    with pytest.raises(Refused, match=r"off by 2\.0e-05 of itself"):
        ball.save(file)
    assert not file.exists()
    assert "off by 2.0e-05 of itself" in ball.save(file, inexact=True)
    assert file.exists()


def test_the_change_is_what_reading_the_file_shows():
    solid = solids.ellipsoid(0.1, 0.2, 0.05) & solids.sphere(0.11)
    written = solid.step()
    again = files.from_bytes(written.data, ".step")
    assert abs(again.volume / solid.volume - 1.0) == pytest.approx(written.changes[0], rel=0.5, abs=1e-9)
    assert solids.box(1, 2, 3).step().changes == (0.0,)


def test_a_reader_that_misreads_is_found_out(monkeypatch):
    from workcell.geometry.kernel.occ import build, exchange
    from workcell.geometry.kernel.occ.build import Builder

    honest = exchange.from_step
    smaller = Builder().build(solids.sphere(0.09).recipe)
    monkeypatch.setattr(exchange, "from_step", lambda data: (honest(data), smaller)[1])
    assert build.Builder().for_step(solids.sphere(0.1).recipe)[1] == pytest.approx(1 - 0.9**3, rel=1e-9)
