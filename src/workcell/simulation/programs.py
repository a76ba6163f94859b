"""Programs of several robots in parallel on one clock, with signals between them, written in Python.

A program is a generator. It commands its robots and yields what it waits for: the duration that a move returned, any
number of seconds, a :class:`Seen` signal, or its turn in a shared zone (:class:`Enter`, :class:`Leave`). Between two
yields no time passes. ::

    def feed(sim):
        yield sim.robot("A").move_joints_relative([0.3, 0, 0, 0, 0, 0])
        sim.set_signal("ready", 1)

    def take(sim):
        yield Seen("ready")
        yield sim.robot("B").move_joints_relative([0.3, 0, 0, 0, 0, 0])

    run(sim, {"feed": feed, "take": take})

If a motion that a program waits for is stopped before a contact, the error is raised at its ``yield``.
"""

from __future__ import annotations

from collections.abc import Mapping

from workcell.simulation.interpreter import Run
from workcell.simulation.routines import Enter, Leave, Routine, Seen
from workcell.simulation.routines import Function as Program
from workcell.simulation.simulator import Simulator

__all__ = ["Enter", "Leave", "Program", "Seen", "run"]


def run(simulator: Simulator, programs: Mapping[str, Program]) -> dict[str, float]:
    """Run programs in parallel; return when each of them ended [s].

    At one instant, programs continue in the order given. If something is refused to a program, the others stop
    commanding, moves that have begun are finished, and the error is raised.

    Raises:
        Refused: every remaining program waits for a signal that nothing sets.
        Deadlock: programs wait for each other's zones; raised at the ``yield`` that closes the ring.
    """
    done = Run(simulator, [Routine(name, program) for name, program in programs.items()])
    done.go()
    return done.ended
