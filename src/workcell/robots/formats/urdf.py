"""Reading URDF: links, joints, limits, inertia, shapes and meshes.

A URDF is a tree. Each of its serial chains becomes a robot with DH frames. Where the tree branches, the longest
branch continues, and the others become robots mounted on the link where they leave. Fixed joints become frames.
Anything in the file that a robot cannot have here is listed in the notes of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workcell.robots.formats.urdf_files import Beside, Fetch, OwnFiles, no_files
from workcell.robots.formats.urdf_robots import read_chains
from workcell.robots.mounting import Mounting, mounted
from workcell.robots.robot import Robot
from workcell.robots.text_file import text_in
from workcell.spatial.pose import Pose


@dataclass(frozen=True)
class UrdfModel:
    """The content of a URDF: its robots, mounted on each other where the tree branches.

    Attributes:
        name: the name of the robot element.
        mounting: the robots; the first stands on the world, the others on its links.
        frames: every link of the URDF by name: (robot, link number, pose of the URDF link in that DH frame).
        notes: what was read but cannot be represented here, one line each.
    """

    name: str
    mounting: Mounting
    frames: Mapping[str, tuple[str, int, Pose]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def robots(self) -> tuple[Robot, ...]:
        """The robots, the main one first."""
        return tuple(item.device for item in self.mounting.items if isinstance(item.device, Robot))


def read(path: str | Path, unknown_shapes: bool = False) -> UrdfModel:
    """Read a URDF file and the meshes that it refers to; see :func:`parse`."""
    place = Path(path)
    return parse(text_in(place, "the URDF"), place.name, Beside(place, OwnFiles()).fetch, unknown_shapes)


def parse(text: str, where: str = "the text", fetch: Fetch = no_files, unknown_shapes: bool = False) -> UrdfModel:
    """The model in a URDF text.

    Args:
        text: the text of the URDF.
        where: its name in messages.
        fetch: returns the bytes of the meshes that it refers to.
        unknown_shapes: whether to mark a link as unknown if its shape cannot be read; otherwise the file is refused.
    """
    found = read_chains(text, where, fetch, unknown_shapes)
    return UrdfModel(found.name, mounted(found.robots), found.frames, found.notes)
