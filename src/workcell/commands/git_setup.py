"""Cells in git: set up and remove the merge driver and the text that `git diff` shows."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

from workcell.errors import FileProblem, MissingDependency

ATTRIBUTES = ("*.celltext text eol=lf merge=workcell", "*.cell -text merge=workcell diff=workcell")
"""The lines that select the driver for both forms of a cell."""
_SECTIONS = ("merge.workcell", "diff.workcell")


def install(everywhere: bool = False) -> list[str]:
    """Let git merge and show cells, in this repository or in all of the user; return what was done."""
    python = shlex.quote(sys.executable)
    settings = {
        "merge.workcell.name": "cells of Workcell, merged thing by thing",
        "merge.workcell.driver": f"{python} -m workcell merge %O %A %B -o %A --replace --label %P",
        "diff.workcell.textconv": f"{python} -m workcell convert",
    }
    place = _attributes(everywhere)
    for name, value in settings.items():
        _git("config", *_scope(everywhere), name, value)
    lines = place.read_text().splitlines() if place.exists() else []
    missing = [line for line in ATTRIBUTES if line not in lines]
    if missing:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("".join(f"{line}\n" for line in (*lines, *missing)))
    return [
        f"git merges cells with `{settings['merge.workcell.driver']}`",
        f"{place} selects it for .cell and .celltext",
    ]


def uninstall(everywhere: bool = False) -> list[str]:
    """Remove the settings and the lines; return what was done."""
    place = _attributes(everywhere)
    for section in _SECTIONS:
        _git("config", *_scope(everywhere), "--remove-section", section, check=False)
    if place.exists():
        lines = [line for line in place.read_text().splitlines() if line not in ATTRIBUTES]
        if lines:
            place.write_text("".join(f"{line}\n" for line in lines))
        else:
            place.unlink()
    return [f"git merges cells like other files again; {place} no longer names them"]


def _scope(everywhere: bool) -> list[str]:
    return ["--global"] if everywhere else ["--local"]


def _attributes(everywhere: bool) -> Path:
    """Return the attributes file of the repository or of the user."""
    if not everywhere:
        top = _git("rev-parse", "--show-toplevel", check=False)
        if not top:
            raise FileProblem(
                "There is no git repository here; `git init` makes one, or give --global for all repositories."
            )
        return Path(top) / ".gitattributes"
    known = _git("config", "--global", "--type=path", "core.attributesFile", check=False)
    if known:
        return Path(known)
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "git" / "attributes"


def _git(*words: str, check: bool = True) -> str:
    try:
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise MissingDependency("git is not installed; the merge driver needs it.") from None
    if check and done.returncode:
        raise FileProblem(f"`git {' '.join(words[:3])}` failed: {' '.join(done.stderr.split())}.")
    return done.stdout.strip()
