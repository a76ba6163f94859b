"""Collision of one real-size mesh arm with 20 obstacles: one state, many, least distance, whole motions, growth.

``python bench/collision.py`` runs everything; ``--quick`` runs less of it; ``--robot ur10e`` takes another arm of the
library; ``--plot FILE`` writes the growth as SVG. Ratios in processor time are of the least of all rounds, and hold
beside other programs; proofs are timed in processor time. Klampt, PyBullet and MuJoCo take part when the Python that ``WORKCELL_PEERS`` names (else this one) has them.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from harness import compare, missing, span
from workcell.collision.batch import check_batch
from workcell.collision.bodies import CollisionModel, collision_model
from workcell.collision.certify import certify
from workcell.collision.check import check
from workcell.collision.clearance import clearance
from workcell.collision.proof import Free
from workcell.geometry import solids
from workcell.geometry.mesh import Mesh, merge
from workcell.motion.profiles import linear
from workcell.motion.trajectory import Trajectory
from workcell.robots.catalogue import robot
from workcell.spatial.pose import Pose
from workcell.world.body import Body
from workcell.world.placed import PlacedRobot
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

ROBOT = "puma560"
REACH = 1.0


def lump(radius: float, rings: int, rng: np.random.Generator) -> Mesh:
    """Return a lumpy, concave ball of about 4·rings² triangles."""
    waves = rng.uniform(0.5, 2.0, 3)
    vertices = []
    for i in range(rings + 1):
        t = math.pi * i / rings
        for j in range(1 if i in (0, rings) else 2 * rings):
            p = math.pi * j / rings
            r = radius * (1.0 + 0.3 * math.sin(3 * waves[0] * t) * math.cos(4 * p) + 0.15 * math.sin(5 * waves[1] * t))
            vertices.append((r * math.sin(t) * math.cos(p), r * math.sin(t) * math.sin(p), r * math.cos(t)))
    m, last = 2 * rings, len(vertices) - 1
    triangles = [(0, 1 + j, 1 + (j + 1) % m) for j in range(m)]
    for i in range(rings - 2):
        a, b = 1 + i * m, 1 + (i + 1) * m
        triangles += [
            t for j in range(m) for t in ((a + j, b + j, b + (j + 1) % m), (a + j, b + (j + 1) % m, a + (j + 1) % m))
        ]
    a = 1 + (rings - 2) * m
    triangles += [(a + j, last, a + (j + 1) % m) for j in range(m)]
    return Mesh(np.array(vertices), np.array(triangles, dtype=np.int32), np.zeros(len(triangles), np.int32))


def cell(obstacles: int, seed: int = 0, spread: float = 1.0, kind: str = "") -> CollisionModel:
    """Return the arm among obstacles: half boxes, a quarter cylinders, a quarter lumps of 2,000 triangles."""
    rng = np.random.default_rng(seed)
    arm = robot(kind or ROBOT)
    bodies, meshes, places = [], {}, []
    for number, link in enumerate(arm.links):
        body = Body(f"Arm/{link.name}", "Arm", number, tuple())
        if not link.parts:
            places.append(-1)
            continue
        meshes[body.name] = merge([part.solid.mesh(5e-4) for part in link.parts])
        places.append(len(bodies))
        bodies.append(body)
    poses: dict[str, Pose] = {}
    lumps = [lump(0.1, 23, rng) for _ in range(5)]
    while len(poses) < obstacles:
        at = rng.uniform((-1.0, -1.0, 0.0), (1.0, 1.0, 1.4)) * REACH * spread
        if np.hypot(at[0], at[1]) < 0.35 and at[2] < 1.2:
            continue
        name = f"obstacle {len(poses)}"
        shape = len(poses) % 4
        if shape < 2:
            meshes[name] = solids.box(*(float(v) for v in rng.uniform(0.05, 0.2, 3))).mesh(5e-4)
        elif shape == 2:
            meshes[name] = solids.cylinder(*(float(v) for v in rng.uniform(0.04, 0.15, 2))).mesh(5e-4)
        else:
            meshes[name] = lumps[len(poses) % 5]
        poses[name] = Pose.from_xyz(*at) @ Pose.from_axis_angle(rng.normal(size=3), float(rng.uniform(0, 3)))
        bodies.append(Body(name, name, -1, tuple()))
    # The meshes count as the truth, so that every contender answers the same question.
    meshes = {name: dataclasses.replace(mesh, deviation=0.0) for name, mesh in meshes.items()}
    state = CellState(0.0, {"Arm": arm.home}, poses)
    placed = PlacedRobot("Arm", arm, "world", 0, Pose.identity(), tuple(places), 1.0)
    snapshot = Snapshot((1, 1), "bench", tuple(bodies), (placed,), state)
    model = collision_model(snapshot, meshes=meshes)
    table = model.pairs
    for contact in check(model, state).contacts:
        if contact.first_link >= 0 and contact.second_link >= 0:
            table = table.allow(*contact.pair, "they touch at home")
    return model.with_pairs(table)


# ---- peers --------------------------------------------------------------------------------------------


class Pin:
    """Pinocchio's geometry model over the same meshes and pairs."""

    def __init__(self, model: CollisionModel) -> None:
        import coal
        import pinocchio as pin

        self.pin, self.coal, self.model = pin, coal, model
        chain = model.snapshot.robots[0].robot.chain
        self.arm = pin.Model()
        joint, place = 0, chain.X_base_0.matrix
        joints, offsets = [0], [place]
        for row in chain.rows:
            start = Pose.from_xyz(0, 0, row.d) @ Pose.from_axis_angle((0, 0, 1), row.theta)
            X = offsets[-1] if joint == 0 else self._tail
            joint = self.arm.addJoint(joint, pin.JointModelRZ(), pin.SE3(X @ start.matrix), f"j{joint}")
            self._tail = (Pose.from_xyz(row.a, 0, 0) @ Pose.from_axis_angle((1, 0, 0), row.alpha)).matrix
            joints.append(joint)
            offsets.append(self._tail)
        self.data = self.arm.createData()
        self.geometry = pin.GeometryModel()
        state = model.snapshot.initial
        for body in model.bodies:
            from workcell.collision._coal import geometry

            parent, X = (joints[body.link], offsets[body.link]) if body.is_link else (0, state.poses[body.name].matrix)
            self.geometry.addGeometryObject(pin.GeometryObject(body.name, parent, pin.SE3(X), geometry(body.tree)))
        arrangement = model.arrangement(state)
        for a, b in zip(arrangement.first, arrangement.second, strict=True):
            self.geometry.addCollisionPair(pin.CollisionPair(int(a), int(b)))
        self.geometry_data = pin.GeometryData(self.geometry)
        self.manager = pin.BroadPhaseManager_DynamicAABBTreeCollisionManager(
            self.arm, self.geometry, self.geometry_data
        )

    def broad(self, q: Any) -> bool:
        return bool(self.pin.computeCollisions(self.arm, self.data, self.manager, q, True))

    def plain(self, q: Any) -> bool:
        return bool(self.pin.computeCollisions(self.arm, self.data, self.geometry, self.geometry_data, q, True))

    def least(self, q: Any) -> float:
        k = self.pin.computeDistances(self.arm, self.data, self.geometry, self.geometry_data, q)
        return max(float(self.geometry_data.distanceResults[k].min_distance), 0.0)


