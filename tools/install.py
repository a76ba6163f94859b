"""Create the virtual environment and install, in stages, the packages that pyproject.toml and constraints.txt name.

`run` installs what running needs; `check`, `test` and `peers` are the dependency groups.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEBIAN_LIBRARIES = {"libGL.so.1": "libgl1", "libX11.so.6": "libx11-6", "libexpat.so.1": "libexpat1"}
"""The libraries that the CAD kernel links, with their Debian packages."""
STAGES = {
    "run": "what running needs",
    "check": "linters and types",
    "test": "the tools of the tests",
    "peers": "other libraries to compare with",
}


def main(folder: str, stages: list[str]) -> int:
    if sys.version_info < (3, 11):  # noqa: UP036 -- this script runs before anything has checked
        print(f"Workcell needs Python 3.11 or later; {sys.executable} is {sys.version.split()[0]}.")
        return 1
    unknown = [stage for stage in stages if stage not in STAGES]
    if unknown or not stages:
        print(f"Stages are {', '.join(STAGES)}; found {', '.join(unknown) or 'none'}.")
        return 1
    python = Path(folder) / "bin" / "python"
    if not python.exists():
        announced("Creating the virtual environment", lambda: venv.create(folder, with_pip=True, symlinks=True))
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", "constraints.txt"]
    if "run" in stages:
        announced(f"Installing {STAGES['run']}", lambda: install_workcell(pip))
    for stage in stages:
        if stage != "run":
            packages = dependency_groups()[stage]
            announced(f"Installing {STAGES[stage]}", lambda found=packages: run([*pip, *found]))
    return system_libraries()


def announced(what: str, work: object) -> None:
    """Print what is being done, do it, and print how long it took."""
    print(f"{what} …", end="", flush=True)
    begin = time.monotonic()
    assert callable(work)
    work()
    print(f" {time.monotonic() - begin:.0f} s", flush=True)


def install_workcell(pip: list[str]) -> None:
    run([*pip, "hatchling", "editables"])
    run([*pip, "--no-build-isolation", "-e", "."])


def run(command: list[str]) -> None:
    subprocess.run(command, cwd=ROOT, check=True)


def dependency_groups() -> dict[str, list[str]]:
    import tomllib

    groups: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    return groups


def system_libraries() -> int:
    """Install the shared libraries of the CAD kernel if possible, or print which are missing."""
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
    raise SystemExit(main(sys.argv[1], sys.argv[2:]))
