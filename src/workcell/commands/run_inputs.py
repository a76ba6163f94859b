"""Inputs that were given to a run while it was paused, as the journal keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.program_printer import step_lines
from workcell.commands.language.program_reader import read_program
from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.language.values import Value, escape, unescape
from workcell.errors import WorkcellError
from workcell.programs import steps as s
from workcell.programs.expressions import Number

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.stepping import Input


class Inputs(Value):
    """Inputs while a run was paused, each as ``POSITION:SIGNAL=VALUE`` or ``POSITION:STEP`` in quotes."""

    label = "POSITION:SIGNAL=VALUE …"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Words in quotes, with blanks between."""
        from workcell.simulation.stepping import Input

        found: list[Input] = []
        while not tokens.done:
            column = tokens.column
            word = unescape(unquote(tokens.take().text))
            position, _, rest = word.partition(":")
            try:
                found.append(Input(int(position), _input_step(rest)))
            except (ValueError, WorkcellError):
                raise tokens.fail(
                    f"Expected an input such as '12:ready=1'; found {word!r}.", [self.label], column
                ) from None
        return found

    def text(self, value: Any) -> str:
        """As it is read."""
        return " ".join(f'"{escape(f"{one.position}:{_input_text(one.step)}")}"' for one in value)


def _input_text(step: s.Step) -> str:
    """Return the text of an input: ``ready=1`` for a signal, its line for any other step."""
    if isinstance(step, s.SetSignal):
        assert isinstance(step.value, Number)
        return f"{step.signal}={step.value.value!r}"
    return next(iter(step_lines(step)))


def _input_step(text: str) -> s.Step:
    """Read what :func:`_input_text` wrote."""
    signal, _, value = text.rpartition("=")
    try:
        return s.SetSignal(signal, Number(float(value)))
    except ValueError:
        (step,) = read_program("input", text).program.body
        if not isinstance(step, s.GIVEN):
            raise
        return step