class Managed:
    """A broad-phase manager of Coal or of FCL, driven from Python: links against obstacles, then link pairs."""

    def __init__(self, model: CollisionModel, engine: str) -> None:
        self.model = model
        self.arrangement = model.arrangement(model.snapshot.initial)
        still = self.arrangement.still[self.arrangement.frame]
        self.moving = [int(a) for a in self.arrangement.moving[0]]
        arrangement = self.arrangement
        pairs = list(zip(arrangement.first.tolist(), arrangement.second.tolist(), strict=True))
        self.pairs = [(a, b) for a, b in pairs if model.bodies[b].is_link]
        names = {b for _, b in pairs if not model.bodies[b].is_link}
        self.engine = engine
        if engine == "coal":
            import coal

            from workcell.collision._coal import geometry

            self.lib = coal
            make = lambda place: coal.CollisionObject(geometry(model.bodies[place].tree))
            self.manager = coal.DynamicAABBTreeCollisionManager()
        else:
            import fcl

            self.lib = fcl

            def make(place: int) -> Any:
                T = model.bodies[place].tree.triangles
                shape = fcl.BVHModel()
                shape.beginModel(len(T), 3 * len(T))
                shape.addSubModel(T.reshape(-1, 3), np.arange(3 * len(T)).reshape(-1, 3))
                shape.endModel()
                return fcl.CollisionObject(shape)

            self.manager = fcl.DynamicAABBTreeCollisionManager()
        self.objects = {place: make(place) for place in {*self.moving, *names, *(b for _, b in self.pairs)}}
        for place in self.objects:
            self._put(place, still[place])
        if engine == "coal":
            for place in names:
                self.manager.registerObject(self.objects[place])
        else:
            self.manager.registerObjects([self.objects[place] for place in names])
        self.manager.setup()

    def _put(self, place: int, X: Any) -> None:
        thing = self.objects[place]
        if self.engine == "coal":
            thing.setTransform(self.lib.Transform3s(X[:9].reshape(3, 3), X[9:]))
            thing.computeAABB()
        else:
            thing.setTransform(self.lib.Transform(X[:9].reshape(3, 3), X[9:]))

    def _place(self, q: Any) -> None:
        frames = self.model.snapshot.robots[0].robot.frames(q)
        for place in self.moving:
            X = frames[self.model.bodies[place].link]
            self._put(place, np.concatenate([X[:3, :3].reshape(9), X[:3, 3]]))

    def touching(self, q: Any) -> bool:
        lib = self.lib
        self._place(q)
        for place in self.moving:
            if self.engine == "coal":
                callback = lib.CollisionCallBackDefault()
                self.manager.collide(self.objects[place], callback)
                if callback.data.result.isCollision():
                    return True
            else:
                data = lib.CollisionData()
                self.manager.collide(self.objects[place], data, lib.defaultCollisionCallback)
                if data.result.is_collision:
                    return True
        for a, b in self.pairs:
            request, result = lib.CollisionRequest(), lib.CollisionResult()
            lib.collide(self.objects[a], self.objects[b], request, result)
            if result.isCollision() if self.engine == "coal" else result.is_collision:
                return True
        return False

    def least(self, q: Any) -> float:
        lib = self.lib
        self._place(q)
        best = math.inf
        for place in self.moving:
            if self.engine == "coal":
                callback = lib.DistanceCallBackDefault()
                self.manager.distance(self.objects[place], callback)
                best = min(best, callback.data.result.min_distance)
            else:
                data = lib.DistanceData()
                self.manager.distance(self.objects[place], data, lib.defaultDistanceCallback)
                best = min(best, data.result.min_distance)
        for a, b in self.pairs:
            best = min(
                best, lib.distance(self.objects[a], self.objects[b], lib.DistanceRequest(), lib.DistanceResult())
            )
        return max(best, 0.0)


