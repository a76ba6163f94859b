"""Mesh files and URDFs made from our own shapes, for tests that read them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from workcell.geometry import solids
from workcell.geometry.formats import gltf, obj, stl
from workcell.geometry.mesh import Mesh

WEDGE = solids.box(0.3, 0.2, 0.1).mesh()
"""A plain closed mesh [m]; its volume is 0.006 m³."""


def collada(
    meshes: list[tuple[Mesh, tuple[float, float, float] | None]],
    form: str = "triangles",
    unit: float = 1.0,
    up: str | None = "Z_UP",
    node: str = "",
) -> bytes:
    """A COLLADA file of meshes in metres, written in a unit; ``node`` is put before their instances."""
    geometries, materials, effects, instances = [], [], [], []
    for number, (mesh, colour) in enumerate(meshes):
        points = " ".join(repr(float(v)) for v in (mesh.vertices / unit).reshape(-1))
        rows = [(int(a), int(b), int(c)) for a, b, c in mesh.triangles]
        # A second input, so that indices are interleaved as real files have them.
        inputs = f'<input semantic="VERTEX" source="#v{number}" offset="0"/><input semantic="NORMAL" source="#n{number}" offset="1"/>'
        paint = f' material="paint{number}"' if colour else ""
        flat = " ".join(f"{i} 0" for row in rows for i in row)
        runs = "".join(f"<p>{' '.join(f'{i} 0' for i in row)}</p>" for row in rows)
        body = {
            "triangles": f'<triangles count="{len(rows)}"{paint}>{inputs}<p>{flat}</p></triangles>',
            "polylist": f'<polylist count="{len(rows)}"{paint}>{inputs}<vcount>{"3 " * len(rows)}</vcount><p>{flat}</p></polylist>',
            "polygons": f'<polygons count="{len(rows)}"{paint}>{inputs}{runs}</polygons>',
            "trifans": f'<trifans count="{len(rows)}"{paint}>{inputs}{runs}</trifans>',
            "tristrips": f'<tristrips count="{len(rows)}"{paint}>{inputs}{runs}</tristrips>',
        }[form]
        geometries.append(
            f'<geometry id="g{number}" name="part{number}"><mesh><source id="p{number}"><float_array id="a{number}" count="{3 * len(mesh.vertices)}">{points}'
            f'</float_array><technique_common><accessor source="#a{number}" count="{len(mesh.vertices)}" stride="3"/></technique_common></source>'
            f'<source id="n{number}"><float_array id="m{number}" count="3">0 0 1</float_array></source>'
            f'<vertices id="v{number}"><input semantic="POSITION" source="#p{number}"/></vertices>{body}</mesh></geometry>'
        )
        bind = ""
        if colour:
            rgba = " ".join(str(v) for v in (*colour, 1.0))
            effects.append(
                f'<effect id="e{number}"><profile_COMMON><technique sid="t"><lambert><diffuse><color>{rgba}</color></diffuse></lambert></technique></profile_COMMON></effect>'
            )
            materials.append(f'<material id="mat{number}"><instance_effect url="#e{number}"/></material>')
            bind = f'<bind_material><technique_common><instance_material symbol="paint{number}" target="#mat{number}"/></technique_common></bind_material>'
        instances.append(f'<instance_geometry url="#g{number}">{bind}</instance_geometry>')
    axis = f"<up_axis>{up}</up_axis>" if up else ""
    return (
        f'<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
        f'<asset><unit name="u" meter="{unit!r}"/>{axis}</asset><library_effects>{"".join(effects)}</library_effects>'
        f"<library_materials>{''.join(materials)}</library_materials><library_geometries>{''.join(geometries)}</library_geometries>"
        f'<library_visual_scenes><visual_scene id="s"><node>{node}{"".join(instances)}</node></visual_scene></library_visual_scenes>'
        f'<scene><instance_visual_scene url="#s"/></scene></COLLADA>'
    ).encode()


def mesh_file(place: Path, mesh: Mesh = WEDGE, unit: float = 1.0) -> Path:
    """Write a mesh by the ending of the name; ``unit`` is what one number of an STL, OBJ or COLLADA file is [m]."""
    kind = place.name.partition(".")[2]
    place.parent.mkdir(parents=True, exist_ok=True)
    if kind == "gltf":
        document = json.loads(gltf.mesh_to_glb(mesh, y_up=True, binary=False))
        import base64

        buffer = document["buffers"][0]
        data = base64.b64decode(buffer["uri"].split(",", 1)[1])
        buffer["uri"] = place.stem + "%20data.bin"
        place.with_name(place.stem + " data.bin").write_bytes(data)
        place.write_text(json.dumps(document))
        return place
    data = {
        "stl": lambda: stl.write(mesh, unit),
        "ascii.stl": lambda: stl.write(mesh, unit, ascii_text=True),
        "obj": lambda: obj.write(mesh, unit),
        "dae": lambda: collada([(mesh, None)], unit=unit),
        "glb": lambda: gltf.mesh_to_glb(mesh, y_up=True),
        "inside.gltf": lambda: gltf.mesh_to_glb(mesh, y_up=True, binary=False),
    }[kind]()
    place.write_bytes(data)
    return place


def shape(use: str, geometry: str, origin: str = "", paint: str = "") -> str:
    """A <visual> or <collision>."""
    return f"<{use}>{origin}<geometry>{geometry}</geometry>{paint}</{use}>"


def arm(base: str = "", upper: str = "", fore: str = "", more: str = "") -> str:
    """A URDF of two turning joints, 0.5 m apart, with what its links hold."""
    return f"""<?xml version="1.0"?>
<robot name="two">
  <link name="foot">{base}</link><link name="upper">{upper}</link><link name="fore">{fore}</link><link name="tool0"/>
  <joint name="s" type="revolute"><parent link="foot"/><child link="upper"/><origin xyz="0 0 0.4" rpy="0 0 0.3"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2.5" velocity="2" effort="1"/></joint>
  <joint name="e" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0.5 0 0" rpy="0.2 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-2.2" upper="2.1" velocity="3" effort="1"/></joint>
  <joint name="t" type="fixed"><parent link="fore"/><child link="tool0"/><origin xyz="0.3 0 0"/></joint>
  {more}
</robot>
"""


def volumes(robot: object, use: str = "tested") -> list[float]:
    """The volume of every link, by what is tested or seen."""
    return [sum(part.solid.volume for part in getattr(link, use)) for link in robot.links]  # type: ignore[attr-defined]


def centroid(robot: object, link: int, q: np.ndarray, use: str = "tested") -> np.ndarray:
    """Where the material of a link is in the base frame."""
    from workcell.spatial.pose import Pose

    parts = getattr(robot.links[link], use)  # type: ignore[attr-defined]
    weights = np.array([part.solid.volume for part in parts])
    mean = sum(w * part.solid.centroid for w, part in zip(weights, parts, strict=True)) / weights.sum()
    return Pose(robot.frames(q)[link]).apply(mean)  # type: ignore[attr-defined]
