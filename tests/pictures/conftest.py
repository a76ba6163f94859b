from __future__ import annotations

import numpy as np
import pytest
from hand_made import at, make_box, make_cylinder, make_sphere

from workcell.geometry.mesh import Mesh
from workcell.pictures.scene import Item, Scene


@pytest.fixture(scope="session")
def box() -> Mesh:
    return make_box()


@pytest.fixture(scope="session")
def scene() -> Scene:
    """A table, three things on it, one of them mirrored and one see-through."""
    mirrored = at(-0.5, 0.3, 0.65) @ np.diag([-0.3, 0.4, 0.5, 1.0])
    return Scene(
        (
            Item(make_box(2.0, 1.4, 0.2), at(0.0, 0.0, 0.3), "wood"),
            Item(make_cylinder(0.2, 0.6), at(0.5, -0.2, 0.7), "teal"),
            Item(make_sphere(0.25), at(0.0, 0.2, 0.65), "red"),
            Item(make_cylinder(), mirrored, "blue"),
            Item(make_box(0.4, 0.4, 0.4), at(-0.2, -0.4, 0.6), "yellow", opacity=0.5),
        )
    )
