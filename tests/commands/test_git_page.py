"""The walk-through of docs/git.md does what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs/git.md").read_text(encoding="utf-8")


def test_the_walk_through_runs_and_answers_as_shown(tmp_path):
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 5
    script, expected = [f'workcell() {{ "{sys.executable}" -m workcell "$@"; }}'], []
    for number, line in enumerate("".join(blocks).splitlines()):
        if line.startswith("$ "):
            script.append(f"echo '== {number}'\n{line[2:]}")
            expected.append((f"== {number}", []))
        else:
            expected[-1][1].append(line)
    names = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **names, "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)], cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False,
    )  # fmt: skip
    answers = dict(re.findall(r"^(== \d+)\n(.*?)(?=^== |\Z)", done.stdout, re.DOTALL | re.MULTILINE))
    for place, lines in expected:
        assert all(line in answers[place].splitlines() for line in lines), (lines, answers[place])
