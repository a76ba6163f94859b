"""Kinematics beside its peers: forward and inverse, single and in batches, all branches, and their accuracy.

Contenders are interleaved; ratios are to ours, above 1 is slower. `--long` adds ssik's general 6R, whose
preparation takes a minute and a half, and larger samples.
"""

from __future__ import annotations

import logging
import math
import sys
import warnings
from typing import Any

import numpy as np

from harness import compare, missing
from workcell.kinematics import forward
from workcell.kinematics._pinocchio import model_of
from workcell.kinematics.dh import Chain
from workcell.kinematics.inverse import ik, ik_batch
from workcell.kinematics.jacobian import jacobian
from workcell.kinematics.numeric import solve_numeric
from workcell.spatial.pose import Pose

logging.disable(logging.WARNING)
warnings.simplefilter("ignore")
LONG = "--long" in sys.argv
HALF = math.pi / 2
ARMS = {
    "IRB 6400": [(0, 0.9, 0.188, -HALF), (0, 0, -0.95, 0), (0, 0, -0.225, HALF), (0, 1.3, 0, -HALF), (0, 0, 0, HALF),
                 (0, 0.2, 0, 0)],
    "Puma 560": [(0, 0, 0, HALF), (0, 0, 0.4318, 0), (0, 0.15005, 0.0203, -HALF), (0, 0.4318, 0, HALF),
                 (0, 0, 0, -HALF), (0, 0, 0, 0)],
    "UR10": [(0, 0.1273, 0, HALF), (0, 0, -0.612, 0), (0, 0, -0.5723, 0), (0, 0.163941, 0, HALF),
             (0, 0.1157, 0, -HALF), (0, 0.0922, 0, 0)],
}  # fmt: skip
OPW = {  # the same arms in that library's own parameters
    "IRB 6400": {"a1": 0.188, "a2": -0.225, "b": 0.0, "c1": 0.9, "c2": 0.95, "c3": 1.3, "c4": 0.2},
    "Puma 560": {"a1": 0.0, "a2": -0.0203, "b": 0.15005, "c1": 0.0, "c2": 0.4318, "c3": 0.4318, "c4": 0.0},
}
PANDA = [
    (0, 0.333, 0, 0), (0, 0, 0, -HALF), (0, 0.316, 0, HALF), (0, 0, 0.0825, HALF), (0, 0.384, -0.0825, -HALF),
    (0, 0, 0, HALF), (0, 0, 0.088, HALF),
]  # fmt: skip
PANDA_LIMITS = [
    (-2.8973, 2.8973), (-1.7628, 1.7628), (-2.8973, 2.8973), (-3.0718, -0.0698), (-2.8973, 2.8973), (-0.0175, 3.7525),
    (-2.8973, 2.8973),
]  # fmt: skip


def peer(module: str) -> Any | None:
    try:
        return __import__(module, fromlist=["x"])
    except ImportError as error:
        missing(module, error)
        return None


eaik = peer("eaik.IK_DH")
opw = peer("py_opw_kinematics")
rtb = peer("roboticstoolbox")
ssik = peer("ssik")


def numpy_forward(chain: Chain, Q: np.ndarray) -> np.ndarray:
    """Compute forward kinematics as a simple NumPy program would: batched matrix products."""
    total = np.broadcast_to(np.eye(4), (len(Q), 4, 4))
    for (theta, d, a, alpha), q in zip(chain.table, Q.T, strict=True):
        c, s, ca, sa = np.cos(q + theta), np.sin(q + theta), math.cos(alpha), math.sin(alpha)
        m = np.zeros((len(Q), 4, 4))
        m[:, 0, 0], m[:, 0, 1], m[:, 0, 2], m[:, 0, 3] = c, -s * ca, s * sa, a * c
        m[:, 1, 0], m[:, 1, 1], m[:, 1, 2], m[:, 1, 3] = s, c * ca, -c * sa, a * s
        m[:, 2, 1], m[:, 2, 2], m[:, 2, 3], m[:, 3, 3] = sa, ca, d, 1.0
        total = total @ m
    return total


def show(name: str, ratio: float, wanted: float, more: bool = True) -> None:
    good = ratio >= wanted if more else ratio <= wanted
    print(f"  {name:<66}{ratio:8.2f}× (wanted {'≥' if more else '≤'} {wanted:g}×){'' if good else '   MISSED'}")


