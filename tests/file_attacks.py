"""Paths that lead out of a folder, for whoever tests that none does."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def ways_out(inside: Path, outside: Path, ending: str) -> list[str]:
    """Make links, pipes and devices in a folder; gives paths out of it and to what is no file, all to be refused.

    Args:
        inside: the folder that is not to be left.
        outside: another one with a file ``secret``, with the ending.
        ending: of the names, such as ``.csv``.
    """
    e = ending
    (inside / f"link{e}").symlink_to(outside / f"secret{e}")
    (inside / f"new{e}").symlink_to(outside / f"new{e}")
    (inside / f"chain{e}").symlink_to(f"link{e}")
    (inside / "folder").symlink_to(outside)
    (inside / f"loop{e}").symlink_to(f"loop{e}")
    (inside / "up").symlink_to("..")
    (inside / f".hidden{e}").write_text("wait 3\n")
    (inside / ".ssh").mkdir()
    (inside / f"folder{e}").mkdir()
    (inside / f"a file{e}").write_text("")
    os.mkfifo(inside / f"pipe{e}")
    (inside / f"console{e}").symlink_to("/dev/tty")
    if os.geteuid() == 0:
        os.mknod(inside / f"zero{e}", stat.S_IFCHR | 0o666, os.makedev(1, 5))
        os.mknod(inside / f"loop0{e}", stat.S_IFBLK | 0o666, os.makedev(7, 250))
    else:
        (inside / f"zero{e}").symlink_to("/dev/zero")
        (inside / f"loop0{e}").symlink_to("/dev/null")
    return [
        f"{outside}/secret{e}", f"{outside}/new{e}", f"../{outside.name}/secret{e}", f"../{outside.name}/new{e}",
        f"x/../../{outside.name}/secret{e}", f"link{e}", f"new{e}", f"chain{e}", f"folder/secret{e}", f"folder/new{e}",
        f"folder/../new{e}", f"up/{outside.name}/secret{e}", f"up/../{outside.name}/secret{e}", f"loop{e}",
        f"loop{e}/a{e}", f".hidden{e}", f".ssh/authorized_keys{e}", f".ssh/../.hidden{e}", f"folder{e}", "", ".", "..",
        "/", "//", f"pipe{e}", f"zero{e}", f"loop0{e}", f"console{e}", "/dev/zero", "/dev/stdin", "/dev/stdout",
        f"/dev/shm/x{e}", "/proc/self/mem", "/proc/self/fd/0", f"/proc/self/root/tmp/workcell-attack{e}", f"/proc/self/cwd/x{e}",
        f"/etc/workcell-attack{e}", f"/tmp/workcell-attack{e}", f"~/x{e}", f"~root/x{e}", f"file:///{outside}/secret{e}", f"//{outside}/secret{e}",
        f"a file{e}/x{e}", f"a file{e}\0", "\0", "a" * 300 + e, "b/" * 3000 + f"x{e}", f"\udcff/x{e}",
        "/" + "../" * 40 + f"tmp/workcell-attack{e}", f"{inside}/../{outside.name}/secret{e}", f"{inside}2/x{e}", f"{inside}/",
        f"{inside}/./../{outside.name}/./secret{e}", f"missing/../../{outside.name}/secret{e}",
        f"{outside}/../{outside.name}/secret{e}", f"%2e%2e/{outside.name}/secret{e}", f"..\\{outside.name}\\x/secret{e}",
    ]  # fmt: skip


def state_of(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """What is in a folder: modes, times of change and contents."""
    found = {}
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        regular = stat.S_ISREG(facts.st_mode)
        found[str(path.relative_to(folder))] = (
            facts.st_mode,
            facts.st_mtime_ns if regular else 0,
            path.read_bytes() if regular else b"",
        )
    return found
