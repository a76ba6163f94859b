"""One scene seen by one camera: from triangles to the bytes of an image, step by step."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, UnknownName
from workcell.pictures.camera import Camera, Lens
from workcell.pictures.colours import BYTES, linear
from workcell.pictures.floor import Floor, floor_of
from workcell.pictures.scene import Line, Scene
from workcell.pictures.scratch import Scratch
from workcell.pictures.shadows import light_shares
from workcell.pictures.stage import BOTH, FRONT, SKIP, Cast, Stage
from workcell.pictures.style import Engine, Light, Style
from workcell.pictures.surface import mesh_table

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Bytes = NDArray[np.uint8]
Image = NDArray[np.uint8]

_LAYERS = 4
"""The number of translucent surfaces behind each other that are distinguished."""

_GRID = (0.45, 0.50, 0.56)
_SKY = (1.02, 1.06, 1.12)
_GROUND = (0.52, 0.50, 0.48)
"""The tints of the floor's lines, and of the light from above and from below."""

_GLOSS = 0.16
"""How strongly a surface reflects the lights."""

_NO_PLOTS = np.empty((0, 16), dtype=np.float32)


class Picture:
    """One scene seen by one camera in one style, drawn step by step."""

    def __init__(self, scene: Scene, camera: Camera, width: int, height: int, style: Style, engine: Engine) -> None:
        self.items = [item for item in scene.items if item.opacity > 0.0 and len(item.mesh.vertices)]
        self.lines = scene.lines
        if not self.items and not self.lines:
            raise InvalidValue("The scene is empty: there is nothing to see; add an item with triangles or a line.")
        self.camera, self.style = camera, style
        self.block = style.samples
        self.width, self.height = width * self.block, height * self.block
        self.lens: Lens = camera.lens(self.width, self.height)
        self.engine = _engine(engine)
        matrices = np.array([item.matrix for item in self.items]).reshape(-1, 4, 4)
        self.scratch = Scratch.here()
        self.stage = Stage(self.engine, self.scratch, mesh_table([item.mesh for item in self.items]), matrices)
        self.opacity = np.array([item.opacity for item in self.items])
        self.bounds = self._bounds()
        self._seen = False
        self.floor: Floor = floor_of(style, camera, self.width, self.height, self._standing())

    def image(self) -> Image:
        """The finished picture, (height, width, 3) bytes."""
        style, stage = self.style, self.stage
        painted = style.surfaces != "wireframe"
        sides = np.where(stage.table.closed, FRONT, BOTH).astype(np.uint8)
        solid = np.where((self.opacity >= 1.0) | (not painted), sides, SKIP).astype(np.uint8)
        cast = stage.cast(self.camera.matrix, self.lens, self.width, self.height, solid)
        self._ids = cast.ids
        if not painted:
            self._seen = bool((cast.ids >= 0).any())
            cast.depth.fill(-np.inf)
            cast.ids.fill(-1)
        lit = style.surfaces == "shaded" and style.shadows > 0
        # A body that is cut open would block the light from its inside, which is visible.
        casting = np.where(cast.draw == solid, solid, SKIP).astype(np.uint8)
        key, sky = self._visibility(cast, casting) if lit else (_blank(), _blank())
        ink = self.scratch.full("ink", (self.height, self.width), np.uint8, 0)
        image = np.empty((self.height // self.block, self.width // self.block, 3), dtype=np.uint8)
        if self.lines or (self.opacity < 1.0).any():
            self._mixed(cast, sides, painted, key, sky, lit, ink, image)
            return image
        self._edges(cast, ink, painted)
        plots = self._plots(cast, cast.draw) if painted else _NO_PLOTS
        self.engine.paint(*self._ground, cast.ids, plots, *self._lighting, lit, key, sky, ink, *self._screen, image)
        return image

    @property
    def shown(self) -> bool:
        """Whether the image just drawn shows anything; valid until the next picture on this thread."""
        return self._seen or bool((self._ids >= 0).any())

    def bare(self) -> Floats32:
        """The share of each pixel of the image just drawn that shows only background, from 0 to 1."""
        block = self.block
        empty = (self._ids < 0).view(np.uint8)
        total = np.zeros((self.height // block, self.width // block), dtype=np.uint8)
        for i in range(block * block):
            total += empty[i // block :: block, i % block :: block]
        return np.asarray(total / np.float32(block * block), dtype=np.float32)

    def _mixed(
        self,
        cast: Cast,
        sides: NDArray[np.uint8],
        painted: bool,
        key: Floats32,
        sky: Floats32,
        lit: bool,
        ink: Bytes,
        image: Image,
    ) -> None:
        """A picture with translucent items or lines, step by step."""
        colours = self.scratch.empty("colours", (self.height, self.width, 3), np.float32)
        self.engine.backdrop(*self._ground, lit, key, sky, colours)
        if painted:
            self.engine.shade(cast.ids, self._plots(cast, cast.draw), *self._lighting, lit, key, sky, colours)
            if (self.opacity < 1.0).any():
                colours = self._translucent(cast, np.where(self.opacity < 1.0, sides, SKIP), colours)
        # Edges before lines, so that a path is drawn over the part that it runs on.
        self._edges(cast, ink, painted)
        self.engine.tint(ink, _single(linear(self.style.edge_colour)), colours)
        ink.fill(0)
        for line in self.lines:
            self._line(cast, line, colours)
        self.engine.resolve(colours, cast.ids, ink, *self._screen, image)

    # ---- the steps ------------------------------------------------------------------------------------

    def _bounds(self) -> Floats:
        low, high = self.stage.extent()
        for line in self.lines:
            low, high = np.minimum(low, line.points.min(axis=0)), np.maximum(high, line.points.max(axis=0))
        return np.stack([low, high])

    def _standing(self) -> Floats:
        """The bounds of everything above the floor; translucent things, such as zones, may reach below it."""
        solid = [item for item in self.items if item.opacity >= 1.0]
        if not solid or len(solid) == len(self.items):
            return self.bounds
        bounds = self.bounds.copy()
        bounds[0, 2] = min(float(item.points[:, 2].min()) for item in solid)
        return bounds

    def _visibility(self, cast: Cast, solid: NDArray[np.uint8]) -> tuple[Floats32, Floats32]:
        """The share of the casting light and of the sky that reaches each sample."""
        caster = next((light for light in self.style.lights if light.casts_shadow), None)
        X_world_camera = np.eye(4)
        X_world_camera[:3, :3], X_world_camera[:3, 3] = self.camera.rotation.T, self.camera.eye
        towards = light_direction(caster, self.camera) if caster else None
        values = light_shares(
            self.stage, cast, self.lens, X_world_camera, self.block, self.floor, self.bounds, solid, towards,
            self.style.shadows,
        )  # fmt: skip
        key, sky = (self.scratch.empty(name, (self.height, self.width), np.float32) for name in ("key", "sky"))
        self.engine.spread(values, cast.ids, self.stage.table.item_of_triangle, self.block, key, sky)
        return key, sky

    @functools.cached_property
    def _ground(self) -> tuple[Any, ...]:
        """The arguments of the background: its colours, the floor and its lines."""
        top, bottom = (linear(colour) for colour in self.style.background)
        floor = self.floor
        grid_colour = np.append(linear(_GRID), 0.55 if floor.step else 0.0)
        laid = (floor.seen, floor.pixels_to_floor, floor.fade, floor.step or 1.0, floor.major)
        return (top, bottom, *laid, 1.0 * self.block, grid_colour)

    @functools.cached_property
    def _screen(self) -> tuple[Any, ...]:
        """The arguments of the conversion from light to bytes: the edges' colour, samples, table, thresholds."""
        top, bottom = self.style.background
        edge = _single(linear(self.style.edge_colour))
        return edge, self.block, BYTES, _EVEN if top == bottom else _DITHER

    def _plots(self, cast: Cast, draw: NDArray[np.uint8]) -> Floats32:
        """The normals over the image of all drawn triangles."""
        lens, parts = self.lens, self.stage.table
        matrices = np.linalg.inv(self.camera.rotation @ self.stage.matrices[:, :3, :3]).transpose(0, 2, 1)
        smooth = self.style.smooth and self.style.surfaces == "shaded"
        plots: Floats32 = self.scratch.empty("plots", (len(parts.triangles), 16), np.float32)
        self.engine.plant(
            parts.triangles, cast.camera, cast.screen, cast.flags, parts.normals, cast.facing, parts.item_of_triangle,
            draw, _single(matrices), self._paint, self.stage.mirrored, smooth, lens.perspective, lens.scale,
            lens.centre_x, lens.centre_y, plots,
        )  # fmt: skip
        return plots

    @functools.cached_property
    def _paint(self) -> Floats32:
        """(i, 3) the colours of the items as light; white paper where only lines are drawn."""
        if self.style.surfaces == "hidden_line":
            return np.ones((len(self.items), 3), dtype=np.float32)
        return _single(np.array([linear(item.colour) for item in self.items]).reshape(-1, 3))

    @functools.cached_property
    def _lighting(self) -> tuple[Any, ...]:
        """The arguments of the shading: lights, half-way vectors, strengths, caster, ambient, up, gloss."""
        style, rotation = self.style, self.camera.rotation
        lights, ambient = style.lights, style.ambient
        specular = _GLOSS if style.surfaces == "shaded" else 0.0
        if style.surfaces == "hidden_line":
            lights, ambient = (), 1.0
        towards = np.array([rotation @ light_direction(light, self.camera) for light in lights]).reshape(-1, 3)
        strength = np.array([linear(light.colour) * light.strength for light in lights]).reshape(-1, 3)
        # Half-way between each light and the line of sight through the middle of the image.
        ways = towards - (0.0, 0.0, 1.0)
        ways /= np.linalg.norm(ways, axis=1, keepdims=True) + 1e-12
        caster = next((i for i, light in enumerate(lights) if light.casts_shadow), -1)
        sky_light = ambient * np.array(_SKY if lights else (1.0, 1.0, 1.0))
        ground_light = ambient * np.array(_GROUND if lights else (1.0, 1.0, 1.0))
        return (
            *(_single(part) for part in (towards, ways, strength)),
            caster,
            *(_single(part) for part in (sky_light, ground_light, rotation[:, 2])),
            np.float32(specular),
        )

    def _translucent(self, cast: Cast, draw: NDArray[Any], behind: Floats32) -> Floats32:
        """Draw translucent items over the picture, peeled from the nearest surface to the farthest."""
        draw = draw.astype(np.uint8)
        out = np.zeros_like(behind)
        clear = np.ones((self.height, self.width), dtype=np.float32)
        front = np.full((self.height, self.width), np.inf, dtype=np.float32)
        layer = np.empty_like(behind)
        nearest = cast.ids.copy()
        for index in range(_LAYERS):
            peeled = cast._replace(depth=cast.depth.copy(), ids=np.full_like(cast.ids, -1))
            self.stage.layer(peeled, self.lens, draw, front)
            seen = peeled.ids >= 0
            if not seen.any():
                break
            self._seen = True
            if index == 0:
                nearest[seen] = peeled.ids[seen]
            plots = self._plots(peeled, draw)
            self.engine.shade(peeled.ids, plots, *self._lighting, False, _blank(), _blank(), layer)
            self.engine.blend(peeled.ids, self.stage.table.item_of_triangle, self.opacity, layer, clear, out)
            front = np.where(seen, peeled.depth, -np.inf).astype(np.float32)
        out += clear[:, :, None] * behind
        return out

    def _edges(self, cast: Cast, ink: Bytes, painted: bool) -> None:
        style, stage = self.style, self.stage
        if style.edges == "none" and painted:
            return
        closed = stage.table.closed & painted
        wanted = np.array([item.edges for item in self.items], dtype=bool) | (not painted)
        show = np.where(wanted, np.where(closed, FRONT, BOTH), SKIP).astype(np.uint8)
        every = style.edges == "all"
        if painted and style.hidden_edges > 0.0:
            ends, weights = stage.edges(cast, self.lens, show, every, True)
            self._stroke(cast, ends, weights * style.hidden_edges, style.edge_width, False, ink)
        ends, weights = stage.edges(cast, self.lens, show, every, not painted)
        self._stroke(cast, ends, weights, style.edge_width, painted, ink)

    def _line(self, cast: Cast, line: Line, colours: Floats32) -> None:
        matrix = self.camera.matrix
        points = line.points @ matrix[:3, :3].T + matrix[:3, 3]
        ends, _ = self.stage.cut(np.stack([points[:-1], points[1:]], axis=1), self.lens)
        ink = np.zeros((self.height, self.width), dtype=np.uint8)
        self._stroke(cast, ends, np.ones(len(ends)), line.width, line.hidden, ink)
        self._seen = self._seen or bool(ink.any())
        self.engine.tint(ink, _single(linear(line.colour)), colours)

    def _stroke(self, cast: Cast, ends: Floats, weights: Floats, width: float, test: bool, ink: Bytes) -> None:
        half = width * self.block / 2.0
        bias = 2e-4 if self.lens.perspective else 0.0
        slack = 0.0 if self.lens.perspective else 2e-4 * self.camera.height
        self.engine.stroke(
            np.ascontiguousarray(ends), weights, half, cast.depth, cast.ids, cast.planes, bias, slack, test, ink
        )


def light_direction(light: Light, camera: Camera) -> Floats:
    """The unit vector towards a light, in the world."""
    azimuth, elevation = light.azimuth, light.elevation
    if light.follows_camera:
        # The camera's right, before any twist, is level: the bearing of the eye is a quarter turn back from it.
        x, y, z = (to - start for to, start in zip(camera.target, camera.eye, strict=True))
        reach = math.hypot(x, y, z)
        right = (y, -x) if math.hypot(x, y) > 1e-6 * reach else (1.0, 0.0)
        azimuth += math.atan2(right[1], right[0]) - math.pi / 2.0
        if z > 0.3 * reach:  # seen from below, the lights come from below
            elevation = -elevation
    flat = math.cos(elevation)
    return np.array([flat * math.cos(azimuth), flat * math.sin(azimuth), math.sin(elevation)])


def _engine(name: str) -> Any:
    if name == "compiled":
        from workcell.pictures import raster_compiled

        return raster_compiled
    if name == "numpy":
        from workcell.pictures import raster_numpy

        return raster_numpy
    raise UnknownName.among("picture engine", name, ("compiled", "numpy"))


def _single(values: NDArray[Any]) -> Floats32:
    return np.ascontiguousarray(values, dtype=np.float32)


def _blank() -> Floats32:
    return np.ones((1, 1), dtype=np.float32)


def _thresholds() -> NDArray[np.uint16]:
    """(8, 8) every 64th of a step once, with neighbours far apart (Bayer 1973)."""
    pattern = np.zeros((1, 1), dtype=np.int64)
    for _ in range(3):
        pattern = np.block([[4 * pattern, 4 * pattern + 2], [4 * pattern + 3, 4 * pattern + 1]])
    return (4 * pattern + 2).astype(np.uint16)


_DITHER = _thresholds()
_EVEN = np.full((8, 8), 128, dtype=np.uint16)
