"""The adapter to Open CASCADE: the only place that imports OCP, and only inside the CAD worker process.

Lengths are millimetres here, because the kernel's tolerances (1e-7) are made for them. The functions of this package
(``mesh``, ``properties``, ``faces``, ``check``, ``export``) take and return metres.
"""

from __future__ import annotations

from workcell.errors import MissingDependency

try:
    import OCP.gp  # noqa: F401
except ImportError as error:  # pragma: no cover - depends on the machine
    raise MissingDependency(
        f"The CAD kernel cannot be loaded ({error}). It needs the package cadquery-ocp-novtk and the system "
        "libraries libGL.so.1, libX11.so.6 and libexpat.so.1 (Debian: apt install libgl1 libx11-6 libexpat1)."
    ) from error
