"""Asks one more engine whether anything touches; runs as a child, in its own virtual environment if it clashes.

``python bench/collision_peers.py NAME FILE``: NAME is klampt, pybullet or mujoco; FILE holds triangles, pairs and poses as
``bench/collision.py`` writes them. Prints one line of JSON: seconds per state, the answers, and the method.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

Ask = Callable[[int], bool]


def klampt(meshes: list[Any], pairs: Any, poses: Any, moving: Any) -> tuple[Ask, str]:
    """Test exact triangles, pair by pair."""
    from klampt import Geometry3D, TriangleMesh

    shapes = []
    for triangles in meshes:
        mesh = TriangleMesh()
        mesh.setVertices(np.ascontiguousarray(triangles.reshape(-1, 3)))
        mesh.setIndices(np.arange(3 * len(triangles), dtype=np.int32).reshape(-1, 3))
        shapes.append(Geometry3D(mesh))
    rotations = poses[:, :, :9].reshape(*poses.shape[:2], 3, 3).transpose(0, 1, 3, 2).reshape(*poses.shape[:2], 9)
    for body, shape in enumerate(shapes):
        shape.setCurrentTransform(rotations[0, body].tolist(), poses[0, body, 9:].tolist())
    listed = [(int(a), int(b)) for a, b in pairs]

    def ask(row: int) -> bool:
        for body in moving:
            shapes[body].setCurrentTransform(rotations[row, body].tolist(), poses[row, body, 9:].tolist())
        return any(shapes[a].collides(shapes[b]) for a, b in listed)

    return ask, "triangles, pair by pair"


def pybullet(meshes: list[Any], pairs: Any, poses: Any, moving: Any) -> tuple[Ask, str]:
    """Test links as convex hulls, because Bullet does not test concave meshes against each other.

    Obstacles as they are.
    """
    import pybullet as p

    p.connect(p.DIRECT)
    links = {int(body) for body in moving}
    bodies = []
    for number, triangles in enumerate(meshes):
        corners, index = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
        given: dict[str, Any] = {"vertices": corners.tolist()}
        if number not in links:
            given |= {"indices": index.reshape(-1).tolist(), "flags": p.GEOM_FORCE_CONCAVE_TRIMESH}
        shape = p.createCollisionShape(p.GEOM_MESH, **given)
        bodies.append(p.createMultiBody(1.0 if number in links else 0.0, shape))
    turns = quaternions(poses)
    wanted = {(int(a), int(b)) for a, b in pairs} | {(int(b), int(a)) for a, b in pairs}
    for a in range(len(bodies)):
        p.resetBasePositionAndOrientation(bodies[a], poses[0, a, 9:], turns[0, a])
        for b in range(a):
            p.setCollisionFilterPair(bodies[a], bodies[b], -1, -1, int((a, b) in wanted))

    def ask(row: int) -> bool:
        for body in moving:
            p.resetBasePositionAndOrientation(bodies[body], poses[row, body, 9:], turns[row, body])
        p.performCollisionDetection()
        return any(point[8] <= 0.0 for point in p.getContactPoints())

    return ask, "links as convex hulls"


def mujoco(meshes: list[Any], pairs: Any, poses: Any, moving: Any) -> tuple[Ask, str]:
    """Test convex hulls of everything: MuJoCo has no other meshes."""
    import mujoco as m

    spec = m.MjSpec()
    links = [int(body) for body in moving]
    turns = quaternions(poses)
    for number, triangles in enumerate(meshes):
        corners, index = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
        spec.add_mesh(
            name=f"m{number}",
            uservert=corners.reshape(-1),
            userface=index.reshape(-1).astype(np.int32),
            inertia=m.mjtMeshInertia.mjMESH_INERTIA_CONVEX,
        )
        x, y, z, w = turns[0, number]
        body = spec.worldbody.add_body(name=f"b{number}", pos=poses[0, number, 9:], quat=[w, x, y, z])
        if number in links:
            body.add_freejoint()
        body.add_geom(
            name=f"g{number}", type=m.mjtGeom.mjGEOM_MESH, meshname=f"m{number}", contype=0, conaffinity=0, mass=1.0
        )
    for a, b in pairs:
        spec.add_pair(geomname1=f"g{int(a)}", geomname2=f"g{int(b)}")
    model = spec.compile()
    data = m.MjData(model)
    at = {body: int(model.jnt_qposadr[model.body(f"b{body}").jntadr[0]]) for body in links}
    rows = np.concatenate([poses[:, :, 9:], turns[:, :, [3, 0, 1, 2]]], axis=2)

    def ask(row: int) -> bool:
        for body, place in at.items():
            data.qpos[place : place + 7] = rows[row, body]
        m.mj_kinematics(model, data)
        m.mj_comPos(model, data)
        m.mj_collision(model, data)
        return any(data.contact.dist[: data.ncon] <= 0.0)

    return ask, "convex hulls"


def quaternions(poses: Any) -> Any:
    """Return unit quaternions xyzw of poses (N, B, 12), from the greatest component."""
    R = poses[..., :9].reshape(*poses.shape[:2], 3, 3)
    trace = R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2]
    K = np.empty((*trace.shape, 4, 4))
    for i in range(3):
        for j in range(3):
            K[..., i, j] = R[..., i, j] + R[..., j, i] - (trace if i == j else 0.0)
        k, m = (i + 1) % 3, (i + 2) % 3
        K[..., i, 3] = K[..., 3, i] = R[..., m, k] - R[..., k, m]
    K[..., 3, 3] = trace
    _, vectors = np.linalg.eigh(K)
    return vectors[..., -1]


def main() -> None:
    name, file = sys.argv[1:]
    with np.load(file) as given:
        meshes = [given[f"mesh{k}"] for k in range(int(given["count"]))]
        pairs, poses, moving = given["pairs"], given["poses"], given["moving"].tolist()
    try:
        ask, how = {"klampt": klampt, "pybullet": pybullet, "mujoco": mujoco}[name](meshes, pairs, poses, moving)
    except ImportError as error:
        print(json.dumps({"missing": str(error)}))
        return
    answers = [ask(row) for row in range(len(poses))]
    times = []
    for _ in range(3):
        start = time.perf_counter()
        for row in range(len(poses)):
            ask(row)
        times.append((time.perf_counter() - start) / len(poses))
    print(json.dumps({"seconds": sorted(times)[1], "answers": answers, "how": how}))


if __name__ == "__main__":
    main()
