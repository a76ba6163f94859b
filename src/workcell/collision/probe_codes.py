"""The numbers by which probes and their kernels name kinds of items and answers."""

from __future__ import annotations

NEVER, ALWAYS, AT_TIMES = range(3)
"""What the answer to an item is over an interval."""
SEGMENT, PAIR, SIGHT = range(3)
"""The kinds of items: a segment that bodies break, a mesh that bodies come near, a point that is in sight."""
