from __future__ import annotations

import os
import signal
import threading
import time

import msgspec
import pytest

from child_process import child
from workcell.errors import Cancelled, InvalidShape, KernelCrashed
from workcell.geometry import solids
from workcell.geometry.kernel.requests import (
    BusyRequest,
    CrashRequest,
    MeshRequest,
    PropertiesAnswer,
    PropertiesRequest,
)
from workcell.geometry.kernel.worker import CadWorker
from workcell.geometry.mesh import Mesh


@pytest.fixture(scope="module")
def worker():
    worker = CadWorker()
    yield worker
    worker.shutdown()


def volume(worker, solid):
    data = worker.submit(PropertiesRequest(solid.recipe))
    return msgspec.msgpack.decode(data, type=PropertiesAnswer).volume


def test_a_cancelled_job_ends_within_a_second_and_the_next_one_works(worker):
    volume(worker, solids.box(1, 1, 1))
    cancel = threading.Event()
    seen: list[float] = []

    def progress(fraction, text):
        seen.append(fraction)
        if len(seen) == 2:
            threading.Timer(0.05, cancel.set).start()

    before = worker.pid
    with pytest.raises(Cancelled, match="busy request was cancelled"):
        worker.submit(BusyRequest(120.0), progress, cancel)
    assert len(seen) >= 2
    assert volume(worker, solids.box(1, 1, 2)) == pytest.approx(2.0)
    assert worker.pid != before


def test_waiting_for_the_kernel_can_be_cancelled_without_hurting_the_one_who_has_it(worker):
    stop_first, stop_second = threading.Event(), threading.Event()
    started = threading.Event()
    ended: list[str] = []

    def first():
        try:
            worker.submit(BusyRequest(120.0), lambda *_: started.set(), stop_first)
        except Cancelled:
            ended.append("first")

    thread = threading.Thread(target=first)
    thread.start()
    assert started.wait(30)
    stop_second.set()
    with pytest.raises(Cancelled, match="while it waited"):
        worker.submit(PropertiesRequest(solids.box(1, 1, 1).recipe), cancel=stop_second)
    assert ended == []
    stop_first.set()
    thread.join(10)
    assert ended == ["first"]


def test_a_crash_is_told_and_the_next_request_starts_anew(worker):
    with pytest.raises(KernelCrashed, match=r"crash request \(signal 11\)") as caught:
        worker.submit(CrashRequest())
    assert caught.value.status == -signal.SIGSEGV
    assert volume(worker, solids.box(1, 2, 3)) == pytest.approx(6.0)


def test_a_process_killed_between_requests_is_replaced(worker):
    volume(worker, solids.box(1, 1, 1))
    os.kill(worker.pid, signal.SIGKILL)
    time.sleep(0.2)
    assert volume(worker, solids.box(1, 2, 4)) == pytest.approx(8.0)


def test_an_error_in_the_kernel_keeps_its_class_and_its_process(worker):
    apart = solids.box(1, 1, 1) & solids.box(1, 1, 1).transformed(
        [[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    )
    volume(worker, solids.box(1, 1, 1))
    before = worker.pid
    with pytest.raises(InvalidShape, match="the intersection of a box and a box is empty"):
        volume(worker, apart)
    assert worker.pid == before


def test_a_progress_callback_that_fails_does_not_leave_a_stale_answer(worker):
    def bad(fraction, text):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        worker.submit(MeshRequest(solids.cylinder(1, 1).recipe, 1e-3), bad)
    assert Mesh.from_bytes(worker.submit(MeshRequest(solids.box(1, 1, 1).recipe, 1e-3))).closed


def test_many_threads_get_their_own_answers(worker):
    answers: dict[int, float] = {}

    def ask(n):
        answers[n] = volume(worker, solids.box(n, 1, 1))

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == {n: pytest.approx(n) for n in range(1, 9)}


def test_the_kernel_process_dies_with_its_parent_even_while_computing():
    code = (
        "import os, threading\n"
        "from workcell.geometry.kernel.worker import CadWorker\n"
        "from workcell.geometry.kernel.requests import BusyRequest\n"
        "w = CadWorker()\n"
        "w.submit(BusyRequest(100.0), lambda f, t: (print(w.pid, flush=True), None) if f > 0 else None)\n"
    )
    with child("-c", code) as parent:
        worker = int(parent.line())
        parent.process.kill()
        parent.process.wait()
        for _ in range(100):
            if not _alive(worker):
                return
            time.sleep(0.05)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the CAD process outlived its parent")


def _alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False
