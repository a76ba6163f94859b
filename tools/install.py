"""Create the virtual environment and install what pyproject.toml and constraints.txt name."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEBIAN_LIBRARIES = {"libGL.so.1": "libgl1", "libX11.so.6": "libx11-6", "libexpat.so.1": "libexpat1"}
"""What the CAD kernel links, and the Debian package that has it."""


def main(folder: str) -> int:
    if sys.version_info < (3, 11):  # noqa: UP036 -- this script runs before anything has checked
        print(f"Workcell needs Python 3.11 or later; {sys.executable} is {sys.version.split()[0]}.")
        return 1
    python = Path(folder) / "bin" / "python"
    if not python.exists():
        print("Creating the virtual environment …", flush=True)
        venv.create(folder, with_pip=True, symlinks=True)
    print("Installing pinned packages (a minute or two the first time) …", flush=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    constrained = [*pip, "-c", "constraints.txt"]
    subprocess.run([*constrained, "hatchling", "editables"], cwd=ROOT, check=True)
    groups = [name for names in dependency_groups().values() for name in names]
    subprocess.run([*constrained, *groups], cwd=ROOT, check=True)
    subprocess.run([*constrained, "--no-build-isolation", "-e", "."], cwd=ROOT, check=True)
    return system_libraries()


def dependency_groups() -> dict[str, list[str]]:
    import tomllib

    groups: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    return groups


def system_libraries() -> int:
    """Install the shared libraries of the CAD kernel where that is possible, or say which are missing."""
    missing = [package for library, package in DEBIAN_LIBRARIES.items() if not loads(library)]
    if not missing or sys.platform != "linux":
        return 0
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Installing {' '.join(missing)} for the CAD kernel …", flush=True)
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        done = subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], check=False)
        return done.returncode
    print(f"The CAD kernel needs system libraries that are missing: run `apt-get install {' '.join(missing)}`.")
    return 1


def loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
