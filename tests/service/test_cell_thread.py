"""The cell thread: its clients take turns, and what takes a moment need not wait for it."""

from __future__ import annotations

import threading
import types
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workcell.errors import ServiceError
from workcell.service.cell_thread import CellThread, Turns
from workcell.service.quick_reads import CHANGED, LONGEST, MOMENT, MOST, QuickReads

SESSION = types.SimpleNamespace(gate=nullcontext())


@contextmanager
def running() -> Iterator[CellThread]:
    thread = CellThread(lambda: nullcontext(SESSION))
    thread.start()
    try:
        yield thread
    finally:
        assert thread.stop(5.0)


@given(st.lists(st.integers(0, 3), max_size=40))
def test_owners_take_turns_and_keep_their_order(owners: list[int]) -> None:
    turns, given_work = Turns(), [(owner, number) for number, owner in enumerate(owners)]
    for one in given_work:
        turns.put(one[0], one)
    taken = [turns.take() for _ in given_work]
    assert not turns
    for owner in set(owners):
        assert [one for one in taken if one[0] == owner] == [one for one in given_work if one[0] == owner]
    # Nobody is served a second time in a row while another one waits.
    for place, (before, after) in enumerate(pairwise(taken)):
        assert before[0] != after[0] or all(one[0] == after[0] for one in taken[place + 1 :])


def test_one_client_with_much_work_does_not_hold_up_another() -> None:
    done: list[str] = []
    gate = threading.Event()
    with running() as thread:
        thread.submit(lambda _: gate.wait(), "greedy")
        for _ in range(100):
            thread.submit(lambda _: done.append("greedy"), "greedy")
        other = thread.submit(lambda _: done.append("other"), "other")
        gate.set()
        other.result(5.0)
    assert done.index("other") <= 1


def test_a_moment_is_done_in_the_thread_of_the_caller_unless_the_session_is_in_use() -> None:
    gate, begun = threading.Event(), threading.Event()
    with running() as thread:
        thread.submit(lambda _: None).result(5.0)
        settled = thread.at_once(lambda session: (session, threading.current_thread()))
        assert settled is not None
        assert settled.result() == (SESSION, threading.current_thread())
        failed = thread.at_once(lambda _: 1 / 0)
        assert failed is not None
        with pytest.raises(ZeroDivisionError):
            failed.result()
        waiting = thread.submit(lambda _: (begun.set(), gate.wait()))
        begun.wait(5.0)
        assert thread.at_once(lambda _: "never") is None
        gate.set()
        waiting.result(5.0)
    assert thread.at_once(lambda _: "never") is None


def test_what_was_cancelled_or_comes_too_late_is_not_done() -> None:
    done: list[str] = []
    gate = threading.Event()
    with running() as thread:
        thread.submit(lambda _: gate.wait())
        cancelled = thread.submit(lambda _: done.append("cancelled"))
        assert cancelled.cancel()
        gate.set()
        thread.submit(lambda _: done.append("last")).result(5.0)
    assert done == ["last"]
    with pytest.raises(ServiceError, match="shutting down"):
        thread.submit(lambda _: None).result(5.0)


def test_quick_lines_are_measured_again_when_the_cell_has_changed() -> None:
    reads = QuickReads()
    reads.note("show A", 100, MOMENT / 2)
    assert reads.has("show A", 100)
    assert reads.has("show A", 99 + CHANGED)
    assert not reads.has("show A", 100 + CHANGED)
    assert not reads.has("show B", 100)
    reads.note("show A", 100, 2 * MOMENT)
    assert not reads.has("show A", 100)
    reads.note("x" * (LONGEST + 1), 0, 0.0)
    assert not reads.has("x" * (LONGEST + 1), 0)
    for number in range(3 * MOST):
        reads.note(str(number), 0, 0.0)
    assert sum(reads.has(str(number), 0) for number in range(3 * MOST)) <= MOST
    reads.forget()
    assert not reads.has(str(3 * MOST - 1), 0)
