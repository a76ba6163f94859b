"""A stand-in for a real robot: a server on this machine that follows motions, with noise, an offset and a lag."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Sequence
from queue import Queue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue

Array = NDArray[np.float64]
LONGEST = 64 << 20
"""The longest request [bytes]."""


class StandIn:
    """A robot that is not there.

    Args:
        joints: where it stands at first (n,) [rad or m].
        noise: the standard deviation of each measurement [rad or m]: one number, or one for each joint.
        offset: what each measurement is off by [rad or m]: one number, or one for each joint.
        slow: how many times longer a motion takes than planned.
        fast: whether it follows at once instead of in real time.
        seed: of the noise.
        model: the name of the model that it stands in for.
        limits: the limits of its joints (n, 2) [rad or m].
    """

    def __init__(
        self,
        joints: Sequence[float] | Array,
        noise: float | Sequence[float] | Array = 0.0,
        offset: float | Sequence[float] | Array = 0.0,
        slow: float = 1.0,
        fast: bool = False,
        seed: int = 0,
        model: str = "",
        limits: Array | None = None,
    ) -> None:
        self._at = np.array(joints, dtype=np.float64)
        if self._at.ndim != 1 or not len(self._at) or not np.isfinite(self._at).all():
            raise InvalidValue(f"A stand-in needs the value of each joint; found {joints!r}.")
        self._slow, self._fast = slow, fast
        self._noise, self._offset = (np.broadcast_to(np.array(v, np.float64), self._at.shape) for v in (noise, offset))
        if slow <= 0.0 or (self._noise < 0.0).any():
            raise InvalidValue(f"Noise is 0 or more, and slow above 0; found {noise} and {slow:g}.")
        self._model, self._limits = model, limits
        self._random = np.random.default_rng(seed)
        self._stops, self._stopped = 0, threading.Condition()
        self.followed = 0
        """The number of motions that it has followed."""

    @property
    def joints(self) -> Array:
        """Where it stands, without noise and offset (n,)."""
        return self._at.copy()

    def serve(self, port: int = 0) -> tuple[int, threading.Thread]:
        """Listen on this machine; return the port and the thread that serves, which ends with the process."""
        server = socket.create_server(("127.0.0.1", port))
        thread = threading.Thread(target=self._accept, args=(server,), daemon=True)
        thread.start()
        return int(server.getsockname()[1]), thread

    def _accept(self, server: socket.socket) -> None:
        with server:
            while True:
                client, _ = server.accept()
                threading.Thread(target=self._talk, args=(client,), daemon=True).start()

    def _talk(self, client: socket.socket) -> None:
        """Answer one client; `stop` acts at once, also while a motion is followed."""
        requests: Queue[tuple[dict[str, Any], int] | None] = Queue()
        worker = threading.Thread(target=self._work, args=(client, requests), daemon=True)
        worker.start()
        rest = b""
        try:
            while len(rest) <= LONGEST:
                data = client.recv(1 << 20)
                if not data:
                    break
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    request = _request(line)
                    if request.get("do") == "stop":
                        with self._stopped:
                            self._stops += 1
                            self._stopped.notify_all()
                    requests.put((request, self._stops))  # a later stop ends it, even if it has not begun by then
        except OSError:
            pass
        requests.put(None)
        worker.join()
        client.close()

    def _work(self, client: socket.socket, requests: Queue[tuple[dict[str, Any], int] | None]) -> None:
        while (found := requests.get()) is not None:
            try:
                self._answer(client, *found)
            except OSError:
                return

    def _answer(self, client: socket.socket, request: dict[str, Any], stops: int) -> None:
        match request.get("do"):
            case "hello":
                _send(client, self._introduction())
            case "read" | "stop":
                _send(client, {"joints": self._measured()})
            case "follow":
                self._follow(client, request, stops)
            case other:
                _send(client, {"error": f"it does not know the request {str(other)[:40]!r}."})

    def _introduction(self) -> dict[str, Any]:
        told = {"robot": "stand-in", "joints": len(self._at)}
        if self._model:
            told["model"] = self._model
        if self._limits is not None:
            told["limits"] = self._limits.tolist()
        return told

    def _measured(self) -> list[float]:
        noise = self._random.normal(0.0, 1.0, len(self._at)) * self._noise
        found: list[float] = (self._at + self._offset + noise).tolist()
        return found

    def _follow(self, client: socket.socket, request: dict[str, Any], stops: int) -> None:
        try:
            times = np.array(request["times"], dtype=np.float64)
            joints = np.array(request["joints"], dtype=np.float64)
        except (KeyError, TypeError, ValueError):
            times = joints = np.zeros(0)
        good = len(times) and times.shape == (len(times),) and joints.shape == (len(times), len(self._at))
        if not good or not np.isfinite(joints).all() or times[0] < 0.0 or (np.diff(times) < 0.0).any():
            _send(client, {"error": f"a motion has times that do not decrease, and {len(self._at)} joints for each."})
            return
        begin = time.monotonic()
        for when, where in zip(times * self._slow, joints, strict=True):
            with self._stopped:
                wait = 0.0 if self._fast else max(0.0, begin + when - time.monotonic())
                stopped = self._stopped.wait_for(lambda: self._stops != stops, wait)
            if stopped:
                _send(client, {"done": False, "joints": self._measured()})
                return
            self._at = where
            _send(client, {"time": float(when), "joints": self._measured()})
        self.followed += 1
        _send(client, {"done": True, "joints": self._measured()})


def _request(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}


def _send(client: socket.socket, answer: dict[str, Any]) -> None:
    client.sendall(json.dumps(answer).encode() + b"\n")
