"""How much of the server one client may take, so that others do not wait for it."""

from __future__ import annotations

import time

LEAST = 0.05
"""The least part of the time that a client gets, however many others ask for something."""
BURST = 0.01
"""What a client may take at once after a rest [s]."""
MESSAGE = 0.0002
"""What is counted for a message besides the time of its work: reading its frame, and writing an answer [s]."""


class Pace:
    """Counts the time that the messages of one client take."""

    def __init__(self) -> None:
        self._left = BURST
        self._at = time.monotonic()

    def wait(self, took: float, busy: int) -> float:
        """Return how long the client has to wait before its next message is read [s].

        Args:
            took: the processor time that was spent on it since the last call [s].
            busy: how many clients have asked for something lately, this one included. Each has an equal share.
        """
        now = time.monotonic()
        share = max(LEAST, 1.0 / busy)
        self._left = min(BURST, self._left + share * (now - self._at)) - took - MESSAGE
        self._at = now
        return max(0.0, -self._left / share)