def forward_batches() -> None:
    chain = Chain(ARMS["Puma 560"])
    n = 100_000
    Q = np.random.default_rng(1).uniform(-3, 3, (n, 6))
    few = Q[:10_000]
    model = model_of(chain)

    def loop() -> None:
        for q in few:
            model.tool(q)

    def bare_loop() -> None:
        import pinocchio

        inner, data = model._model, model._data()
        for q in few:
            pinocchio.forwardKinematics(inner, data, q)

    runs: dict[str, Any] = {
        "ours, tool poses": lambda: forward.tool_batch(chain, Q),
        "ours, all link frames": lambda: forward.frames_batch(chain, Q),
        "NumPy matrices": lambda: numpy_forward(chain, Q),
        "Pinocchio loop, tool pose read (10k)": loop,
        "Pinocchio loop, nothing read (10k)": bare_loop,
    }
    if rtb:
        ets = rtb.DHRobot([rtb.RevoluteDH(d=r.d, a=r.a, alpha=r.alpha) for r in chain.rows]).ets()
        runs["roboticstoolbox ETS"] = lambda: ets.eval(Q)
    medians = compare(runs, rounds=9, title=f"Forward kinematics, {n} joint vectors, one thread")
    ours = medians["ours, tool poses"]
    show("Pinocchio loop / ours, a pose", 10 * medians["Pinocchio loop, tool pose read (10k)"] / ours, 8)
    show(
        "Pinocchio loop that reads nothing / ours, a pose", 10 * medians["Pinocchio loop, nothing read (10k)"] / ours, 8
    )
    print()


def truth(chain: Chain, poses: np.ndarray, answers: list[np.ndarray], Q: np.ndarray | None = None) -> str:
    """Describe how many solutions reach their pose to 1e-6, and how often the generating joints are among them."""
    good = total = found = 0
    for k, (pose, answer) in enumerate(zip(poses, answers, strict=True)):
        answer = np.asarray(answer, dtype=float).reshape(-1, 6)
        answer = answer[np.isfinite(answer).all(axis=1)]
        total += len(answer)
        if len(answer):
            fine = np.abs(forward.tool_batch(chain, answer) - pose).max(axis=(1, 2)) < 1e-6
            good += int(fine.sum())
            if Q is not None:
                gap = np.abs((answer[fine] - Q[k] + math.pi) % (2 * math.pi) - math.pi)
                # As exact as a pose rounded to 1e-14 allows where several singularities meet.
                least = np.linalg.svd(jacobian(chain, Q[k]), compute_uv=False)[-1]
                found += bool(fine.any() and gap.max(axis=1).min() < min(0.1, max(1e-6, 1e-14 / least)))
    text = f"{total / len(poses):.2f} solutions per pose, {100 * good / max(total, 1):.2f} % of them true"
    return text + (f", generating joints found {100 * found / len(poses):.2f} %" if Q is not None else "")


def inverse_batches() -> None:
    for name, rows in ARMS.items():
        chain = Chain(rows)
        n = 20_000
        Q = np.random.default_rng(2).uniform(-math.pi, math.pi, (n, 6))
        poses = forward.tool_batch(chain, Q)
        runs: dict[str, Any] = {
            "ours, 1 thread": lambda c=chain, p=poses: ik_batch(c, p, threads=1),
            "ours, 2 threads": lambda c=chain, p=poses: ik_batch(c, p, threads=2),
        }
        if eaik:
            t = chain.table
            robot = eaik.DhRobot(t[:, 3], t[:, 2], t[:, 1])
            runs["EAIK batch, 1 thread"] = lambda r=robot, p=poses: r.IK_batched(p, 1)
            runs["EAIK batch, 2 threads"] = lambda r=robot, p=poses: r.IK_batched(p, 2)
        if opw and name in OPW:
            from scipy.spatial.transform import RigidTransform

            theirs = opw.Robot(opw.KinematicModel(**OPW[name]), degrees=False)
            frames = theirs.batch_forward(Q)
            assert isinstance(frames, RigidTransform)
            runs["py-opw batch_inverse (one branch)"] = lambda r=theirs, f=frames: r.batch_inverse(f)
            runs["py-opw reach (all branches), 1 thread"] = lambda r=theirs, f=frames: r.reach(f)
            runs["py-opw reach (all branches), 2 threads"] = lambda r=theirs, f=frames: r.reach(f, threads=2)
        medians = compare(runs, rounds=9, title=f"Inverse kinematics of {name}, {n} poses, all branches")
        one, two = medians["ours, 1 thread"], medians["ours, 2 threads"]
        print(f"  ours: {1e6 * one / n:.3f} µs per pose on one thread, {1e6 * two / n:.3f} µs on two")
        if eaik:
            show("EAIK batch / ours, one thread to one", medians["EAIK batch, 1 thread"] / one, 5)
            show("EAIK batch / ours, two to two", medians["EAIK batch, 2 threads"] / two, 6)
        if opw and name in OPW:
            show("py-opw batch_inverse / ours on one thread", medians["py-opw batch_inverse (one branch)"] / one, 10)
            show("py-opw batch_inverse / ours on two", medians["py-opw batch_inverse (one branch)"] / two, 10)
            show("py-opw reach / ours, one thread to one", medians["py-opw reach (all branches), 1 thread"] / one, 1)
            show("py-opw reach / ours, two to two", medians["py-opw reach (all branches), 2 threads"] / two, 1)
        few = slice(0, 5000 if LONG else 1000)
        values, _ = ik_batch(chain, poses[few])
        print(f"  ours: {truth(chain, poses[few], list(values), Q[few])}")
        if eaik:
            answers = [s.Q for s in robot.IK_batched(poses[few], 2)]
            print(f"  EAIK: {truth(chain, poses[few], answers, Q[few])}")
        print()


