"""A script that waits for the compiler says so, once."""

from __future__ import annotations

import io
import threading
import time

from numba.core.compiler_lock import global_compiler_lock

from workcell.commands import compile_notice
from workcell.commands.compile_notice import NOTICE, noticed


def test_a_long_compile_is_announced_once(monkeypatch):
    monkeypatch.setattr(compile_notice, "_PATIENCE", 0.02)
    monkeypatch.setattr(compile_notice, "_LOOK", 0.01)
    out, free = io.StringIO(), threading.Event()

    def compiles():
        with global_compiler_lock:
            free.wait(5.0)

    compiler = threading.Thread(target=compiles)
    with noticed(out):
        compiler.start()
        until = time.monotonic() + 5.0
        while not out.getvalue() and time.monotonic() < until:
            time.sleep(0.005)
        time.sleep(0.05)
    free.set()
    compiler.join()
    assert out.getvalue() == f"{NOTICE}\n"


def test_nothing_is_printed_where_nothing_is_compiled(monkeypatch):
    monkeypatch.setattr(compile_notice, "_PATIENCE", 0.02)
    monkeypatch.setattr(compile_notice, "_LOOK", 0.01)
    out = io.StringIO()
    with noticed(out):
        time.sleep(0.06)
    assert out.getvalue() == ""
