"""Starts the compiler without SciPy's linear algebra, which no kernel here uses; this saves a seventh of a second.

Numba searches for BLAS as soon as it loads its first kernel. Here the search is skipped; if a
matrix product is compiled later, Numba searches then. If Numba is built differently, nothing is changed.
"""

from __future__ import annotations

import contextlib
import sys


def spare_blas() -> None:
    """Load Numba's array functions and postpone the search for BLAS."""
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
    """Do nothing."""
