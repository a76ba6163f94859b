"""A robot behind a TCP connection: lines of JSON, one request at a time."""

from __future__ import annotations

import json
import socket
import threading
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, MotionError
from workcell.simulation.robot_driver import Followed, Introduced
from workcell.wording import counted

Array = NDArray[np.float64]
WAIT = 5.0
"""How long an answer may take [s]."""
LONGEST = 1 << 20
"""The longest line of an answer [bytes]."""


def address_of(text: str) -> tuple[str, int]:
    """Return host and port of an address such as ``tcp://127.0.0.1:5000``."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host is None or not port or parts.scheme != "tcp" or parts.path not in ("", "/"):
        raise InvalidValue(f"The address of a robot is tcp://HOST:PORT, such as tcp://127.0.0.1:5000; found {text!r}.")
    return host, port


def is_local(host: str) -> bool:
    """Whether a host is this machine."""
    return host in ("localhost", "::1") or host.startswith("127.")


class TcpDriver:
    """A driver for a robot that speaks the protocol of docs/drivers.md.

    Args:
        address: tcp://HOST:PORT.
        wait: how long each answer may take [s].
    """

    def __init__(self, address: str, wait: float = WAIT) -> None:
        self.address, self._wait = address, wait
        host, port = address_of(address)
        try:
            self._socket = socket.create_connection((host, port), timeout=wait)
        except OSError as error:
            reason = error.strerror or str(error)
            raise MotionError(f"No robot answers at {address}: {reason}. Start it, or check the address.") from error
        self._rest = b""
        try:
            self.introduced = _introduced(self._ask({"do": "hello"}))
        except (KeyError, TypeError, ValueError):
            self.close()
            raise MotionError(f"What answers at {address} is not a robot: it does not give its joints.") from None
        except MotionError:
            self.close()
            raise

    def read(self) -> Array:
        """Return the present joint values (n,)."""
        return self._values(self._ask({"do": "read"}))

    def send(self, times: Array, joints: Array, cancel: threading.Event | None = None) -> Followed:
        """Let the robot follow a motion to its end, and return what it measured; cancelling stops it."""
        self._write({"do": "follow", "times": times.tolist(), "joints": joints.tolist()})
        when, where = [], []
        asked = False
        while True:
            answer = self._answer()
            if "done" in answer:
                break
            when.append(self._number(answer))
            where.append(self._values(answer))
            if not asked and cancel is not None and cancel.is_set():
                asked = True
                self._write({"do": "stop"})
        if asked:
            self._answer()  # to the stop
        if not answer["done"]:
            at = f" after {when[-1]:.3g} s of {times[-1]:.3g} s" if when else ""
            raise MotionError(f"The robot at {self.address} was stopped{at}; `read robot` brings the model to it.")
        return Followed(np.array(when), np.array(where).reshape(-1, self.introduced.joints), self._values(answer))

    def stop(self) -> None:
        """Stop the robot where it is."""
        self._ask({"do": "stop"})

    def close(self) -> None:
        """End the connection."""
        self._socket.close()

    # ---- lines ------------------------------------------------------------------------------------------

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self._write(request)
        return self._answer()

    def _write(self, request: dict[str, Any]) -> None:
        try:
            self._socket.sendall(json.dumps(request).encode() + b"\n")
        except OSError as error:
            raise self._lost() from error

    def _answer(self) -> dict[str, Any]:
        """Return the next line; a refusal of the robot is raised."""
        try:
            while b"\n" not in self._rest:
                if len(self._rest) > LONGEST:
                    raise MotionError(f"The robot at {self.address} sent a line of more than {LONGEST} bytes.")
                data = self._socket.recv(65536)
                if not data:
                    raise self._lost()
                self._rest += data
        except TimeoutError:
            raise MotionError(
                f"The robot at {self.address} sent nothing for {self._wait:g} s; it is slow or hangs. "
                "`disconnect robot`, and connect again with a longer timeout."
            ) from None
        except OSError as error:
            raise self._lost() from error
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise MotionError(f"The robot at {self.address} sent a line that is not an answer: {line[:60]!r}.")
        if "error" in found:
            raise MotionError(f"The robot at {self.address} refused: {found['error']}")
        return found

    def _lost(self) -> MotionError:
        return MotionError(
            f"The connection to the robot at {self.address} is lost; `disconnect robot`, and connect again."
        )

    def _values(self, answer: dict[str, Any]) -> Array:
        try:
            found = np.array(answer["joints"], dtype=np.float64)
        except (KeyError, TypeError, ValueError):
            found = np.zeros(0)
        if found.shape != (self.introduced.joints,) or not np.isfinite(found).all():
            raise MotionError(
                f"The robot at {self.address} must send {counted(self.introduced.joints, 'joint value')}; found "
                f"{str(answer.get('joints'))[:60]}."
            )
        return found

    def _number(self, answer: dict[str, Any]) -> float:
        try:
            return float(answer["time"])
        except (KeyError, TypeError, ValueError):
            raise MotionError(f"The robot at {self.address} sent a measurement without its time.") from None


def _introduced(hello: dict[str, Any]) -> Introduced:
    """Return what a robot says about itself; raises ValueError or KeyError if that makes no sense."""
    joints, limits = int(hello["joints"]), hello.get("limits")
    if limits is None:
        return Introduced(joints, str(hello.get("model", "")))
    found = np.array(limits, dtype=np.float64)
    if found.shape != (joints, 2) or not (found[:, 0] <= found[:, 1]).all():
        raise ValueError("limits")
    return Introduced(joints, str(hello.get("model", "")), found)
