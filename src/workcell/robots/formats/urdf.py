"""Reading URDF: links, joints, limits, inertia, shapes and meshes.

A URDF is a tree. Each of its serial chains becomes a robot with DH frames; where the tree branches, the longest
branch goes on and the others become robots mounted on the link where they leave. Fixed joints vanish into frames.
What the file has and a robot here has not is named in the notes of the model.
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
    """What a URDF holds: its robots, mounted on each other where the tree branches.

    Attributes:
        name: of the robot element.
        mounting: the robots; the first stands on the world, the others on its links.
        frames: every link of the URDF by name: (robot, link number, pose of the URDF link in that DH frame).
        notes: what was read but has no place here, one line each.
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
    """Read a URDF file and the meshes that it names; see :func:`parse`."""
    place = Path(path)
    return parse(text_in(place, "the URDF"), place.name, Beside(place, OwnFiles()).fetch, unknown_shapes)


def parse(text: str, where: str = "the text", fetch: Fetch = no_files, unknown_shapes: bool = False) -> UrdfModel:
    """The model in a URDF text.

    Args:
        text: of the URDF.
        where: what a message calls it.
        fetch: gives the bytes of the meshes that it names.
        unknown_shapes: whether a link whose shape cannot be read is marked as unknown; otherwise it is refused.
    """
    found = read_chains(text, where, fetch, unknown_shapes)
    return UrdfModel(found.name, mounted(found.robots), found.frames, found.notes)
