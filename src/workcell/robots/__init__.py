"""Robots: arms from a library or from a DH table, their shapes, tools, grippers and exchange formats.

The package itself is callable: ``workcell.robots()`` lists the library. Importing any module of this room puts the
package under that name into ``workcell``, in place of the public function, so the two must be one.
"""

from __future__ import annotations

import sys
import types


class _Room(types.ModuleType):
    def __call__(self) -> tuple[str, ...]:
        """The names of all robots of the library."""
        from workcell.robots.catalogue import robots

        return robots()


sys.modules[__name__].__class__ = _Room
