"""A quick test that finds no contact must never be wrong; the full test is the judge."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.simulation.events import CallbackFailed
from workcell.simulation.watching import METHODS, Watch

HOME = "0,0,-90,0,90,0"


@pytest.fixture(scope="module")
def snapshot():
    """Two arms with posts on the way of each, on both sides of where they start."""
    with wc.Cell() as cell:
        for name, far in (("A", 0), ("B", 1800)):
            cell.do(f"create robot {name} puma560 joints {HOME} at {far},0,0")
            for number, angle in enumerate((-1.2, 1.2)):
                place = f"{far + 600 * np.cos(angle):.1f},{600 * np.sin(angle):.1f},700"
                cell.do(f"add solid {name}post{number} cylinder 10 1400 at {place}")
        yield cell.snapshot()


class Judged(Watch):
    """A watch whose quick looks are judged by whole ones."""

    settled_ones = refused_ones = wrong_ones = 0

    def settled(self, plant, moves, names, until):
        """Settle, and look."""
        found = super().settled(plant, moves, names, until)
        if found:
            type(self).settled_ones += 1
            if self.settled_ones % 6 == 0:
                drives = list(moves.values())
                type(self).wrong_ones += self.look(plant, drives, max(one.final for one in drives)) is not None
        else:
            type(self).refused_ones += 1
        return found


@pytest.mark.parametrize("method", METHODS)
def test_what_a_quick_look_settles_touches_nothing(snapshot, method):
    rng = np.random.default_rng(4)
    Judged.settled_ones = Judged.refused_ones = Judged.wrong_ones = 0
    sim = wc.Simulator(snapshot)
    sim.watch = Judged(snapshot, method=method)

    def swing(sim):
        for name, pace in (("A", 0.9), ("B", -1.3)):
            goal = snapshot.initial.joints[name] + rng.normal(0.0, 0.002, 6)
            goal[0] += np.sin(pace * sim.time)
            sim.robot(name).track(goal)

    sim.every(0.01, swing)
    sim.wait(3.0)
    assert not [event for event in sim.recording.events if isinstance(event, CallbackFailed)]
    assert Judged.wrong_ones == 0
    assert Judged.settled_ones > 50
    assert Judged.refused_ones > 5
