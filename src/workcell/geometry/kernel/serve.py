"""The CAD process: reads requests, answers them, and ends with its parent.

Started by :mod:`workcell.geometry.kernel.worker` as ``python -m workcell.geometry.kernel.serve FD LIFELINE``.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.errors import GeometryError, WorkcellError
from workcell.geometry.kernel import requests as q
from workcell.geometry.step_file import StepFile

if TYPE_CHECKING:
    from workcell.geometry.kernel.occ.build import Builder

Progress = Callable[[float, str], None]

MEMORY = 4 << 30
"""The most memory that this process may take [bytes]."""


def die_with_parent(lifeline: int) -> None:
    """End this process when the other end of the pipe closes, even in the middle of a computation.

    The kernel holds the interpreter while it works, so no Python code could notice. But the system sends SIGIO
    for a pipe that hangs up, and the default action of SIGIO is to end the process.
    """
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def serve(channel: Connection) -> None:
    """Answer requests until the parent hangs up."""
    decoder = msgspec.msgpack.Decoder(q.Request)
    encoder = msgspec.msgpack.Encoder()
    state: dict[str, Any] = {}

    def note(fraction: float, text: str) -> None:
        channel.send_bytes(encoder.encode(q.Note(fraction, text)))

    while True:
        try:
            message = channel.recv_bytes()
        except (EOFError, OSError):
            return
        reply: q.Reply
        try:
            request = decoder.decode(message)
            reply = q.Done(_HANDLERS[type(request)](request, note, state))
        except WorkcellError as error:
            reply = q.Failed(type(error).__name__, error.message, _plain(error.evidence))
        except Exception as error:
            reply = q.Failed("GeometryError", f"The CAD kernel could not do this: {_words(error)}.", {})
        channel.send_bytes(encoder.encode(reply))


def _words(error: Exception) -> str:
    text = str(error).strip().rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _plain(evidence: dict[str, object]) -> dict[str, object]:
    return {name: msgspec.to_builtins(value, enc_hook=str) for name, value in evidence.items()}


def _builder(state: dict[str, Any]) -> Builder:
    if "builder" not in state:
        from workcell.geometry.kernel.occ.build import Builder

        state["builder"] = Builder()
    builder: Builder = state["builder"]
    return builder


def _mesh(request: q.MeshRequest, note: Progress, state: dict[str, Any]) -> bytes:
    return _builder(state).meshed(request.recipe, request.tolerance, note).to_bytes()


def _properties(request: q.PropertiesRequest, note: Progress, state: dict[str, Any]) -> bytes:
    from workcell.geometry.kernel.occ import measure

    built = _builder(state).proved(request.recipe, note)
    note(0.9, "weighing")
    return msgspec.msgpack.encode(measure.properties(built))


def _faces(request: q.FacesRequest, note: Progress, state: dict[str, Any]) -> bytes:
    from workcell.geometry.kernel.occ import inspect

    built = _builder(state).proved(request.recipe, note)
    return msgspec.msgpack.encode(inspect.faces(inspect.numbered(built)))


def _check(request: q.CheckRequest, note: Progress, state: dict[str, Any]) -> bytes:
    return msgspec.msgpack.encode(_builder(state).checked(request.recipe, note))


def _step(request: q.StepRequest, note: Progress, state: dict[str, Any]) -> bytes:
    from workcell.geometry.kernel.occ import exchange

    built, change = _builder(state).for_step(request.recipe, lambda fraction, text: note(fraction * 0.8, text))
    note(0.8, "writing STEP")
    return msgspec.msgpack.encode(StepFile(exchange.to_step(built), (change,)))


def _edge(request: q.EdgeRequest, note: Progress, state: dict[str, Any]) -> bytes:
    from workcell.geometry.kernel.occ import inspect, traces

    built = _builder(state).proved(request.recipe, note)
    return msgspec.msgpack.encode(traces.edge(inspect.numbered(built), request))


def _rows(request: q.RowsRequest, note: Progress, state: dict[str, Any]) -> bytes:
    from workcell.geometry.kernel.occ import inspect, traces

    built = _builder(state).proved(request.recipe, lambda fraction, text: note(fraction * 0.5, text))
    note(0.5, "laying rows")
    return msgspec.msgpack.encode(traces.rows(inspect.numbered(built), request))


def _assembly(request: q.AssemblyRequest, note: Progress, _state: dict[str, Any]) -> bytes:
    from workcell.geometry.kernel.occ import assemblies

    note(0.0, "reading STEP")
    return msgspec.msgpack.encode(assemblies.assembly_from_step(request.data))


def _step_assembly(request: q.StepAssemblyRequest, note: Progress, state: dict[str, Any]) -> bytes:
    from workcell.geometry.kernel.occ import assemblies

    builder, parts = _builder(state), request.assembly.parts
    made = []
    for number, part in enumerate(parts):
        note(0.8 * number / len(parts), f"making {part.name}")
        made.append(builder.for_step(part.recipe))
    note(0.8, "writing STEP")
    data = assemblies.assembly_to_step(request.assembly, [built for built, _ in made])
    return msgspec.msgpack.encode(StepFile(data, tuple(change for _, change in made)))


def _busy(request: q.BusyRequest, note: Progress, state: dict[str, Any]) -> bytes:
    from workcell.geometry import recipe as r
    from workcell.geometry.kernel.occ import meshing

    built = _builder(state).build(r.Sphere(0.1))
    end = time.monotonic() + request.seconds
    rounds = 0
    while (left := end - time.monotonic()) > 0.0:
        note(1.0 - left / request.seconds, "working")
        meshing.mesh(built, 5e-5)
        rounds += 1
    return msgspec.msgpack.encode(rounds)


def _crash(_request: q.CrashRequest, _note: Progress, _state: dict[str, Any]) -> bytes:
    os.kill(os.getpid(), signal.SIGSEGV)
    raise GeometryError("The process should have ended.")


_HANDLERS: dict[type, Callable[[Any, Progress, dict[str, Any]], bytes]] = {
    q.MeshRequest: _mesh,
    q.PropertiesRequest: _properties,
    q.FacesRequest: _faces,
    q.CheckRequest: _check,
    q.StepRequest: _step,
    q.AssemblyRequest: _assembly,
    q.StepAssemblyRequest: _step_assembly,
    q.EdgeRequest: _edge,
    q.RowsRequest: _rows,
    q.BusyRequest: _busy,
    q.CrashRequest: _crash,
}


def _bound_memory() -> None:
    """Make a request that would fill the memory end this process instead of others on the machine."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    with contextlib.suppress(OSError, ValueError):  # some systems have no such limit
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def main(arguments: list[str]) -> None:
    """Serve on the two given file descriptors."""
    channel = Connection(int(arguments[0]))
    die_with_parent(int(arguments[1]))
    # Ctrl-C is for the parent, which then closes the pipe. Output of the kernel must not reach anybody's output.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _bound_memory()
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        serve(channel)


if __name__ == "__main__":
    main(sys.argv[1:])
