from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from workcell.geometry import properties

EXAMPLE = Path(__file__).parents[2] / "examples" / "pump_housing.py"


def test_the_pump_housing_is_one_closed_solid_whose_faces_know_where_they_come_from():
    spec = importlib.util.spec_from_file_location("pump_housing", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    housing = module.pump_housing()
    mesh = housing.mesh(1e-3)
    assert mesh.closed
    assert properties.of_mesh(mesh).volume == pytest.approx(housing.volume, rel=5e-3)
    names = {name.split("#")[0] for name in mesh.face_names}
    for part in ("add1:foot.top", "cut1:chamber.", "cut2:bore.side-2", "suction.hole1", "lid.dome", "rib.side"):
        assert any(part in name for name in names), part
