"""The shell: scripts from a pipe, JSON, errors with line numbers, and a person at a real terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest

from workcell.commands.cell import Cell
from workcell.commands.script import ScriptStopped, logical_lines, run_script

SHELL = [sys.executable, "-m", "workcell", "shell"]


def piped(arguments: list[str], text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*SHELL, *arguments], input=text, capture_output=True, text=True, check=False)


def test_a_script_in_a_pipe_is_carried_out_and_saved(tmp_path):
    path = tmp_path / "a.cell"
    done = piped([str(path)], "# a comment\ncreate block one\n\ncr bl two \\\n  colour red\nlist ?\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["block 'one' created", "block 'two' created"]
    assert "KIND" in done.stdout
    with Cell.open(path) as cell:
        assert cell.database.names("block") == ["one", "two"]
        assert {entry.who for entry in cell.journal} == {"shell"}


def test_an_error_in_a_script_stops_it_with_its_line_and_keeps_what_came_before(tmp_path):
    path = tmp_path / "a.cell"
    done = piped([str(path)], "create block one\n\nattach one to nobody\ncreate block two\n")
    assert done.returncode == 1
    assert done.stderr.startswith("line 3:\nattach one to nobody\n              ^\n")
    assert "^" in done.stderr
    assert "no entity called 'nobody'" in done.stderr
    assert "Traceback" not in done.stderr
    with Cell.open(path) as cell:
        assert cell.database.names("block") == ["one"]


def test_json_gives_one_object_a_command(tmp_path):
    done = piped(["--json"], "create block one\nshow one\nremove nobody\n")
    assert done.returncode == 1
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["line"] for row in rows] == [1, 2, 3]
    assert rows[0]["result"]["name"] == "one"
    assert rows[1]["result"]["facts"]["pointed_by"] == 0
    assert rows[2]["error"] == "UnknownName"
    assert rows[2]["evidence"]["asked"] == "nobody"


def test_a_script_file_and_a_missing_file(tmp_path):
    script = tmp_path / "s.txt"
    script.write_text("create block one\nlist\n")
    done = piped(["--script", str(script)], "")
    assert done.returncode == 0
    assert "1 entity" in done.stdout
    done = piped(["--script", str(tmp_path / "none.txt")], "")
    assert done.returncode == 2
    assert "No such file" in done.stderr


def test_a_group_that_never_ends_is_given_up():
    with Cell() as cell:
        with pytest.raises(ScriptStopped, match="inside a group"):
            run_script(cell.session, "create block a\ngroup\ncreate block b")
        assert cell.database.names("block") == ["a"]
        with pytest.raises(ScriptStopped, match="Line 2"):
            run_script(cell.session, "group\ncreate nonsense\nend")
        assert not cell.session.group


def test_lines_are_joined_and_counted():
    assert list(logical_lines(["a \\", "b", "", "# c", "d"])) == [(1, "a  b"), (5, "d")]


READING = "<reading>"


class Terminal:
    """A shell on a pseudo-terminal, typed to like a person would."""

    def __init__(self, arguments: list[str], home: str) -> None:
        self.master, slave = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "HOME": home, "COLUMNS": "100", "LINES": "40"}
        self.process = subprocess.Popen(
            [*SHELL, *arguments], stdin=slave, stdout=slave, stderr=slave, env=environment, close_fds=True
        )
        os.close(slave)
        self.text = ""

    def wait_for(self, pattern: str, seconds: float = 40.0) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if re.search(pattern, self.text):
                return
            if select.select([self.master], [], [], 0.2)[0]:
                try:
                    data = os.read(self.master, 65536).decode(errors="replace")
                except OSError:
                    break
                if "\x1b[6n" in data:
                    os.write(self.master, b"\x1b[1;1R")
                # Bracketed paste is switched on whenever the shell begins to read a line.
                data = data.replace("\x1b[?2004h", READING)
                self.text += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data)
        raise AssertionError(f"{pattern!r} did not come; the screen says:\n{self.text}")

    def type(self, text: str) -> None:
        """Type when the shell reads, as a person would."""
        self.wait_for(READING)
        self.text = ""
        os.write(self.master, text.encode())

    def press(self, key: str) -> None:
        os.write(self.master, key.encode())


def test_a_person_is_helped_completed_and_asked(tmp_path):
    terminal = Terminal([str(tmp_path / "a.cell")], str(tmp_path))
    try:
        terminal.wait_for("exit` leaves")
        terminal.type("create block\r")
        terminal.wait_for("NAME")
        terminal.type("cube1\r")
        terminal.wait_for("block 'cube1' created")
        terminal.type("create ?\r")
        terminal.wait_for("surface +make a flat surface")
        terminal.type("sho cu\t")
        terminal.wait_for("be1")  # the rest of the name is drawn with what is typed or after it
        terminal.press("\r")
        terminal.wait_for("block cube1: pointed_by 0")
        terminal.type("remove nobody\r")
        terminal.wait_for(r"\^")
        terminal.wait_for("There is no entity called 'nobody'")
        terminal.type("exit\r")
        terminal.process.wait(timeout=30)
        assert terminal.process.returncode == 0
    finally:
        terminal.process.kill()
        terminal.process.wait()
        os.close(terminal.master)
    with Cell.open(tmp_path / "a.cell") as cell:
        assert cell.database.names("block") == ["cube1"]