def inverse_single() -> None:
    for name, rows in ARMS.items():
        chain = Chain(rows)
        poses = [Pose(m) for m in forward.tool_batch(chain, np.random.default_rng(3).uniform(-3, 3, (2000, 6)))]
        matrices = [np.array(p.matrix) for p in poses]

        def call(c: Chain = chain, p: list[Pose] = poses) -> None:
            for pose in p:
                ik(c, pose)

        limits = np.tile([-2.8, 5.0], (6, 1))
        limits.flags.writeable = False

        def limited(c: Chain = chain, p: list[Pose] = poses, lim: np.ndarray = limits) -> None:
            for pose in p:
                for solution in ik(c, pose, lim):
                    (solution.q, solution.within_limits)  # noqa: B018

        def touch(c: Chain = chain, p: list[Pose] = poses) -> None:
            for pose in p:
                for solution in ik(c, pose):
                    solution.q  # noqa: B018

        def look(c: Chain = chain, p: list[Pose] = poses) -> None:
            for pose in p:
                for solution in ik(c, pose):
                    (solution.q, solution.label, solution.words, solution.index)  # noqa: B018

        runs: dict[str, Any] = {
            "ours, the call": call,
            "ours, joint values of all touched": touch,
            "ours, values and limits of all": limited,
            "ours, values, labels, words of all": look,
        }
        if eaik:
            t = chain.table
            robot = eaik.DhRobot(t[:, 3], t[:, 2], t[:, 1])
            runs["EAIK, the call"] = lambda r=robot, m=matrices: [r.IK(x) for x in m]
            runs["EAIK, joint values touched"] = lambda r=robot, m=matrices: [r.IK(x).Q for x in m]
        medians = compare(runs, rounds=9, title=f"One pose of {name} at a time, 2000 poses")
        for key in runs:
            print(f"  {key}: {1e6 * medians[key] / 2000:.2f} µs per pose")
        if eaik:
            show("our call / EAIK's call", medians["ours, the call"] / medians["EAIK, the call"], 1.5, more=False)
        show("touching all / 30 µs", medians["ours, joint values of all touched"] / 2000 / 30e-6, 1.0, more=False)
        show(
            "touching all with limits / 30 µs",
            medians["ours, values and limits of all"] / 2000 / 30e-6,
            1.0,
            more=False,
        )
        print()


def near_singular() -> None:
    print("Near-singular poses: valid answers and generating joints found")
    for name, rows in ARMS.items():
        chain = Chain(rows)
        Q = np.random.default_rng(4).uniform(-math.pi, math.pi, (1000, 6))
        Q[:, 4] = 1e-7
        poses = forward.tool_batch(chain, Q)
        values, _ = ik_batch(chain, poses)
        print(f"  {name}, q5 = 1e-7, ours: {truth(chain, poses, list(values), Q)}")
        if eaik:
            t = chain.table
            answers = [s.Q for s in eaik.DhRobot(t[:, 3], t[:, 2], t[:, 1]).IK_batched(poses, 2)]
            print(f"  {name}, q5 = 1e-7, EAIK: {truth(chain, poses, answers, Q)}")
    print()


