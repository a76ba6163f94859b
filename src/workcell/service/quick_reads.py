"""Lines that only read and take a moment, as they did the last time in nearly the same cell."""

from __future__ import annotations

MOMENT = 0.0005
"""What a line may take to be quick [s of processor time]."""
MOST = 256
"""The most lines that are remembered."""
LONGEST = 200
"""The longest line that is remembered [characters]."""
CHANGED = 16_384
"""How much the cell may change before its lines are measured again [bytes]."""


class QuickReads:
    """Remembers lines that were quick, until the cell has changed so much that they may take longer.

    Only the user of the session notes and forgets; any thread may ask.
    """

    def __init__(self) -> None:
        self._lines: dict[str, int] = {}
        """The lines, each with the bytes that had been written to the cell when it was measured."""

    def has(self, line: str, written: int) -> bool:
        """Whether a line is quick, now that this much was written to the cell [bytes]."""
        measured = self._lines.get(line)
        return measured is not None and written - measured < CHANGED

    def note(self, line: str, written: int, seconds: float) -> None:
        """Note how long a line took [s]."""
        if len(self._lines) >= MOST:
            self.forget()
        if seconds < MOMENT and len(line) <= LONGEST:
            self._lines[line] = written
        else:
            self._lines.pop(line, None)

    def forget(self) -> None:
        """Forget all lines: something ran, and what they show may have grown."""
        self._lines = {}
