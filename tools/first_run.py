"""Measures how long `make run` takes on a fresh clone until the page is served, and its size on disk.

With a commit as argument, that commit is cloned too, and the ratio of both is printed:

    python tools/first_run.py [COMMIT]
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 1800.0
"""How long to wait for the page [s]."""


def main(commits: list[str]) -> int:
    figures = {}
    for commit in [*commits, "HEAD"]:
        with tempfile.TemporaryDirectory(prefix="first-run-") as folder:
            figures[commit] = seconds, megabytes = first_run(commit, Path(folder) / "workcell")
        print(f"{commit:12s} page served after {seconds:6.1f} s, {megabytes:7.0f} MB on disk", flush=True)
    for commit in commits:
        print(f"HEAD takes {figures['HEAD'][0] / figures[commit][0]:.2f} of the time of {commit}")
    return 0


def first_run(commit: str, clone: Path) -> tuple[float, float]:
    """Return seconds until the page of a fresh clone is served, and the size of the folder [MB]."""
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
    subprocess.run(["git", "checkout", "--quiet", commit_of(commit)], cwd=clone, check=True)
    port = free_port()
    # `make run` calls this instead: no browser opens, and the port is free.
    starter = clone.parent / "workcell-here"
    python = clone / ".venv" / "bin" / "python"
    starter.write_text(f"#!/bin/sh\nexec {python} -m workcell --no-browser --port {port}\n")
    starter.chmod(0o755)
    text = (clone / "Makefile").read_text().replace("@$(BIN)/workcell\n", f"@{starter}\n")
    (clone / "Makefile").write_text(text)
    begin = time.monotonic()
    made = subprocess.Popen(["make", "run"], cwd=clone, start_new_session=True, stdout=sys.stderr)
    try:
        while not served(port):
            if made.poll() is not None or time.monotonic() - begin > LONGEST:
                raise SystemExit(f"`make run` of {commit} ended without a page.")
            time.sleep(0.1)
        return time.monotonic() - begin, size_mb(clone)
    finally:
        if made.poll() is None:
            os.killpg(made.pid, signal.SIGTERM)
            made.wait()


def commit_of(name: str) -> str:
    found = subprocess.run(["git", "rev-parse", name], cwd=ROOT, check=True, capture_output=True, text=True)
    return found.stdout.strip()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def served(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=2.0) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def size_mb(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
