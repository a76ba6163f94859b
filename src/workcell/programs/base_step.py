"""What all steps of programs have in common."""

from __future__ import annotations

import msgspec


class Base(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What all steps have in common."""
