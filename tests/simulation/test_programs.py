"""Programs in parallel: one clock, and signals between them."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import InvalidValue, JointLimit, Refused, UnknownName
from workcell.simulation.programs import Seen, run
from workcell.simulation.recording import Recording
from workcell.spatial.pose import Pose

WAIST = np.array([1.0, 0, 0, 0, 0, 0])


@pytest.fixture
def sim():
    with wc.Cell() as cell:
        cell.do("default-profile linear")
        cell.add_robot("puma560", name="A")
        cell.add_robot("puma560", name="B", at=Pose.from_xyz(0.0, 2.0, 0.0))
        for name in ("ready", "done"):
            cell.do(f"create signal {name}")
        simulator = wc.Simulator(cell)
        for name in "AB":
            simulator.robot(name).speed(0.5)
        yield simulator


def test_a_signal_lets_the_other_go_on_while_the_first_moves(sim):
    def feed(sim):
        yield sim.robot("A").move_joints_relative(0.5 * WAIST)
        sim.set_signal("ready", 1)
        yield sim.robot("A").move_joints_relative(-0.25 * WAIST)
        yield Seen("done")

    def take(sim):
        yield 0.25
        yield Seen("ready")
        assert sim.time == pytest.approx(1.0)
        yield sim.robot("B").move_joints_relative(1.0 * WAIST)
        sim.set_signal("done", 1)

    ended = run(sim, {"feed": feed, "take": take})
    assert ended == {"take": pytest.approx(3.0), "feed": pytest.approx(3.0)}
    recording = Recording.from_bytes(sim.recording.to_bytes())
    both = recording.state_at(1.25)
    assert both.joints["A"][0] == pytest.approx(0.375)
    assert both.joints["B"][0] == pytest.approx(0.125)
    assert recording.state_at(1.0).signals["ready"] == 1.0
    assert recording.state_at(0.99).signals["ready"] == 0.0
    assert recording.state_at(3.0) == sim.state
    sim.robot("A").move_joints_relative(0.1 * WAIST)


def test_programs_that_wait_for_each_other_are_refused(sim):
    def waits(signal):
        def program(sim):
            yield Seen(signal)

        return program

    with pytest.raises(Refused, match=r"The run cannot continue: .* \(one for ready = 1; two for done = 1\)"):
        run(sim, {"one": waits("ready"), "two": waits("done")})
    with pytest.raises(UnknownName, match="no signal called 'reedy'"):
        run(sim, {"one": waits("reedy")})


@pytest.mark.parametrize(
    ("step", "error", "words"),
    [
        (
            lambda sim: sim.robot("A").move_joints_relative(0.1 * WAIST),
            Refused,
            "two moves at once; it moves until 1.0",
        ),
        (lambda sim: sim.robot("B").move_joints_relative(9.0 * WAIST), JointLimit, "Joint 1"),
        (lambda sim: sim.wait(1.0), Refused, "yield 1"),
        (lambda _: -1.0, InvalidValue, "zero to"),
        (lambda _: "soon", InvalidValue, "yields 'soon'"),
    ],
)
def test_a_refused_program_leaves_a_state_that_is_whole(sim, step, error, words):
    def moves(sim):
        yield sim.robot("A").move_joints_relative(0.5 * WAIST)

    def wrong(sim):
        yield 0.5
        yield step(sim)

    with pytest.raises(error, match=words):
        run(sim, {"moves": moves, "wrong": wrong})
    # The move that had begun is finished, and recording and state agree.
    assert sim.time == pytest.approx(1.0)
    assert sim.state.joints["A"][0] == pytest.approx(0.5)
    assert sim.recording.state_at(sim.time) == sim.state
    sim.wait(1.0)
