"""Make sure that there is a browser for the page's tests: find Chromium, or install Debian's if run as root."""

from __future__ import annotations

import os
import shutil
import subprocess

NAMES = ("chromium", "chromium-browser", "google-chrome")


def main() -> int:
    if any(shutil.which(name) for name in NAMES):
        return 0
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Debian's chromium for the browser tests …", flush=True)
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"], check=False)
    if not any(shutil.which(name) for name in NAMES):
        print("No Chromium: the browser tests will be skipped (`apt-get install chromium`).")
        return 1 if os.environ.get("CI") else 0
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
