"""How a picture is drawn: surfaces, edges, lights, background, floor."""

from __future__ import annotations

import dataclasses
import math
from typing import Literal

from workcell.errors import InvalidValue, UnknownName
from workcell.pictures.colours import Colour, colour

Surfaces = Literal["wireframe", "hidden_line", "solid", "shaded"]
Edges = Literal["none", "feature", "all"]

Engine = Literal["compiled", "numpy"]

SURFACES: tuple[str, ...] = ("wireframe", "hidden_line", "solid", "shaded")
EDGES: tuple[str, ...] = ("none", "feature", "all")


@dataclasses.dataclass(frozen=True)
class Light:
    """A light so far away that its rays are parallel.

    Attributes:
        azimuth: its bearing [rad]: from the eye's bearing to the eye's right if it follows the
            camera, otherwise from the x axis towards the y axis.
        elevation: its angle above the horizon [rad].
        strength: its brightness; 1 lights a white surface that faces it fully.
        colour: its colour.
        follows_camera: whether it moves around with the eye.
        casts_shadow: whether things in its way block it; at most one light may cast shadows.
    """

    azimuth: float
    elevation: float
    strength: float = 1.0
    colour: Colour = (1.0, 1.0, 1.0)
    follows_camera: bool = True
    casts_shadow: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "colour", colour(self.colour))
        if not all(math.isfinite(v) for v in (self.azimuth, self.elevation)):
            raise InvalidValue("The direction of a light must be two finite angles.")
        if not (math.isfinite(self.strength) and 0.0 <= self.strength <= 100.0):
            raise InvalidValue(f"The strength of a light must be from 0 to 100; found {self.strength}.")


STUDIO: tuple[Light, ...] = (
    Light(math.radians(-38.0), math.radians(52.0), 0.70, (1.0, 0.985, 0.955), casts_shadow=True),
    Light(math.radians(62.0), math.radians(22.0), 0.20, (0.93, 0.96, 1.0)),
    Light(math.radians(160.0), math.radians(35.0), 0.16, (0.96, 0.98, 1.0)),
)
"""Key from the upper left, fill from the right, rim from behind."""


@dataclasses.dataclass(frozen=True)
class Style:
    """How a picture is drawn.

    Attributes:
        surfaces: ``wireframe`` draws edges only, ``hidden_line`` draws visible edges only, ``solid`` paints each
            flat facet evenly, ``shaded`` lights curved faces smoothly.
        smooth: whether curved faces are shaded smoothly; ``False`` shows the facets.
        edges: ``feature`` draws the edges of faces and the outlines, ``all`` every triangle's, ``none`` nothing.
        edge_width: their width [pixel].
        edge_colour: their colour.
        hidden_edges: the strength of edges behind surfaces, from 0 to 1.
        lights: the lights; by default three-point studio lighting.
        ambient: the strength of the light from all around.
        shadows: the number of directions from which the sky and the soft light are checked for obstacles; 0 casts
            no shadow and is the fastest, 72 is soft.
        samples: the image is drawn this many times larger in each direction and averaged, 1 to 4.
        background: the colours at the top and at the bottom of the image.
        floor: ``auto`` lays it under the lowest point, a number is its height [m], ``None`` leaves it out.
        grid: the spacing of the floor's lines [m]; 0 chooses one, ``None`` draws none.
        axes: whether the directions x, y, z are shown in the corner.
    """

    surfaces: Surfaces = "shaded"
    smooth: bool = True
    edges: Edges = "feature"
    edge_width: float = 1.1
    edge_colour: Colour = (0.10, 0.12, 0.15)
    hidden_edges: float = 0.0
    lights: tuple[Light, ...] = STUDIO
    ambient: float = 0.43
    shadows: int = 72
    samples: int = 2
    background: tuple[Colour, Colour] = ((0.90, 0.925, 0.95), (0.975, 0.98, 0.985))
    floor: float | Literal["auto"] | None = "auto"
    grid: float | None = 0.0
    axes: bool = True

    def __post_init__(self) -> None:
        if self.surfaces not in SURFACES:
            raise UnknownName.among("way to draw surfaces", str(self.surfaces), SURFACES)
        if self.edges not in EDGES:
            raise UnknownName.among("way to draw edges", str(self.edges), EDGES)
        object.__setattr__(self, "edge_colour", colour(self.edge_colour))
        try:
            top, bottom = self.background
        except (TypeError, ValueError):
            raise InvalidValue("A background must be two colours, at the top and at the bottom.") from None
        object.__setattr__(self, "background", (colour(top), colour(bottom)))
        object.__setattr__(self, "lights", tuple(self.lights))
        if sum(light.casts_shadow for light in self.lights) > 1:
            raise InvalidValue("At most one light of a picture may cast a shadow.")
        for value, what, low, high in (
            (self.edge_width, "The width of edges [pixel]", 0.1, 20.0),
            (self.hidden_edges, "The strength of hidden edges", 0.0, 1.0),
            (self.ambient, "The ambient light", 0.0, 100.0),
            (self.grid or 0.0, "The spacing of the grid lines [m]", 0.0, math.inf),
        ):
            if not (math.isfinite(value) and low <= value <= high):
                raise InvalidValue(f"{what} must be from {low:g} to {high:g}; found {value}.", value=value)
        if not (isinstance(self.samples, int) and 1 <= self.samples <= 4):
            raise InvalidValue(f"The samples of a picture must be 1, 2, 3 or 4; found {self.samples}.")
        if not (isinstance(self.shadows, int) and 0 <= self.shadows <= 256):
            raise InvalidValue(f"The shadow directions must be a whole number up to 256; found {self.shadows}.")
        height = 0.0 if self.floor is None or self.floor == "auto" else self.floor
        if not isinstance(height, (int, float)) or not math.isfinite(height):
            raise InvalidValue(f"The floor must be a height [m], 'auto' or None; found {self.floor!r}.")


FIGURE = Style()
"""For pages and papers: soft shadows, antialiased."""

FAST = Style(samples=1, shadows=0)
"""For many frames: one sample per pixel, no shadows."""

FILM = Style(shadows=27)
"""For films: shadows from fewer directions, antialiased."""

DRAWING = Style(
    surfaces="hidden_line",
    shadows=0,
    edge_width=1.3,
    hidden_edges=0.25,
    background=((1.0, 1.0, 1.0), (1.0, 1.0, 1.0)),
    floor=None,
)
"""For plans: visible edges black on white, hidden ones faint."""
