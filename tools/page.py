"""Build the web page. Packages that only the build needs are removed again."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time

from npm import PAGE, node_commands

MODULES = PAGE / "node_modules"
QUIET = ("--no-save", "--no-fund", "--no-audit", "--silent")


def main() -> int:
    npm = node_commands()
    kept = (MODULES / ".testing").exists()
    if not kept:
        print("Installing the build tools of the page …", end="", flush=True)
        begin = time.monotonic()
        subprocess.run([*npm, "install", "--omit=dev", *QUIET], cwd=PAGE, check=True)
        print(f" {time.monotonic() - begin:.0f} s", flush=True)
    print("Building the page …", end="", flush=True)
    begin = time.monotonic()
    done = subprocess.run([*npm, "run", "--silent", "build"], cwd=PAGE, check=False)
    print(f" {time.monotonic() - begin:.0f} s", flush=True)
    if not kept:
        shutil.rmtree(MODULES)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
