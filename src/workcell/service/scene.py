"""What a client is shown of a cell: bodies, tree, robots, recording."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from workcell.service import protocol
from workcell.service.poses import seven
from workcell.service.shapes import Shapes
from workcell.simulation.event_text import text_of
from workcell.simulation.events import kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workcell.collision.zones import Zone
    from workcell.simulation.recording import Recording
    from workcell.world.body import Body
    from workcell.world.snapshot import PlacedRobot, Snapshot
    from workcell.world.state import CellState

Colour = tuple[float, float, float]
Seven = tuple[float, float, float, float, float, float, float]


class About(NamedTuple):
    """What a scene tells of the session beside its snapshot."""

    revision: str
    undo: str
    redo: str
    programs: tuple[str, ...]


def scene(
    snapshot: Snapshot, state: CellState, shapes: Shapes, about: About, zones: Sequence[Zone] = ()
) -> protocol.Scene:
    """The scene message of a snapshot, with the bodies where the state has them, and of zones."""
    poses = seven(snapshot.body_poses(state)).tolist() if snapshot.bodies else []
    bodies = [
        protocol.BodyInfo(
            name=body.name,
            owner=body.owner,
            link=body.link,
            pieces=[
                protocol.PieceInfo(
                    shapes.announce(piece.solid),
                    cast(Colour, tuple(map(float, piece.colour))),
                    piece.ghost,
                    piece.opacity,
                )
                for piece in body.pieces
            ],
            pose=cast(Seven, tuple(pose)),
            movable=body.movable,
        )
        for body, pose in zip(snapshot.bodies, poses, strict=True)
    ]
    return protocol.Scene(
        revision=about.revision,
        bodies=bodies,
        tree=tree(snapshot, about.programs, zones),
        robots=[robot_info(placed, state) for placed in snapshot.robots],
        undo=about.undo,
        redo=about.redo,
        zones=[zone_info(zone, shapes) for zone in zones],
    )


def zone_info(zone: Zone, shapes: Shapes) -> protocol.ZoneInfo:
    """A zone where it stands."""
    from workcell.geometry.recipe import Triangles
    from workcell.geometry.solid import Solid

    solid = zone.shape if isinstance(zone.shape, Solid) else Solid(Triangles.of(zone.shape))
    pose = cast(Seven, tuple(seven(zone.X_world_zone.matrix).tolist()))
    return protocol.ZoneInfo(zone.name, zone.rule, shapes.announce(solid), pose)


def tree(snapshot: Snapshot, programs: tuple[str, ...], zones: Sequence[Zone] = ()) -> list[protocol.TreeNode]:
    """The cell as a tree: robots with their links, objects with their bodies, zones, sensors, programs."""
    robots = [robot_node(placed, snapshot.bodies) for placed in snapshot.robots]
    named = {placed.name for placed in snapshot.robots}
    objects: dict[str, list[int]] = {}
    for place, body in enumerate(snapshot.bodies):
        if body.owner not in named:
            objects.setdefault(body.owner or body.name, []).append(place)
    nodes = [object_node(name, places, snapshot.bodies) for name, places in objects.items()]
    texts = [protocol.TreeNode(f"program/{name}", name, "program") for name in programs]
    volumes = [protocol.TreeNode(f"zone/{zone.name}", zone.name, "zone", zone.rule) for zone in zones]
    sensors = [protocol.TreeNode(f"sensor/{one.name}", one.name, "sensor", one.senses) for one in snapshot.sensors]
    stations = [protocol.TreeNode(f"station/{one.name}", one.name, "station", one.does) for one in snapshot.stations]
    machines = [
        protocol.TreeNode(f"machine/{one.name}", one.name, "machine", ", ".join(one.members))
        for one in snapshot.machines
    ]
    groups = {
        "Robots": robots, "Machines": machines, "Stations": stations, "Objects": nodes, "Zones": volumes,
        "Sensors": sensors, "Programs": texts,
    }  # fmt: skip
    return [
        protocol.TreeNode(name.lower(), name, "group", children=children)
        for name, children in groups.items()
        if children
    ]


def robot_node(placed: PlacedRobot, bodies: tuple[Body, ...]) -> protocol.TreeNode:
    """A robot with a line for each link."""
    own = [place for place, body in enumerate(bodies) if body.owner == placed.name]
    links: dict[int, list[int]] = {}
    for place in own:
        links.setdefault(bodies[place].link, []).append(place)
    children = [
        protocol.TreeNode(
            id=f"robot/{placed.name}/{link}",
            name="Base" if link == 0 else f"Link {link}",
            kind="link",
            note="" if link == 0 else placed.robot.joint_names[link - 1] if link <= placed.robot.chain.n else "",
            bodies=places,
        )
        for link, places in sorted(links.items())
    ]
    return protocol.TreeNode(f"robot/{placed.name}", placed.name, "robot", placed.robot.model, own, children)


def joint_of(placed: PlacedRobot, link: int) -> str:
    """The joint that moves a link; nothing for the base and for what is fixed to the last link."""
    names = placed.robot.joint_names
    return names[link - 1] if 1 <= link <= len(names) else ""


def object_node(name: str, places: list[int], bodies: tuple[Body, ...]) -> protocol.TreeNode:
    """An object, with a line for each body when it has several."""
    children = [
        protocol.TreeNode(f"object/{name}/{bodies[place].name}", bodies[place].name, "body", bodies=[place])
        for place in places
        if len(places) > 1
    ]
    ghost = all(bodies[place].ghost for place in places)
    note = "ghost" if ghost else "" if any(bodies[place].movable for place in places) else "fixed"
    return protocol.TreeNode(f"object/{name}", name, "object", note, places, children)


def robot_info(placed: PlacedRobot, state: CellState) -> protocol.RobotInfo:
    """The joints of a robot and where they stand."""
    robot = placed.robot
    joints = [
        protocol.JointInfo(name, float(lower), float(upper), bool(prismatic))
        for name, (lower, upper), prismatic in zip(robot.joint_names, robot.limits, robot.chain.prismatic, strict=True)
    ]
    values = [float(value) for value in state.joints[placed.name]]
    return protocol.RobotInfo(placed.name, robot.model, joints, values)


def recording_info(snapshot: Snapshot, recording: Recording, epoch: str, request: int = 0) -> protocol.RecordingInfo:
    """What there is to play."""
    moving = [place for place, body in enumerate(snapshot.bodies) if body.movable or body.link >= 0]
    events = [protocol.EventInfo(float(event.time), kind_of(event), text_of(event)) for event in recording.events]
    return protocol.RecordingInfo(
        request=request,
        epoch=epoch,
        start=float(recording.start.time),
        duration=float(recording.duration),
        robots=sorted(recording.robots),
        events=events,
        moving=moving,
    )


def state_message(request: int, state: CellState) -> protocol.State:
    """Where everything is now."""
    return protocol.State(
        request=request,
        time=float(state.time),
        joints={name: [float(value) for value in values] for name, values in state.joints.items()},
        poses={name: cast(Seven, tuple(seven(pose.matrix).tolist())) for name, pose in state.poses.items()},
        attached={name: held.frame for name, held in state.attached.items()},
        signals=dict(state.signals),
    )
