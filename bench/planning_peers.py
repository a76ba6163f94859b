"""Other planners on the scenes of the planning benchmark: OMPL and klampt, both with Pinocchio and Coal underneath.

Each one is asked for waypoints from a start to a goal. An edge counts as free when its configurations 0.02 rad apart are; nothing
is proved, shortened, rounded or timed.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import workcell as wc
from workcell.collision._coal import geometry
from workcell.collision.bodies import CollisionModel
from workcell.spatial.pose import Pose

STEP = 0.02
"""How far apart the configurations of an edge are [rad]."""
SLICE = 0.05
"""How long OMPL searches between two looks at the processor time that it used [s]."""


class Scene:
    """Pinocchio's model of the arm, and Coal's of everything that it may touch: the same meshes and pairs as ours."""

    def __init__(self, model: CollisionModel, state: wc.CellState) -> None:
        import pinocchio as pin

        self.pin = pin
        robot = model.snapshot.robots[0].robot
        self.limits = np.clip(robot.limits, -2.0 * np.pi, 2.0 * np.pi)
        self.arm = pin.Model()
        joint, tail = 0, robot.chain.X_base_0.matrix
        for row in robot.chain.rows:
            start = Pose.from_xyz(0, 0, row.d) @ Pose.from_axis_angle((0, 0, 1), row.theta)
            joint = self.arm.addJoint(joint, pin.JointModelRZ(), pin.SE3(tail @ start.matrix), f"j{joint}")
            tail = (Pose.from_xyz(row.a, 0, 0) @ Pose.from_axis_angle((1, 0, 0), row.alpha)).matrix
        self.data = self.arm.createData()
        arrangement = model.arrangement(state)
        _, kind, column, _, _ = arrangement.frames
        poses = arrangement.placed(state)
        pin.forwardKinematics(self.arm, self.data, state.joints["Arm"])
        self.geometry = pin.GeometryModel()
        for place, body in enumerate(model.bodies):
            frame = int(arrangement.frame[place])
            X = np.eye(4)
            X[:3, :3], X[:3, 3] = poses[frame, :9].reshape(3, 3), poses[frame, 9:]
            while frame >= 0 and kind[frame] == 0:
                frame = int(arrangement.parent[frame])
            parent = 0 if frame < 0 else int(column[frame]) + 1
            local = self.data.oMi[parent].inverse() * pin.SE3(X)
            self.geometry.addGeometryObject(pin.GeometryObject(body.name, parent, local, geometry(body.tree)))
        for a, b in zip(arrangement.first, arrangement.second, strict=True):
            self.geometry.addCollisionPair(pin.CollisionPair(int(a), int(b)))
        self.geometry_data = pin.GeometryData(self.geometry)
        self.manager = pin.BroadPhaseManager_DynamicAABBTreeCollisionManager(
            self.arm, self.geometry, self.geometry_data
        )

    def free(self, q: np.ndarray) -> bool:
        return not self.pin.computeCollisions(self.arm, self.data, self.manager, q, True)


class Ompl:
    """RRT-Connect of OMPL."""

    name = "OMPL RRTConnect"

    def __init__(self, scene: Scene) -> None:
        from ompl import base, geometric, util

        util.setLogLevel(util.LOG_NONE)
        self.base, self.geometric, self.util, self.scene = base, geometric, util, scene
        n = len(scene.limits)
        self.space = base.RealVectorStateSpace(n)
        bounds = base.RealVectorBounds(n)
        for j, (low, high) in enumerate(scene.limits.tolist()):
            bounds.setLow(j, low)
            bounds.setHigh(j, high)
        self.space.setBounds(bounds)

    def _state(self, q: np.ndarray) -> Any:
        state = self.space.allocState()
        for j, value in enumerate(q.tolist()):
            state[j] = value
        return state

    def path(self, start: np.ndarray, goal: np.ndarray, seed: int, budget: float) -> np.ndarray | None:
        base, n = self.base, len(start)
        self.util.RNG.setSeed(seed + 1)
        information = base.SpaceInformation(self.space)
        information.setStateValidityChecker(lambda state: self.scene.free(np.array([state[j] for j in range(n)])))
        information.setStateValidityCheckingResolution(STEP / self.space.getMaximumExtent())
        information.setup()
        definition = base.ProblemDefinition(information)
        definition.setStartAndGoalStates(self._state(start), self._state(goal))
        planner = self.geometric.RRTConnect(information)
        planner.setProblemDefinition(definition)
        planner.setup()
        begun = time.thread_time()
        while not definition.hasExactSolution() and time.thread_time() - begun < budget:
            planner.solve(base.timedPlannerTerminationCondition(SLICE))
        if not definition.hasExactSolution():
            return None
        return np.array([[s[j] for j in range(n)] for s in definition.getSolutionPath().getStates()])


class Klampt:
    """SBL of klampt."""

    name = "klampt SBL"

    def __init__(self, scene: Scene) -> None:
        from klampt.plan import cspace

        self.cspace = cspace
        self.space = cspace.CSpace()
        self.space.eps = STEP
        self.space.bound = scene.limits.tolist()
        self.space.feasible = lambda q: scene.free(np.array(q))

    def path(self, start: np.ndarray, goal: np.ndarray, seed: int, budget: float) -> np.ndarray | None:
        from klampt.plan import motionplanning

        motionplanning.set_random_seed(seed)
        plan = self.cspace.MotionPlan(self.space, type="sbl", perturbationRadius=0.5, randomizeFrequency=50, shortcut=0)
        try:
            plan.setEndpoints(start.tolist(), goal.tolist())
            begun, found = time.thread_time(), None
            while found is None and time.thread_time() - begun < budget:
                plan.planMore(10)
                found = plan.getPath()
            return None if found is None else np.array(found)
        finally:
            plan.close()


PEERS = (Ompl, Klampt)
