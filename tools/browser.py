"""The browser that draws the page without a screen: find Chromium, or install Debian's if run as root."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first one that is there is used; Debian's shell has no windows, and opens a page in half the time."""
WANTED = NAMES[:2]
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
)  # fmt: skip
"""WebGL is drawn by the processor."""
MISSING = "No Chromium on the PATH: apt-get install chromium-headless-shell."


def found() -> str | None:
    """Return the path of the browser, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def launch(playwright: Any) -> Any:
    """Start the browser that was found."""
    path = found()
    assert path is not None, MISSING
    windows = [] if path.endswith("shell") else ["--headless=new"]
    return playwright.chromium.launch(executable_path=path, args=[*FLAGS, *windows])


def main() -> int:
    if shutil.which(WANTED[0]):
        return 0
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Debian's Chromium for the browser tests …", flush=True)
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        for package in WANTED:
            if found() is None or package == WANTED[0]:
                subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", package], check=False)
    if found() is None:
        print("No Chromium: the browser tests will be skipped (`apt-get install chromium-headless-shell`).")
        return 1 if os.environ.get("CI") else 0
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
