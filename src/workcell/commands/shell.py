"""The shell: command lines from a person or from a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import msgspec

from workcell.commands.compile_notice import noticed
from workcell.commands.language.line_reader import MissingParameter
from workcell.commands.language.program_blocks import Block, begins
from workcell.commands.script import ScriptStopped, logical_lines, run_script
from workcell.errors import WorkcellError

if TYPE_CHECKING:
    from workcell.commands.session import Session

LEAVE = ("exit", "quit")
_EVERY = 0.3
"""The time between two lines of progress [s]."""


def result_json(result: Any) -> Any:
    """Return the result of a command as JSON values."""
    return msgspec.to_builtins(result, enc_hook=str)


def error_json(error: WorkcellError) -> dict[str, Any]:
    """Return an error as JSON values: class, message and evidence."""
    evidence = {name: str(value) if isinstance(value, Exception) else value for name, value in error.evidence.items()}
    return {
        "error": type(error).__name__,
        "message": str(error),
        "evidence": msgspec.to_builtins(evidence, enc_hook=str),
    }


def run_pipe(session: Session, lines: Iterable[str], out: TextIO, as_json: bool) -> int:
    """Carry out a script from a file or pipe; return the exit code."""

    def answer(number: int, line: str, result: Any) -> None:
        if as_json:
            _print_json(out, {"line": number, "command": line, "result": result_json(result)})
        else:
            print(str(result), file=out, flush=True)

    try:
        with noticed(sys.stderr):
            run_script(session, _until_exit(lines), answer)
    except ScriptStopped as stop:
        reason = stop.evidence.get("reason")
        if as_json:
            problem = error_json(reason if isinstance(reason, WorkcellError) else stop)
            _print_json(
                out, {"line": stop.evidence["line_number"], "command": stop.evidence.get("text", ""), **problem}
            )
        elif isinstance(reason, WorkcellError):
            number = stop.evidence["line_number"]
            end = (
                f"Stopped at line {number}. The lines before it keep their effect; the lines after it were not "
                "carried out."
            )
            print(f"line {number}:\n{reason.pointed()}\n{end}", file=sys.stderr)
        else:
            print(str(stop), file=sys.stderr)
        return 1
    return 0


def _until_exit(lines: Iterable[str]) -> Iterable[str]:
    for line in lines:
        if line.strip() in LEAVE:
            return
        yield line


def _print_json(out: TextIO, value: dict[str, Any]) -> None:
    print(msgspec.json.encode(value, order="deterministic").decode(), file=out, flush=True)


class Progress:
    """The progress of a long command, on its own line, which is cleared when the command ends."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._at = time.monotonic()
        self._width = 0

    def __call__(self, fraction: float, label: str) -> None:
        """Show the fraction and the label, a few times per second."""
        now = time.monotonic()
        if now - self._at < _EVERY:
            return
        self._at = now
        text = f"{fraction:4.0%} {label}"[:79]
        self._out.write(f"\r{text:<{self._width}}")
        self._out.flush()
        self._width = len(text)

    def clear(self) -> None:
        """Clear the line."""
        if self._width:
            self._out.write(f"\r{'':<{self._width}}\r")
            self._out.flush()


class Shell:
    """The shell of a person at a terminal: completion, history, help, and questions for missing parameters."""

    def __init__(self, session: Session, as_json: bool = False) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import FileHistory, InMemoryHistory

        self._session = session
        session.attended = True
        self._json = as_json
        folder = Path.home() / ".local" / "state" / "workcell"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            past: Any = FileHistory(str(folder / "history"))
        except OSError:
            past = InMemoryHistory()
        self._prompt: PromptSession[str] = PromptSession(
            history=past, completer=_completer(session), complete_while_typing=False
        )

    def run(self) -> int:
        """Read and carry out lines until `exit` or Ctrl-D; return the exit code."""
        from prompt_toolkit import print_formatted_text
        from prompt_toolkit.formatted_text import FormattedText

        name = self._session.database.store.path
        title = name.name if name else "cell in memory"
        print_formatted_text(
            FormattedText(
                [("bold", f"Workcell, {title}. "), ("", "`?` lists what you can type, Tab completes, `exit` leaves.")]
            )
        )
        while True:
            mark = "... " if self._session.group is not None else "> "
            try:
                line = self._prompt.prompt(mark).strip()
            except KeyboardInterrupt:
                continue
            except EOFError:
                break
            if line in LEAVE:
                break
            if begins(line):
                line = self._program(line)
            for _, text in logical_lines(line.splitlines()):
                self._one(text)
        if left := self._session.leave_group():
            print(f"A group was still open: {left}.")
        return 0

    def _program(self, first: str) -> str:
        """Ask for the lines of a program until its `end`; Ctrl-C cancels."""
        block = Block(first)
        while block.open:
            try:
                block.add(self._prompt.prompt("... ", completer=None))
            except (KeyboardInterrupt, EOFError):
                print("cancelled")
                return ""
        return block.text

    def _one(self, line: str) -> None:
        from prompt_toolkit import print_formatted_text
        from prompt_toolkit.formatted_text import FormattedText

        progress = Progress(sys.stderr) if sys.stderr.isatty() and not self._json else None
        if progress is not None:
            self._session.progress = progress
        try:
            try:
                result = self._asking(line)
            finally:
                if progress is not None:
                    progress.clear()
            if self._json:
                _print_json(sys.stdout, {"command": line, "result": result_json(result)})
            else:
                print(result)
        except WorkcellError as error:
            if self._json:
                _print_json(sys.stdout, {"command": line, **error_json(error)})
            else:
                print_formatted_text(FormattedText([("ansired", error.pointed())]))
        except (KeyboardInterrupt, EOFError):
            print("cancelled")

    def _asking(self, line: str) -> Any:
        """Carry out a line, asking for each parameter that is missing."""
        while True:
            try:
                return self._session.do(line)
            except MissingParameter as missing:
                word = str(missing.evidence["word"])
                if word:
                    line = f"{line} {word}"
                    continue
                answer = self._prompt.prompt(f"  {missing.evidence['asked']}: ", completer=None).strip()
                if not answer:
                    raise
                if answer == "?":
                    print(self._session.do(f"{line} ?"))
                    continue
                line = f"{line} {answer}"


def _completer(session: Session) -> Any:
    from prompt_toolkit.completion import Completer, Completion

    class Words(Completer):
        def get_completions(self, document: Any, complete_event: Any) -> Iterable[Completion]:
            text = document.text_before_cursor
            last = len(text) - max(text.rfind(" "), text.rfind("\t")) - 1
            for item in session.complete(text):
                yield Completion(item.text, start_position=-last, display_meta=item.help)

    return Words()
