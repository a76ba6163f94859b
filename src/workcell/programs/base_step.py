"""The base of all steps of programs."""

from __future__ import annotations

import msgspec


class Base(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The base of all steps."""