def numeric() -> None:
    general = Chain(np.random.default_rng(1).normal(size=(6, 4)).tolist())
    cases = {
        "UR10": (Chain(ARMS["UR10"]), np.array([(-2 * math.pi, 2 * math.pi)] * 6)),
        "Panda": (
            Chain.from_modified(PANDA, X_n_tool=Pose.from_xyz(0, 0, 0.107)),
            np.array(PANDA_LIMITS),
        ),
        "general 6R": (general, np.array([(-2.5, 2.5)] * 6)),
    }
    for name, (chain, limits) in cases.items():
        count = 2000 if LONG else 400
        Q = np.random.default_rng(5).uniform(limits[:, 0], limits[:, 1], (count, chain.n))
        poses = [Pose(m) for m in forward.tool_batch(chain, Q)]
        times: dict[str, list[float]] = {"ours": []}
        solved = {"ours": 0}
        claimed = {"ours": 0}
        ets = None
        if rtb:
            links = [
                rtb.RevoluteDH(d=r.d, a=r.a, alpha=r.alpha, offset=r.theta, qlim=limit)
                for r, limit in zip(chain.rows, limits, strict=True)
            ]
            tool = chain.X_n_tool.matrix
            ets = rtb.DHRobot(links, tool=tool, base=chain.X_base_0.matrix).ets()
            times["roboticstoolbox LM, tol 1e-13"] = []
            solved["roboticstoolbox LM, tol 1e-13"] = claimed["roboticstoolbox LM, tol 1e-13"] = 0
        from time import perf_counter

        solve_numeric(chain, poses[0], limits)
        for pose in poses:
            start = perf_counter()
            result = solve_numeric(chain, pose, limits)
            times["ours"].append(perf_counter() - start)
            claimed["ours"] += result.converged
            solved["ours"] += result.converged and forward.tool_pose(chain, result.q).is_close(pose, 1e-9, 1e-9)
            if ets is not None:
                key = "roboticstoolbox LM, tol 1e-13"
                matrix = pose.matrix
                start = perf_counter()
                answer = ets.ik_LM(matrix, tol=1e-13, joint_limits=True)
                times[key].append(perf_counter() - start)
                claimed[key] += bool(answer.success)
                solved[key] += bool(answer.success) and forward.tool_pose(chain, answer.q).is_close(pose, 1e-6, 1e-6)
        print(f"Numeric inverse kinematics of {name} within limits, {count} poses")
        for key, values in times.items():
            print(
                f"  {key:<34} median {1e6 * np.median(values):8.1f} µs   mean {1e6 * np.mean(values):8.1f} µs   "
                f"claimed {100 * claimed[key] / count:.2f} %   true {100 * solved[key] / count:.2f} %"
            )
        if ets is not None:
            key = "roboticstoolbox LM, tol 1e-13"
            show("ours / roboticstoolbox, medians", np.median(times["ours"]) / np.median(times[key]), 1.5, more=False)
        print()


def general() -> None:
    from time import perf_counter

    rng = np.random.default_rng(6)
    chain = Chain([(0.0, *rng.uniform(-1, 1, 3)) for _ in range(6)])
    Q = rng.uniform(-math.pi, math.pi, (100, 6))
    poses = forward.tool_batch(chain, Q)
    start = perf_counter()
    ik(chain, Pose(poses[0]))
    prepared = perf_counter() - start
    runs: dict[str, Any] = {"ours": lambda: [ik(chain, Pose(p)) for p in poses]}
    if ssik and LONG:
        t = chain.table
        arm = ssik.Manipulator.from_dh(t[:, 3], t[:, 2], t[:, 1])
        start = perf_counter()
        arm.prepare()
        print(f"  ssik: prepared in {perf_counter() - start:.1f} s")
        runs["ssik"] = lambda: [arm.solve(p, respect_limits=False) for p in poses]
    medians = compare(runs, rounds=5, title="A general 6R arm, 100 poses, all solutions")
    print(
        f"  ours: first answer after {1e3 * prepared:.1f} ms, then {10 * medians['ours']:.3f} ms per pose (wanted < 3)"
    )
    values, _ = ik_batch(chain, poses)
    print(f"  ours: {truth(chain, poses, list(values), Q)}")
    print()


if __name__ == "__main__":
    forward_batches()
    inverse_batches()
    inverse_single()
    near_singular()
    numeric()
    general()