def peer(make: Callable[[], Any], name: str) -> Any:
    try:
        return make()
    except ImportError as error:
        missing(name, error)
        return None


# ---- the workloads ------------------------------------------------------------------------------------


def samples(model: CollisionModel, count: int, seed: int = 1) -> Any:
    limits = model.snapshot.robots[0].robot.limits
    return np.random.default_rng(seed).uniform(limits[:, 0], limits[:, 1], (count, len(limits)))


def one_and_many(model: CollisionModel, count: int, rounds: int) -> None:
    Q = samples(model, count)
    states = [model.snapshot.initial.with_joints("Arm", q) for q in Q]
    pin = Pin(model)
    coal = Managed(model, "coal")
    fcl = peer(lambda: Managed(model, "fcl"), "python-fcl")
    wanted = [pin.broad(q) for q in Q]
    ours = check_batch(model, {"Arm": Q}).touching
    single = [bool(check(model, state, first=True)) for state in states]
    print(
        f"{count} states, {np.mean(ours):.0%} touch; different from Pinocchio's broad phase: batch {int((ours != wanted).sum())}, single {int((np.array(single) != wanted).sum())}"
    )
    few = Q[: min(count, 1000)]
    scale = count / len(few)
    contenders: dict[str, Callable[[], object]] = {
        "ours, batch, 1 thread": lambda: check_batch(model, {"Arm": Q}),
        "ours, batch, 2 threads": lambda: check_batch(model, {"Arm": Q}, threads=2),
        "ours, one by one": lambda: [check(model, state, first=True) for state in states],
        "Pinocchio broad phase": lambda: [pin.broad(q) for q in Q],
    }
    times = interleaved(contenders, rounds)
    medians = {name: statistics.median(wall for wall, _ in values) for name, values in times.items()}
    bests = {name: min(alone for _, alone in values) for name, values in times.items() if "2 threads" not in name}
    rest: dict[str, Callable[[], object]] = {
        "Pinocchio plain pairs": lambda: [pin.plain(q) for q in few],
        "Coal manager": lambda: [coal.touching(q) for q in few],
    }
    if fcl:
        rest["python-fcl manager"] = lambda: [fcl.touching(q) for q in few]
    answers = {"Pinocchio plain pairs": pin.plain, "Coal manager": coal.touching}
    if fcl:
        answers["python-fcl manager"] = fcl.touching
    wrong = {
        name: float(np.mean([bool(ask(q)) for q in few] != np.array(wanted[: len(few)])))
        for name, ask in answers.items()
    }
    medians |= {name: t * scale for name, t in compare(rest, max(3, rounds // 2), quiet=True).items()}
    base = medians["Pinocchio broad phase"]
    print("Does anything touch, per state:")
    for name, t in medians.items():
        best = f"; {bests['Pinocchio broad phase'] / bests[name]:.2f}× in processor time" if name in bests else ""
        if name in wrong:
            best = f"; {wrong[name]:.1%} of the answers wrong"
        print(f"  {name:<28}{span(t / count):>12}   {base / t:6.2f}× the speed of Pinocchio's broad phase{best}")
    print(f"  two threads that only count run at {parallel():.2f}× the speed of one here (2 on an idle machine)")
    others(model, pin, Q[: min(count, 1000)])
    print()


def interleaved(contenders: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Return the time of the clock and the processor time of this thread, for every round of every contender."""
    for run in contenders.values():
        run()

    def both(run: Callable[[], object]) -> tuple[float, float]:
        start = time.thread_time()
        return timed(run), time.thread_time() - start

    rows = [[both(run) for run in contenders.values()] for _ in range(rounds)]
    return {name: [row[k] for row in rows] for k, name in enumerate(contenders)}


def parallel() -> float:
    """Return how much two independent threads gain on this machine now."""
    from concurrent.futures import ThreadPoolExecutor

    data = [bytes(1 << 24), bytes(1 << 24)]
    work = lambda block: [hashlib.sha256(block).digest() for _ in range(3)]
    with ThreadPoolExecutor(2) as pool:
        start = time.perf_counter()
        work(data[0])
        middle = time.perf_counter()
        list(pool.map(work, data))
        return 2.0 * (middle - start) / (time.perf_counter() - middle)


def others(model: CollisionModel, pin: Pin, Q: Any) -> None:
    """Run engines that need a Python of their own, each in a child between two runs of the same work by Pinocchio."""
    python = os.environ.get("WORKCELL_PEERS", sys.executable)
    arrangement = model.arrangement(model.snapshot.initial)
    poses = np.repeat(arrangement.still[None], len(Q), axis=0)
    for row, q in enumerate(Q):
        poses[row] = arrangement.placed(model.snapshot.initial.with_joints("Arm", q))
    given = {f"mesh{k}": body.tree.triangles for k, body in enumerate(model.bodies)}
    wanted = np.array([pin.broad(q) for q in Q])
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "cell.npz")
        np.savez(
            file, count=len(model.bodies), pairs=np.column_stack([arrangement.first, arrangement.second]),
            poses=poses[:, arrangement.frame], moving=arrangement.moving[0], **given,
        )  # fmt: skip
        for name in ("klampt", "pybullet", "mujoco"):
            before = timed(lambda: [pin.broad(q) for q in Q])
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "collision_peers.py")
            child = subprocess.run([python, script, name, file], capture_output=True, text=True, check=False)
            lines = child.stdout.strip().splitlines()
            found = (
                json.loads(lines[-1]) if child.returncode == 0 and lines else {"missing": child.stderr.strip()[-120:]}
            )
            if "missing" in found:
                missing(name, found["missing"])
                continue
            base = 0.5 * (before + timed(lambda: [pin.broad(q) for q in Q])) / len(Q)
            t, wrong = found["seconds"], float(np.mean(np.array(found["answers"]) != wanted))
            print(
                f"  {name:<28}{span(t):>12}   {base / t:6.2f}× the speed of Pinocchio's broad phase; {found['how']}, "
                f"{wrong:.1%} of the answers wrong"
            )


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def least(model: CollisionModel, count: int, rounds: int) -> None:
    Q = samples(model, 4 * count, 2)
    Q = Q[~check_batch(model, {"Arm": Q}).touching][:count]
    states = [model.snapshot.initial.with_joints("Arm", q) for q in Q]
    pin, coal = Pin(model), Managed(model, "coal")
    fcl = peer(lambda: Managed(model, "fcl"), "python-fcl")
    ours = np.array([clearance(model, state).distance for state in states])  # type: ignore[union-attr]
    worst = np.abs(ours - [coal.least(q) for q in Q]).max()
    print(f"{len(Q)} free states; greatest difference from the Coal manager: {worst:.2g} m")
    contenders: dict[str, Callable[[], object]] = {
        "ours": lambda: [clearance(model, state) for state in states],
        "Coal manager": lambda: [coal.least(q) for q in Q],
        "Coal pair by pair": lambda: [pin.least(q) for q in Q],
    }
    if fcl:
        print(f"  … and from python-fcl: {np.abs(ours - [fcl.least(q) for q in Q]).max():.2g} m")
        contenders["python-fcl manager"] = lambda: [fcl.least(q) for q in Q]
    medians = compare(contenders, rounds, quiet=True)
    print("Least distance, per state:")
    for name, t in medians.items():
        print(f"  {name:<28}{span(t / len(Q)):>12}   {t / medians['ours']:6.2f}× as long as ours")
    print()


def motions_at(model: CollisionModel, goal: float, count: int, seed: int) -> list[Trajectory]:
    """Random joint-linear motions of 1 rad whose least clearance is within 30 % of ``goal``."""
    rng = np.random.default_rng(seed)
    limits = model.snapshot.robots[0].robot.limits
    found: list[Trajectory] = []
    tried = 0
    while len(found) < count and tried < 4000:
        tried += 1
        q0 = rng.uniform(limits[:, 0], limits[:, 1])
        step = rng.uniform(-1, 1, len(q0))
        q1 = q0 + step / np.abs(step).max()
        if (q1 < limits[:, 0]).any() or (q1 > limits[:, 1]).any():
            continue
        motion = linear(q0, q1, 1.0)
        Q = motion.sample(np.linspace(0.0, motion.duration, 120))
        if check_batch(model, {"Arm": Q}).touching.any():
            continue
        near = clearance(model, model.snapshot.initial.with_joints("Arm", q0), within=1.0)
        if near is None or near.distance < goal * 0.7:
            continue
        proof = certify(model, {"Arm": motion})
        if isinstance(proof, Free) and 0.7 * goal <= proof.least <= 1.3 * goal:
            found.append(motion)
    return found


def whole_motions(model: CollisionModel, count: int, rounds: int) -> None:
    # Wrist links pass each other at 10 mm in every state, so links are left out on both sides.
    model = model.with_pairs(model.pairs.test_self("Arm", False))
    pin = Pin(model)
    for goal in (0.02, 0.005, 0.001):
        motions = motions_at(model, goal, count, 3)
        if not motions:
            print(f"no random motion with a clearance near {goal * 1e3:g} mm was found")
            continue
        proofs = [certify(model, {"Arm": motion}) for motion in motions]
        tight = [proof.bound / proof.least for proof in proofs if isinstance(proof, Free)]

        def sampled(motion: Trajectory) -> bool:
            Q = motion.sample(np.linspace(0.0, motion.duration, 1 + math.ceil(math.degrees(1.0) / 0.5)))
            return any(pin.broad(q) for q in Q)

        ours: list[list[float]] = [[] for _ in motions]
        loose: list[list[float]] = [[] for _ in motions]
        theirs: list[list[float]] = [[] for _ in motions]
        for _ in range(rounds):
            for k, motion in enumerate(motions):
                for run, into in (
                    (lambda m: certify(model, {"Arm": m}), ours),
                    (lambda m: certify(model, {"Arm": m}, tightness=0.0), loose),
                    (sampled, theirs),
                ):
                    start = time.thread_time()
                    run(motion)
                    into[k].append(time.thread_time() - start)
        a, c, b = (statistics.median(min(t) for t in times) for times in (ours, loose, theirs))
        print(
            f"certify, 1 rad, {goal * 1e3:g} mm ({len(motions)} motions): {span(a)} with a bound of {statistics.median(tight):.0%} of the "
            f"clearance, {span(c)} with any bound; sampling every 0.5° {span(b)}: {a / b:.2f}× and {c / b:.2f}× its time"
        )
    print()


def grown(
    model: CollisionModel, Q: Any, states: list[CellState], motions: list[Trajectory], rounds: int
) -> dict[str, float]:
    return compare(
        {
            "batch": lambda: check_batch(model, {"Arm": Q}),
            "clearance": lambda: [clearance(model, state) for state in states],
            "certify": lambda: [certify(model, {"Arm": motion}) for motion in motions],
        },
        rounds,
        quiet=True,
    )


def growth(sizes: tuple[int, ...], rounds: int, kind: str) -> list[tuple[int, float, float, float]]:
    """Place the same arm among more and more obstacles, spread so that the same number is within reach."""
    rows = []
    print("Growth with the number of obstacles (per state; certify per motion):")
    for size in sizes:
        model = cell(size, seed=5, spread=max(1.0, (size / 20) ** (1 / 3)), kind=kind)
        Q = samples(model, 1000, 4)
        states = [model.snapshot.initial.with_joints("Arm", q) for q in Q[:20]]
        free = Q[~check_batch(model, {"Arm": Q}).touching]
        motions = [linear(q, q + 0.1, 1.0) for q in free[:10]]
        medians = grown(model, Q, states, motions, rounds)
        row = (
            size,
            medians["batch"] / len(Q),
            medians["clearance"] / len(states),
            medians["certify"] / max(1, len(motions)),
        )
        rows.append(row)
        print(f"  {size:>5} obstacles: check {span(row[1]):>9}, clearance {span(row[2]):>9}, certify {span(row[3]):>9}")
    for name, column in (("check", 1), ("clearance", 2), ("certify", 3)):
        exponent = math.log(rows[-1][column] / rows[0][column]) / math.log(rows[-1][0] / rows[0][0])
        print(
            f"  {name} grows as n^{exponent:.2f}; n log n would be n^{math.log(sizes[-1] * math.log(sizes[-1]) / sizes[0] / math.log(sizes[0])) / math.log(sizes[-1] / sizes[0]):.2f}"
        )
    print()
    return rows


def plot(rows: list[tuple[int, float, float, float]], path: str) -> None:
    """Write the growth as a drawing with logarithmic axes."""
    width, height, left, low = 640, 400, 80, 50
    sizes = [row[0] for row in rows]
    times = [t for row in rows for t in row[1:]]
    x_of = lambda n: left + (width - left - 120) * math.log(n / sizes[0]) / math.log(sizes[-1] / sizes[0])
    bottom, top = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    y_of = lambda t: height - low - (height - low - 20) * (math.log10(t) - bottom) / (top - bottom)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">'
    ]
    parts.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for power in range(bottom, top + 1):
        y = y_of(10.0**power)
        parts.append(
            f'<path d="M{left} {y:.1f}H{width - 120}" stroke="#ddd"/><text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{span(10.0**power)}</text>'
        )
    for n in sizes:
        parts.append(f'<text x="{x_of(n):.1f}" y="{height - low + 18}" text-anchor="middle">{n}</text>')
    parts.append(f'<text x="{(left + width - 120) / 2}" y="{height - 10}" text-anchor="middle">obstacles</text>')
    for name, column, colour in (("check", 1, "#1b6ca8"), ("clearance", 2, "#c0392b"), ("certify", 3, "#27864f")):
        points = " ".join(f"{x_of(row[0]):.1f},{y_of(row[column]):.1f}" for row in rows)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{width - 112}" y="{y_of(rows[-1][column]) + 4:.1f}" fill="{colour}">{name}</text>')
        n0, t0 = rows[0][0], rows[0][column]
        line = " ".join(
            f"{x_of(n):.1f},{min(y_of(t0 * n * math.log(n) / n0 / math.log(n0)), height):.1f}"
            for n in sizes
            if t0 * n * math.log(n) / n0 / math.log(n0) <= 10.0**top
        )
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-dasharray="3 4" opacity="0.6"/>')
    parts.append(f'<text x="{left + 8}" y="16" fill="#666">dashed: n log n from the first point</text></svg>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--plot", default="")
    parser.add_argument("--only", default="check,distance,motion,growth")
    parser.add_argument("--robot", default=ROBOT)
    options = parser.parse_args()
    quick = options.quick
    model = cell(20, kind=options.robot)
    triangles = sum(len(body.tree.triangles) for body in model.bodies)
    print(
        f"{options.robot} and 20 obstacles, {triangles} triangles, {len(model.arrangement(model.snapshot.initial).first)} tested pairs\n"
    )
    if "check" in options.only:
        one_and_many(model, 1000 if quick else 5000, 3 if quick else 9)
    if "distance" in options.only:
        least(model, 20 if quick else 60, 3 if quick else 7)
    if "motion" in options.only:
        whole_motions(model, 5 if quick else 25, 3 if quick else 7)
    if "growth" in options.only:
        sizes = (20, 200, 2000) if quick else (20, 65, 200, 650, 2000)
        rows = growth(sizes, 3 if quick else 5, options.robot)
        if options.plot:
            plot(rows, options.plot)


if __name__ == "__main__":
    main()
