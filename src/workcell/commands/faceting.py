"""Commands that make faceted solids: blocks with few shared surfaces and many named relations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workcell.commands.language.colours import ColourName
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Length, NewName, Number, Value
from workcell.commands.model import make
from workcell.commands.results import Result
from workcell.commands.surfaces import flat_surface
from workcell.errors import Refused
from workcell.geometry.faceted import UNIT_SQUARE
from workcell.spatial.transform import MatrixStep, Scale, Transform
from workcell.world.copying import copy as copied
from workcell.world.entities import Entity
from workcell.world.operations import surface_text

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.faceted import FacetedBlock

_PATCH = "the name of the unit square for the sides; default unit_square. It is made if it does not exist"
_PREFIX = "the beginning of the names of relations and new surfaces; default: the name of the block and a dash"


class Faceted(Result, frozen=True):
    """A block made of facets: how many surfaces are new, and how many relations point to surfaces."""

    name: str
    surfaces: tuple[str, ...]
    relations: int

    def __str__(self) -> str:
        which = f" ({', '.join(self.surfaces[:6])}{'…' if len(self.surfaces) > 6 else ''})" if self.surfaces else ""
        new = f"{len(self.surfaces)} new surface{'s' if len(self.surfaces) != 1 else ''}{which}"
        return f"block {self.name!r} created with {self.relations} transform-surface relations and {new}"


def _keep(
    session: Session,
    name: str,
    made: FacetedBlock,
    colour: str | None,
    owned: dict[str, Entity] | None = None,
    stretch: tuple[float, float, float] | None = None,
) -> Faceted:
    """Put the surfaces and relations into the database; an equal surface that exists is shared."""
    database = session.database
    surfaces = dict(owned or {})
    new = []
    for label, surface in made.surfaces.items():
        if label in surfaces:
            continue
        shape = surface_text(surface)
        found = database.find("surface", label)
        if found is not None and found.shape != shape and surface is UNIT_SQUARE:
            raise Refused(
                f"Surface {label!r} is not a square of one metre at the origin, as the sides need; give another "
                "name (`patch NAME`)."
            )
        if found is None or found.shape != shape:
            # Refused if there is another surface of that name.
            make(session, "surface", label, shape=shape)
            new.append(label)
        surfaces[label] = database.entity("surface", label)
    make(session, "block", name, colour=colour)
    block = database.entity("block", name)
    for relation in made.relations:
        rows = tuple(float(value) + 0.0 for value in relation.matrix[:3].reshape(-1))
        place = Transform((MatrixStep(rows),))
        database.attach(session.rows, block, surfaces[relation.surface], relation.name, place)
    if stretch is not None:
        # A stretched patch is sheared, which only a copy of the whole block may do.
        database.rename(session.rows, block, _free(session, f"{name}-unit"))
        copied(database, session.rows, block, name, Transform((Scale(stretch),)))
        for one in database.relations(block):
            database.detach(session.rows, one)
        database.remove(session.rows, block)
    return Faceted(name, tuple(new), len(made.relations))


def _before(name: str, prefix: str | None) -> str:
    """Return the beginning of the names of relations and surfaces: as given, else the name of the block."""
    return f"{name}-" if prefix is None else prefix


def _free(session: Session, wanted: str) -> str:
    name, count = wanted, 1
    while session.database.find("block", name) is not None:
        count += 1
        name = f"{wanted}-{count}"
    return name


def _count(help_: str) -> tuple[Value, str]:
    return Number("number", positive=True, whole=True), help_


_AROUND = _count("the number of facets around the axis")
_SIZE = Length(positive=True)


def _declare(
    kind: str, sizes: dict[str, str], counts: dict[str, tuple[Value, str]], examples: str | list[str], details: str
) -> Callable[[Callable[..., FacetedBlock]], None]:
    """Declare ``facet KIND NAME sizes counts``; the function builds it from the sizes, the counts and the prefix."""
    params: dict[str, Any] = {**dict.fromkeys(sizes, _SIZE), **{name: value for name, (value, _) in counts.items()}}
    words = " ".join(f"{{{name}}}" for name in params)

    def register(build: Callable[..., FacetedBlock]) -> None:
        def run(
            session: Session,
            name: str,
            prefix: str | None = None,
            colour: str | None = None,
            patch: str | None = None,
            **given: Any,
        ) -> Faceted:
            square = {} if patch is None else {"square": patch}
            stretch = (given["a"], given["b"], given["c"]) if kind == "ellipsoid" else None
            sizes_left = {} if stretch else {one: given[one] for one in sizes}
            made = build(prefix=_before(name, prefix), **sizes_left, **square, **{one: given[one] for one in counts})
            return _keep(session, name, made, colour, stretch=stretch)

        run.__doc__ = details
        run.__module__ = __name__
        named: dict[str, Any] = {"patch": NewName()} if kind == "cylinder" else {}
        words_of_patch = " [patch {patch}]" if named else ""
        command(
            f"facet {kind} {{name}} {words} [prefix {{prefix}}]{words_of_patch} [colour {{colour}}]",
            help=f"make a faceted {kind.replace('-', ' ')}",
            effect="edits",
            param_help={
                **sizes,
                **{name: text for name, (_, text) in counts.items()},
                "prefix": _PREFIX,
                **dict.fromkeys(named, _PATCH),
            },
            name=NewName(),
            prefix=NewName(),
            colour=ColourName(),
            examples=[examples] if isinstance(examples, str) else examples,
            **params,
            **named,
        )(run)

    return register


@_declare(
    "cylinder",
    {"radius": "the radius at the corners", "height": "the height along z"},
    {"facets": _AROUND},
    ["facet cylinder drum 100 200 8 prefix drum-", "facet cylinder barrel 100 200 8 prefix barrel- patch stave"],
    "The sides are FACETS unit squares; two polygons close the ends.",
)
def _cylinder(radius: float, height: float, facets: int, prefix: str, square: str = "unit_square") -> FacetedBlock:
    from workcell.geometry import faceted

    return faceted.cylinder(radius, height, facets, prefix, square)


@_declare(
    "cone",
    {"radius": "the radius at the bottom", "height": "the height along z"},
    {"facets": _AROUND},
    "facet cone tip 50 100 12 prefix tip-",
    "It is a rotational sweep. Its centre of mass is at the origin.",
)
def _cone(radius: float, height: float, facets: int, prefix: str) -> FacetedBlock:
    from workcell.geometry import faceted

    return faceted.cone(radius, height, facets, prefix)


@_declare(
    "truncated-cone",
    {"top": "the radius at the top", "bottom": "the radius at the bottom", "height": "the height along z"},
    {"facets": _AROUND},
    "facet truncated-cone foot 40 80 60 12 prefix foot-",
    "It is a rotational sweep. Its centre of mass is at the origin.",
)
def _truncated_cone(top: float, bottom: float, height: float, facets: int, prefix: str) -> FacetedBlock:
    from workcell.geometry import faceted

    return faceted.truncated_cone(top, bottom, height, facets, prefix)


_HALF = _count("the number of faces from the equator to a pole")
_SLICES = _count("the number of slices around the axis")


@_declare(
    "sphere",
    {"radius": "the radius at the corners"},
    {"faces": _HALF, "slices": _SLICES},
    "facet sphere ball 50 4 12 prefix ball-",
    "It has FACES surfaces and 2 · FACES · SLICES relations; the lower half is a reflection.",
)
def _sphere(radius: float, faces: int, slices: int, prefix: str) -> FacetedBlock:
    from workcell.geometry import faceted

    return faceted.sphere(radius, (faces, slices), prefix)


@_declare(
    "ellipsoid",
    {"a": "semi-axis along x", "b": "semi-axis along y", "c": "semi-axis along z"},
    {"faces": _HALF, "slices": _SLICES},
    "facet ellipsoid egg 50 50 80 4 12 prefix egg-",
    "It is a unit sphere that is scaled along x, y and z.",
)
def _ellipsoid(faces: int, slices: int, prefix: str) -> FacetedBlock:
    from workcell.geometry import faceted

    return faceted.sphere(1.0, (faces, slices), prefix)


@_declare(
    "torus",
    {"ring": "radius of the ring", "tube": "radius of the tube"},
    {"segments": _count("the number of segments around the axis"), "sides": _count("the number of sides of the tube")},
    "facet torus tyre 100 30 12 8 prefix tyre-",
    "It is the rotational sweep of a regular polygon.",
)
def _torus(ring: float, tube: float, segments: int, sides: int, prefix: str) -> FacetedBlock:
    from workcell.geometry import faceted

    return faceted.torus(ring, tube, (segments, sides), prefix)


_L = "> create surface bracket contour (0,0) (60,0) (60,10) (10,10) (10,40) (0,40)"
_PREFIX_HELP = {"prefix": _PREFIX}


@command(
    "facet extrusion {name} {surface} {height} [prefix {prefix}] [patch {patch}] [colour {colour}]",
    help="make a faceted block by moving a surface with straight edges along z",
    effect="edits",
    name=NewName(),
    surface=Ref("surface"),
    height=_SIZE,
    prefix=NewName(),
    patch=NewName(),
    colour=ColourName(),
    param_help={**_PREFIX_HELP, "patch": _PATCH, "height": "along z"},
    examples=[_L, "facet extrusion bar bracket 80 prefix bar-", "facet extrusion rod bracket 200 patch strip"],
)
def facet_extrusion(
    session: Session,
    name: str,
    surface: Entity,
    height: float,
    prefix: str | None = None,
    patch: str = "unit_square",
    colour: str | None = None,
) -> Faceted:
    """The block has the surface at both ends and a unit square for each edge. Holes go through."""
    from workcell.geometry import faceted

    made = faceted.translational_sweep(flat_surface(surface), height, _before(name, prefix), surface.name, patch)
    return _keep(session, name, made, colour, {surface.name: surface})


@command(
    "facet revolution {name} {surface} {facets} [prefix {prefix}] [colour {colour}]",
    help="make a faceted block by turning a profile with straight edges about the z axis",
    effect="edits",
    name=NewName(),
    surface=Ref("surface"),
    facets=Number("number", positive=True, whole=True),
    prefix=NewName(),
    colour=ColourName(),
    param_help={
        **_PREFIX_HELP,
        "facets": "the number of facets around the axis",
        "surface": "the profile: x is the distance from the z axis, y the height",
    },
    examples=[
        "> create surface edge1 contour (0,0) (60,0) (30,50) (0,50)",
        "facet revolution hub edge1 12 prefix hub-",
    ],
)
def facet_revolution(
    session: Session, name: str, surface: Entity, facets: int, prefix: str | None = None, colour: str | None = None
) -> Faceted:
    """Each edge of the profile becomes one new surface with as many relations as there are facets."""
    from workcell.geometry import faceted

    return _keep(session, name, faceted.rotational_sweep(flat_surface(surface), facets, _before(name, prefix)), colour)
