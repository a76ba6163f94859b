"""Commands on the cell as a whole: units, use scene, default-profile."""

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
    help="choose the units of numbers without a unit",
    effect="edits",
    length=Choice(LENGTHS, "LENGTH-UNIT"),
    angle=Choice(ANGLES, "ANGLE-UNIT"),
    param_help={"length": "such as mm, m or inch; mm in a new cell", "angle": "deg or rad; deg in a new cell"},
    examples=["units mm deg", "units m rad"],
)
def units(session: Session, length: str, angle: str) -> Done:
    """The units are saved in the cell. They do not change any value."""
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
    """Without this command, the first scene is used."""
    session.database.set_setting(session.rows, "scene", scene.name)
    return Done(f"scene {scene.name!r} is used")


@command(
    "default-profile {profile}",
    help="choose the speed profile of robots that have none of their own",
    effect="edits",
    profile=PROFILE,
    examples=["default-profile trapezoid", "default-profile linear"],
)
def default_profile(session: Session, profile: str) -> Done:
    """The profile is saved in the cell. It is `trapezoid` in a new cell, and `linear` in cells of older versions.

    `profile ROBOT PROFILE` gives a robot its own profile, and `drop property profile from ROBOT` removes it.
    """
    database = session.database
    database.set_setting(session.rows, "profile", profile)
    own = [one for kind in ("robot", "mechanism") for one in database.entities(kind) if one.properties.get("profile")]
    kept = "".join(f"; {one.name} keeps its own, {one.properties['profile']}" for one in own)
    return Done(f"profile of the cell: {profile}{kept}")
