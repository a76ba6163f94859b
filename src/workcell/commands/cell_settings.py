"""Commands on the cell as a whole: units, scene, profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Choice
from workcell.commands.moves import PROFILE
from workcell.commands.results import Done
from workcell.spatial.units import ANGLES, LENGTHS, Units
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session


@command(
    "units {length} {angle}",
    help="choose what a bare number means",
    effect="edits",
    length=Choice(LENGTHS, "LENGTH-UNIT"),
    angle=Choice(ANGLES, "ANGLE-UNIT"),
    examples=["units mm deg", "units m rad"],
)
def units(session: Session, length: str, angle: str) -> Done:
    """Kept with the cell; inside, everything is metres and radians."""
    chosen = Units(length, angle)
    session.database.set_setting(session.rows, "units", msgspec.json.encode(chosen).decode())
    return Done(f"lengths in {length}, angles in {angle}")


@command(
    "use scene {scene}",
    help="choose the scene that is shown and simulated",
    effect="edits",
    scene=Ref("scene"),
    examples=["> create scene left", "use scene left"],
)
def use_scene(session: Session, scene: Entity) -> Done:
    """The first one made, unless chosen."""
    session.database.set_setting(session.rows, "scene", scene.name)
    return Done(f"scene {scene.name!r} is used")


@command(
    "default-profile {profile}",
    help="choose how position grows with time for robots that have no profile of their own",
    effect="edits",
    profile=PROFILE,
    examples=["default-profile trapezoid", "default-profile linear"],
)
def default_profile(session: Session, profile: str) -> Done:
    """Kept with the cell: `trapezoid` in a new one, `linear` in one made before there was this choice.

    `profile ROBOT PROFILE` gives a robot its own, and `drop property profile from ROBOT` takes that away.
    """
    database = session.database
    database.set_setting(session.rows, "profile", profile)
    own = [one for kind in ("robot", "mechanism") for one in database.entities(kind) if one.properties.get("profile")]
    kept = "".join(f"; {one.name} keeps its own, {one.properties['profile']}" for one in own)
    return Done(f"profile of the cell: {profile}{kept}")
