"""A camera: its eye, its target, and the projection to the image."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, UnknownName
from workcell.spatial.rotations import finite

Floats = NDArray[np.float64]
Projection = Literal["perspective", "parallel"]

_DEFAULT_FIELD = math.radians(30.0)
_S = 1.0 / math.sqrt(3.0)

NAMED_VIEWS: dict[str, tuple[float, float, float]] = {
    "front": (0.0, -1.0, 0.0),
    "back": (0.0, 1.0, 0.0),
    "right": (1.0, 0.0, 0.0),
    "left": (-1.0, 0.0, 0.0),
    "top": (0.0, 0.0, 1.0),
    "bottom": (0.0, 0.0, -1.0),
    "iso": (_S, -_S, _S),
    "iso_left": (-_S, -_S, _S),
    "iso_back": (-_S, _S, _S),
    "iso_right": (_S, _S, _S),
}
"""The direction from the scene to the eye. Front shows XZ (x to the right, z up), right YZ, top XY."""

ALIASES: dict[str, str] = {"xz": "front", "yz": "right", "side": "right", "xy": "top", "isometric": "iso"}
"""Other names of the same views, by the plane that they show."""

SQUARE_ON = frozenset({"front", "back", "right", "left", "top", "bottom"})
"""The views along an axis, which are parallel by default."""


class Lens(NamedTuple):
    """The projection of camera coordinates (x right, y down, z forward) [m] to an image of a given size.

    With perspective a point projects to ``centre + scale · (x, y) / z``, in parallel to ``centre + scale · (x, y)``.
    """

    perspective: bool
    scale: float
    centre_x: float
    centre_y: float
    near: float


@dataclasses.dataclass(frozen=True)
class Camera:
    """A camera by eye, target and twist; perspective or parallel.

    Attributes:
        eye: (x, y, z) the position of the eye [m].
        target: (x, y, z) the point in the middle of the image [m].
        twist: the turn of the camera about its line of sight [rad]; a positive twist turns the picture
            clockwise.
        projection: ``perspective`` or ``parallel``.
        field: the vertical angle of view [rad]; perspective only.
        height: the vertical length in view [m]; parallel only.
        near: anything nearer to the eye than this is not drawn [m]; 0 means a thousandth of the distance
            from eye to target in perspective, and no cut in parallel.
    """

    eye: tuple[float, float, float]
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    twist: float = 0.0
    projection: Projection = "perspective"
    field: float = _DEFAULT_FIELD
    height: float = 1.0
    near: float = 0.0

    def __post_init__(self) -> None:
        eye = finite(self.eye, (3,), "The point to look from")
        target = finite(self.target, (3,), "The point to look at")
        object.__setattr__(self, "eye", tuple(eye.tolist()))
        object.__setattr__(self, "target", tuple(target.tolist()))
        if self.projection not in ("perspective", "parallel"):
            raise UnknownName.among("projection", str(self.projection), ("perspective", "parallel"))
        reach = float(np.linalg.norm(target - eye))
        if not reach > 1e-12 * max(1.0, float(np.abs(eye).max())):
            raise InvalidValue(
                f"A camera cannot look at the point where it is, {_point(eye)}; move the eye or the target.",
                eye=self.eye,
            )
        for value, what, low, high in (
            (self.twist, "The twist of a camera [rad]", -math.inf, math.inf),
            (self.field, "The field of view [rad]", 0.0, math.pi),
            (self.height, "The height of a parallel view [m]", 0.0, math.inf),
        ):
            if not (math.isfinite(value) and low < value < high):
                span = "finite" if low < 0.0 else f"more than {low:g}" + (" and less than π" * (high < 4.0))
                raise InvalidValue(f"{what} must be {span}; found {value}.", value=value)
        if not (math.isfinite(self.near) and self.near >= 0.0):
            raise InvalidValue(f"The near distance of a camera [m] must not be negative; found {self.near}.")

    # ---- construction ---------------------------------------------------------------------------------

    @classmethod
    def named(
        cls,
        name: str,
        points: ArrayLike,
        aspect: float = 16.0 / 9.0,
        projection: Projection | None = None,
        field: float = _DEFAULT_FIELD,
        margin: float = 0.08,
    ) -> Camera:
        """A named view that shows all the points.

        Args:
            name: one of ``NAMED_VIEWS`` or ``ALIASES``.
            points: (n, 3) the points that must be visible [m]; the two corners of a box count as all eight.
            aspect: the width of the image divided by its height.
            projection: by default parallel for the six square-on views and perspective for the others.
            field: the field of view of a perspective view [rad].
            margin: the free share of the image at each side.
        """
        key = name.strip().lower().replace("-", "_").replace(" ", "_")
        key = ALIASES.get(key, key)
        if key not in NAMED_VIEWS:
            raise UnknownName.among("view", name, (*NAMED_VIEWS, *ALIASES))
        if projection is None:
            projection = "parallel" if key in SQUARE_ON else "perspective"
        camera = cls(eye=NAMED_VIEWS[key], projection=projection, field=field)
        return camera.fit(points, aspect, margin)

    @classmethod
    def around(
        cls,
        points: ArrayLike,
        azimuth: float,
        elevation: float,
        aspect: float = 16.0 / 9.0,
        projection: Projection = "perspective",
        field: float = _DEFAULT_FIELD,
        margin: float = 0.08,
    ) -> Camera:
        """A view that shows all the points from a bearing.

        Args:
            points: (n, 3) the points that must be visible [m]; the two corners of a box count as all eight.
            azimuth: the bearing of the eye, from the x axis towards the y axis [rad].
            elevation: the angle of the eye above the horizon [rad].
            aspect: the width of the image divided by its height.
            projection: ``perspective`` or ``parallel``.
            field: the field of view of a perspective view [rad].
            margin: the free share of the image at each side.
        """
        bearing = finite((azimuth, elevation), (2,), "Azimuth and elevation")
        level = math.cos(bearing[1])
        eye = (level * math.cos(bearing[0]), level * math.sin(bearing[0]), math.sin(bearing[1]))
        return cls(eye=eye, projection=projection, field=field).fit(points, aspect, margin)

    # ---- properties -----------------------------------------------------------------------------------

    @functools.cached_property
    def rotation(self) -> Floats:
        """(3, 3) with the camera's right, down and forward directions in the world as rows."""
        fx, fy, fz = (t - e for t, e in zip(self.target, self.eye, strict=True))
        reach = math.sqrt(fx * fx + fy * fy + fz * fz)
        fx, fy, fz = fx / reach, fy / reach, fz / reach
        level = math.hypot(fx, fy)
        # Looking straight up or down, z cannot be up in the image: y is, as in a plan (and −y seen from below).
        rx, ry = (fy / level, -fx / level) if level > 1e-6 else (1.0, 0.0)
        right = np.array([rx, ry, 0.0])
        down = np.array([-fz * ry, fz * rx, fx * ry - fy * rx])
        c, s = math.cos(self.twist), math.sin(self.twist)
        rotation = np.stack([c * right - s * down, s * right + c * down, (fx, fy, fz)])
        rotation.flags.writeable = False
        return rotation

    @property
    def distance(self) -> float:
        """The distance from the eye to the target [m]."""
        return float(np.linalg.norm(np.subtract(self.target, self.eye)))

    @property
    def matrix(self) -> Floats:
        """X_camera_world (4, 4): world coordinates to camera coordinates (x right, y down, z forward)."""
        rotation = self.rotation
        matrix = np.eye(4)
        matrix[:3, :3] = rotation
        matrix[:3, 3] = -rotation @ np.asarray(self.eye)
        return matrix

    def lens(self, width: int, height: int) -> Lens:
        """The projection to an image of ``width`` × ``height`` pixels."""
        if self.projection == "perspective":
            near = self.near or self.distance * 1e-3
            return Lens(True, height / (2.0 * math.tan(self.field / 2.0)), width / 2.0, height / 2.0, near)
        return Lens(False, height / self.height, width / 2.0, height / 2.0, self.near or -math.inf)

    def project(self, points: ArrayLike, size: tuple[int, int]) -> Floats:
        """Project points (…, 3) [m]: (…, 3) pixels from the left, pixels from the top, and distance forward [m]."""
        lens = self.lens(*size)
        p = (np.asarray(points, dtype=np.float64) - self.eye) @ self.rotation.T
        w = p[..., 2:] if lens.perspective else np.ones_like(p[..., 2:])
        with np.errstate(divide="ignore", invalid="ignore"):
            xy = lens.scale * p[..., :2] / w + (lens.centre_x, lens.centre_y)
        return np.concatenate([xy, p[..., 2:]], axis=-1)

    # ---- changes --------------------------------------------------------------------------------------

    def zoom(self, factor: float) -> Camera:
        """The same view with everything ``factor`` times as large."""
        if not (math.isfinite(factor) and factor > 0.0):
            raise InvalidValue(f"A zoom must be more than 0 (2 is twice as large); found {factor}.")
        field = 2.0 * math.atan(math.tan(self.field / 2.0) / factor)
        return dataclasses.replace(self, field=field, height=self.height / factor)

    def twisted(self, angle: float) -> Camera:
        """The same view turned about the line of sight by a further angle [rad]."""
        return dataclasses.replace(self, twist=self.twist + angle)

    def orbit(self, azimuth: float, elevation: float = 0.0) -> Camera:
        """The eye moved around the target by two angles [rad], at most to straight above or below."""
        turn = finite((azimuth, elevation), (2,), "Azimuth and elevation")
        arm = np.subtract(self.eye, self.target)
        reach = float(np.linalg.norm(arm))
        up = math.asin(max(-1.0, min(1.0, arm[2] / reach))) + turn[1]
        up = max(-math.pi / 2.0, min(math.pi / 2.0, up))
        flat = math.hypot(arm[0], arm[1]) > 1e-9 * reach
        around = (math.atan2(arm[1], arm[0]) if flat else -math.pi / 2.0) + turn[0]
        ray = (math.cos(up) * math.cos(around), math.cos(up) * math.sin(around), math.sin(up))
        eye = np.asarray(self.target) + reach * np.array(ray)
        return dataclasses.replace(self, eye=tuple(eye.tolist()))

    def fit(self, points: ArrayLike, aspect: float = 16.0 / 9.0, margin: float = 0.08) -> Camera:
        """The same direction, moved and opened so that all points just fill the image.

        Args:
            points: (n, 3) the points that must be visible [m]; exactly two points count as the corners of a box.
            aspect: the width of the image divided by its height.
            margin: the free share of the image at each side, from 0 to 0.45.
        """
        cloud = _cloud(points)
        if not (math.isfinite(aspect) and aspect > 0.0):
            raise InvalidValue(f"The aspect of an image (width divided by height) must be more than 0; found {aspect}.")
        if not 0.0 <= margin <= 0.45:
            raise InvalidValue(f"The margin of a view must be from 0 to 0.45 of the image; found {margin}.")
        rotation = self.rotation
        p = cloud @ rotation.T
        inside = 1.0 - 2.0 * margin
        low, high = p.min(axis=0), p.max(axis=0)
        # A single point is treated as a hundredth of a millimetre wide.
        size = max(float((high - low).max()), 1e-5, 1e-6 * float(np.abs(p).max()))
        if self.projection == "parallel":
            middle = (low + high) / 2.0
            tall = max(high[1] - low[1], (high[0] - low[0]) / aspect, 1e-3 * size) / inside
            back = middle - (0.0, 0.0, 2.0 * size)
            return self._placed(rotation, back, middle[2] - back[2], tall)
        # A side of the pyramid of view through the eye e keeps a point p if x − t·z ≤ e_x − t·e_z: the
        # largest left-hand value of each of the four sides gives the nearest eye that sees everything.
        ty = math.tan(self.field / 2.0) * inside
        tx = ty * aspect
        right, left = (p[:, 0] - tx * p[:, 2]).max(), (-p[:, 0] - tx * p[:, 2]).max()
        below, above = (p[:, 1] - ty * p[:, 2]).max(), (-p[:, 1] - ty * p[:, 2]).max()
        z = min(-(right + left) / (2.0 * tx), -(below + above) / (2.0 * ty), low[2] - 1e-3 * size)
        eye = np.array([(right - left) / 2.0, (below - above) / 2.0, z])
        return self._placed(rotation, eye, max((low[2] + high[2]) / 2.0 - z, 1e-3 * size), self.height)

    def _placed(self, rotation: Floats, eye: Floats, reach: float, height: float) -> Camera:
        world = rotation.T @ eye
        target = world + reach * rotation[2]
        place = tuple(world.tolist()), tuple(target.tolist())
        return dataclasses.replace(self, eye=place[0], target=place[1], height=float(height), near=0.0)


def field_of_screen(distance: float, size: float) -> float:
    """The field of view [rad] of a screen of half-height ``size`` seen from ``distance``, both in the same unit.

    A point is seen when |y·D/S| ≤ z (Kahloun 1987, eq 3.17).
    """
    if not (math.isfinite(distance) and math.isfinite(size) and distance > 0.0 and size > 0.0):
        raise InvalidValue(f"Screen distance and size must be more than 0; found {distance} and {size}.")
    return 2.0 * math.atan2(size, distance)


def _cloud(points: ArrayLike) -> Floats:
    try:
        cloud = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidValue("The points to see must be numbers of shape (n, 3).") from error
    if cloud.ndim != 2 or cloud.shape[1] != 3 or not len(cloud):
        raise InvalidValue(f"The points to see must have shape (n, 3), n at least 1; found {cloud.shape}.")
    if not np.isfinite(cloud).all():
        raise InvalidValue("The points to see must be finite.")
    if len(cloud) == 2:
        corners = np.meshgrid(*cloud.T, indexing="ij")
        cloud = np.stack([c.ravel() for c in corners], axis=1)
    return cloud


def _point(values: Floats) -> str:
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"
