"""Shapes that would cost too much are refused before they are made."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from workcell.commands.cell import Cell
from workcell.errors import Cancelled, InvalidValue, Refused, TooCostly, WorkcellError
from workcell.geometry import solids
from workcell.geometry.contour import Circle
from workcell.geometry.cost import MOST_TRIANGLES
from workcell.geometry.kernel.cache import default_cache
from workcell.geometry.kernel.worker import CadWorker
from workcell.geometry.nurbs.curve import NurbsCurve, join
from workcell.geometry.surface import disc, rectangle
from workcell.spatial.pose import Pose

DEAR = {
    "a large ball": (solids.sphere(1000.0), 1e-6),
    "a ball stretched": (solids.sphere(1.0).transformed(np.diag([1e5, 1e5, 1e5, 1.0])), 1e-6),
    "a ring": (solids.torus(1000.0, 100.0), 1e-7),
    "a thin tolerance": (solids.cylinder(10.0, 1.0), 1e-12),
    "a cut ball": (solids.sphere(10.0) - solids.box(5.0, 5.0, 5.0), 1e-8),
    "a swept pipe": (solids.sweep(disc(1.0), NurbsCurve.arc((0, 0, 0), 20.0, 0.0, 2.0)), 1e-9),
}


@pytest.mark.parametrize(("solid", "tolerance"), DEAR.values(), ids=DEAR)
def test_a_mesh_of_too_many_triangles_is_refused_before_it_is_made(solid, tolerance):
    with pytest.raises(
        Refused, match=r"would take about .* triangles; a solid may have at most 2,000,000[.] Allow .* mm or more"
    ) as told:
        solid.mesh(tolerance)
    assert told.value.evidence["triangles"] > MOST_TRIANGLES


def test_the_tolerance_that_is_proposed_is_enough():
    ball = solids.sphere(1.0)
    with pytest.raises(Refused, match="Allow") as told:
        ball.mesh(1e-8)
    proposed = float(str(told.value).split("Allow ")[1].split(" mm")[0]) * 1e-3
    assert MOST_TRIANGLES / 2 < len(ball.mesh(proposed).triangles) <= MOST_TRIANGLES


SIZES = {
    "too large": (lambda: solids.box(1e9, 1.0, 1.0), "between 0.001 mm and 10 km, not 1e.06 km"),
    "too small": (lambda: solids.sphere(1e-8), "between 0.001 mm and 10 km, not 1e-05 mm"),
    "too far": (lambda: solids.sphere(1.0).moved(Pose.from_xyz(1e9, 0, 0)), "within 10 km of the origin"),
    "too stretched": (lambda: solids.sphere(1.0).transformed(np.diag([1e9, 1e9, 1e9, 1.0])), "may stretch a solid by"),
    "an outline": (lambda: Circle((0.0, 1e7), 1.0), "within 10 km of the origin"),
    "a height": (lambda: solids.extrude(rectangle(1.0, 1.0), 1e9), "within 10 km of the origin"),
}


@pytest.mark.parametrize(("make", "said"), SIZES.values(), ids=SIZES)
def test_sizes_have_a_range_that_the_refusal_states(make, said):
    with pytest.raises(InvalidValue, match=said):
        make()


POINTS = " ".join(f"({i},{i * i % 97},0)" for i in range(300))
LINES = [
    f"create curve k control {POINTS} degree 299",
    f"create curve k through {POINTS} degree 200",
    f"create patch p {POINTS} row {POINTS} degrees 1,200",
    "sweep x square along " + " ".join(f"({i},{50 * (i % 2)},0)" for i in range(6000)) + " bend 0.1",
    "elevate degree long by 10",
    "facet torus x 100 10 1000000 1000000",
    "create block x sphere 1e12",
    "create block x box 1e9 1e9 1e12",
    "create block x cylinder 1e-7 1",
    "facet sphere x 100 100000 100000",
    "facet cylinder x 100 100 1000000",
    "sweep x square along (0,0,0) (0,0,100) twist 1000000deg",
    "export solid ball ball.stl tolerance 1e-9",
    "export solid cut cut.glb tolerance 1e-8",
    "create surface s disc 1e12",
]


def test_lines_that_would_cost_too_much_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cell = Cell()
    for line in (
        "create surface square contour (0,0) (10,0) (10,10) (0,10)",
        "create block ball sphere 100",
        "create block cube box 50 50 50",
        "combine cut difference ball cube",
        "create curve long through " + " ".join(f"({i},{i % 7},0)" for i in range(1500)),
    ):
        cell.do(line)
    for line in LINES:
        with pytest.raises(WorkcellError) as told:
            cell.do(line)
        assert len(str(told.value)) < 400, line
    assert list(tmp_path.iterdir()) == []


def test_a_joined_curve_of_too_many_points_is_refused_before_it_is_made():
    pieces = [NurbsCurve.line((i, 0, 0), (i + 1, 0, 0)) for i in range(2600)]
    with pytest.raises(TooCostly, match="at most 5000"):
        join(pieces)


WAITS = {
    "measure": "measure {name}",
    "check": "check solid {name}",
    "faces": "faces {name}",
    "step": "export solid {name} x.step",
    "mesh": "export solid {name} x.stl tolerance 0.02",
}


@pytest.mark.parametrize("line", WAITS.values(), ids=WAITS)
def test_every_wait_for_the_kernel_ends_when_the_command_is_cancelled(line, tmp_path, monkeypatch):
    """Also where a command asks a solid without handing on what cancels it."""
    monkeypatch.chdir(tmp_path)
    waited = []

    def asked(self, channel, request, progress, cancel):
        waited.append(cancel)
        self._pending = True
        raise Cancelled("The request was cancelled.")

    cell = Cell()
    name = f"w{len(line)}"
    cell.do(f"create block {name} sphere {100 + len(line) / 7}")
    cell.do(f"create block {name}c box 50 50 {60 + len(line) / 7}")
    cell.do(f"combine {name}x difference {name} {name}c")
    cell.database.meshes.use_folder(None)
    default_cache().clear()
    cell.session.cancel = event = threading.Event()
    monkeypatch.setattr(CadWorker, "_answer", asked)
    with pytest.raises(Cancelled):
        cell.do(line.format(name=f"{name}x"))
    assert waited == [event]
    assert list(tmp_path.iterdir()) == []
