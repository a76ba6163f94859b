"""Starting the compiler without SciPy's linear algebra, which no kernel here uses: a seventh of a second.

Numba looks for BLAS as soon as it loads its first kernel. Here it is told that BLAS will be there; whoever compiles a
matrix product later still has it looked for then. Where Numba is built otherwise, nothing is changed.
"""

from __future__ import annotations

import contextlib
import sys


def spare_blas() -> None:
    """Load Numba's array functions with the look for BLAS put off."""
    if "numba.np.arraymath" in sys.modules or "scipy.linalg" in sys.modules:
        return
    with contextlib.suppress(ImportError, AttributeError):
        from numba.np import linalg

        look = linalg.ensure_blas
        try:
            linalg.ensure_blas = _later
            from numba.np import arraymath

            arraymath.ensure_blas = look  # type: ignore[attr-defined]
        finally:
            linalg.ensure_blas = look


def _later() -> None:
    """Look for nothing."""
