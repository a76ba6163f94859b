"""Readers beside the cell thread: each sees the cell, the state and the recording of the moment it began."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import workcell as wc
from workcell.errors import Refused


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        cell.do("create robot A puma560 joints 0,0,-90,0,90,0")
        cell.do("add solid post box 60 60 2000 at 900,900,1000")
        cell.do("move-joints-relative A 10,0,0,0,0,0")
        yield cell


def test_a_reader_never_has_the_live_simulator(cell):
    live = cell.session.simulator
    reader = cell.session.beside()
    assert reader.simulator is not live
    assert reader.recording is not live.recording
    assert reader.simulator is reader.simulator
    assert reader.simulator.state == live.state


def test_a_reader_sees_the_moment_at_which_it_began(cell):
    reader = cell.session.beside()
    snapshot, state, time = reader.snapshot(), reader.state, reader.simulator_time
    moves, end = len(reader.recording.moves), reader.recording.duration
    cell.do("move-joints-relative A 10,0,0,0,0,0")
    cell.do("modify object:post name pole")
    assert reader.snapshot() is snapshot
    assert reader.state == state == reader.simulator.state
    assert reader.simulator_time == time
    assert (len(reader.recording.moves), reader.recording.duration) == (moves, end)
    assert len(cell.session.recording.moves) == moves + 1
    assert {body.name for body in cell.snapshot().bodies} != {body.name for body in snapshot.bodies}


def test_what_a_reader_does_to_its_simulator_stays_with_it(cell):
    reader, before = cell.session.beside(), cell.session.simulator.state
    reader.simulator.robot("A").move_joints_relative(np.radians([5, 0, 0, 0, 0, 0]))
    assert cell.session.simulator.state == before
    assert len(cell.session.recording.moves) == 1
    assert cell.state == before


@pytest.mark.parametrize("line", ["move-joints-relative A 1,0,0,0,0,0", "place post at 0,0,0", "undo"])
def test_a_reader_only_reads(cell, line):
    reader, rows = cell.session.beside(), cell.database.rows()
    with pytest.raises(Refused, match="only reads"):
        reader.do(line)
    assert cell.database.rows() == rows


def test_a_reader_before_anything_moved_sees_the_initial_state():
    with wc.Cell() as cell:
        cell.do("create robot A puma560")
        reader = cell.session.beside()
        cell.do("move-joints-relative A 10,0,0,0,0,0")
        assert reader.recording.empty
        assert reader.state == reader.snapshot().initial


def test_readers_in_threads_agree_with_themselves_while_the_cell_goes_on(cell):
    wrong: list[str] = []
    stop = threading.Event()

    def read(reader):
        state, duration = reader.state, reader.recording.duration
        joints = reader.recording.state_at(duration).joints["A"]
        while True:
            if reader.state != state or reader.simulator.state != state:
                wrong.append("the state changed")
            if reader.recording.duration != duration:
                wrong.append("the recording grew")
            if not np.array_equal(reader.recording.state_at(duration).joints["A"], joints):
                wrong.append("what was recorded changed")
            if not np.array_equal(joints, state.joints["A"]):
                wrong.append("the recording does not end at the state")
            reader.do("contacts")
            if stop.is_set():
                return

    threads = []
    for number in range(6):
        reader = cell.session.beside()
        threads.append(threading.Thread(target=read, args=(reader,)))
        threads[-1].start()
        cell.do(f"move-joints-relative A {number + 1},0,0,0,0,0")
        cell.do(f"place post at 900,900,{1000 + number}")
    stop.set()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert not wrong
