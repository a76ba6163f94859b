"""The forms of steps: for each kind of line of a program its fields, from the declarations of commands and steps.

A form reads the fields of a line as texts, and writes a line from such texts. The page makes its fields of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import msgspec

from workcell.commands.language.choices import Choice
from workcell.commands.language.expression_text import expression_text, glued_text, pose_text
from workcell.commands.language.program_outline import Row
from workcell.commands.language.program_printer import field_text
from workcell.commands.language.program_reader import read_row
from workcell.commands.language.registry import registry
from workcell.commands.language.step_reader import step_plans
from workcell.commands.language.syntax import Syntax
from workcell.commands.language.texts import File, Text
from workcell.commands.language.value import Value
from workcell.commands.step_words import explained
from workcell.errors import UnknownName, WorkcellError
from workcell.programs import steps as s
from workcell.programs.program import PARAMETER_TYPES, Parameter
from workcell.programs.wants import Entity, Wants, fields_of
from workcell.wording import quoted

Holds: TypeAlias = Literal[
    "entity", "number", "pose", "point", "joints", "truth", "any", "text", "choice", "flag", "word"
]
Texts: TypeAlias = dict[str, str]
"""The fields of a line that are given, as people type them; several values are on lines of their own."""
GROUPS = {
    "steps": "Control",
    "move_steps": "Moves",
    "part_steps": "Parts",
    "object_steps": "Parts",
    "signal_steps": "Signals and waits",
    "setting_steps": "Settings",
    "steering_steps": "Steering",
    "remark_steps": "Remarks",
    "program": "Control",
}
"""The groups of kinds, by the module that declares the step."""


@dataclass(frozen=True)
class FormField:
    """One field of a form.

    Attributes:
        name: its name, as the syntax shows it in capitals.
        holds: what it holds; an expression may stand for a number, a pose, joints and a truth value.
        kinds: the kinds of entity that it may name.
        quantity: of a number: ``length``, ``angle``, ``time``, ``speed``, ``joint speed`` and others.
        choices: the words that it may be, each with its help.
        required: whether the line needs it.
        several: whether it may hold several values, one on each line.
        help: what it means.
    """

    name: str
    holds: Holds
    kinds: tuple[str, ...] = ()
    quantity: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    required: bool = True
    several: bool = False
    help: str = ""


@dataclass(frozen=True)
class Form:
    """The form of one kind of line.

    Attributes:
        kind: the name of the kind: the words of its command, or of its statement.
        group: the group of steps that it belongs to.
        help: what it does.
        syntax: how it is written.
        fields: its fields, in the order of the syntax.
        opens: whether it opens a block.
    """

    kind: str
    group: str
    help: str
    syntax: Syntax
    fields: tuple[FormField, ...]
    opens: bool = False

    def line(self, texts: Mapping[str, str]) -> str:
        """Return the line with these fields; a field without text is left out.

        Raises:
            UnknownName: a field that this kind does not have.
        """
        known = {one.name: one for one in self.fields}
        given: dict[str, Any] = {}
        for name, text in texts.items():
            if name not in known:
                raise UnknownName.among(f"field of `{self.kind}`", name, known)
            written = _written(known[name], self.syntax.params.get(name), text.strip())
            if written is not None:
                given[name] = written
        missing = [one.name for one in self.fields if one.required and one.name not in given]
        for name in missing:
            given[name] = ""  # the reader names what is missing there
        return self.syntax.canonical(given, lambda _, text: str(text)).rstrip()


def _written(field: FormField, value: Value | None, text: str) -> Any:
    """Return a field as a line has it; None if it is left out."""
    if field.holds == "flag":
        return True if text == "yes" else None
    if not text:
        return None
    if field.several:
        return [one.strip() for one in text.split("\n") if one.strip()]
    if field.holds == "entity":
        return text if text.startswith('"') else quoted(text)
    if isinstance(value, Text | File):
        return value.text(text)
    return text


_STATEMENTS: tuple[tuple[str, str, type], ...] = (
    ("if", "if {condition}", s.Arm),
    ("else if", "else if {condition}", s.Arm),
    ("else", "else", s.Return),
    ("repeat", "repeat {count}", s.Repeat),
    ("while", "while {condition}", s.While),
    ("for", "for {variable} from {first} to {last} [by {by}]", s.For),
    ("for in", "for {variable} in {path}", s.ForEach),
    ("wait-until", "wait-until {condition} [timeout {timeout}]", s.WaitUntil),
    ("call", "call {program} [{arguments}]", s.Call),
    ("let", "let {variable} = {value}", s.Let),
    ("parallel", "parallel", s.Parallel),
    ("and", "and", s.Return),
    ("try", "try", s.Return),
    ("on-error", "on-error [{variable}]", s.Try),
    ("frame", "frame {frame}", s.Frame),
    ("message", "message {text}", s.Message),
    ("return", "return", s.Return),
    ("stop", "stop", s.Return),
    ("parameter", "parameter {name} {type} [= {default}]", Parameter),
    ("#", "# {text}", s.Comment),
)
"""The statements: the kind, how it is written, and the type that declares its fields."""
_OPENS = ("if", "repeat", "while", "for", "for in", "parallel", "try")
_HELP = {
    "condition": "what must be true, such as `n > 3` or a signal",
    "count": "how often",
    "variable": "the name of a variable",
    "first": "the first number",
    "last": "the last number",
    "by": "the step from number to number; default 1",
    "path": "the path with the targets",
    "timeout": "how long to wait at most",
    "program": "the program to run",
    "arguments": "values for its parameters, with commas between them",
    "value": "a number, a truth value, a text, joint values or a pose",
    "frame": "a frame, a target or a pose; `world` for the world",
    "text": "any value; a text is in quotes",
    "name": "the name of the parameter",
    "type": "what the parameter holds",
    "default": "its value if the caller gives none",
}
_OWN_HELP = {
    "if": "run the block if the condition is true",
    "else if": "run this block if the conditions above are false and this one is true",
    "else": "run this block if all conditions above are false",
    "for": "repeat the block for each number",
    "for in": "repeat the block for each target of a path",
    "and": "begin another branch, which runs in parallel to those above",
    "on-error": "run this block if a step of the block above is refused",
}
"""The help of kinds that are parts of one statement or share their first word."""


@lru_cache(maxsize=1)
def forms() -> dict[str, Form]:
    """Return the form of every kind of line, by its kind: statements first, then the commands in their order."""
    found = {kind: _statement(kind, syntax, made) for kind, syntax, made in _STATEMENTS}
    plans = step_plans()
    for command in registry().commands:
        if command.name in plans and command.name not in found:
            found[command.name] = _command(command.name)
    return found


def _statement(kind: str, written: str, made: type) -> Form:
    names = [part[1:-1] for part in written.replace("[", " ").replace("]", " ").split() if part.startswith("{")]
    syntax = Syntax(written, {name: Value() for name in names})
    declared = {one.name: one.holds for one in fields_of(made)} if issubclass(made, msgspec.Struct) else {}
    fields = []
    for name in names:
        required = name in syntax.required_params
        holds, kinds, quantity = _holds(declared.get(name))
        if kind == "parameter":
            holds = "choice" if name == "type" else "any" if name == "default" else "word"
        if kind == "#":
            holds = "text"
        if name == "arguments":
            holds = "any"
        choices = tuple((one, "") for one in PARAMETER_TYPES) if holds == "choice" else ()
        fields.append(FormField(name, holds, kinds, quantity, choices, required, False, _HELP[name]))
    words = explained(kind.split(maxsplit=1)[0])
    assert words is not None
    return Form(kind, _group(made), _OWN_HELP.get(kind, words.help), syntax, tuple(fields), kind in _OPENS)


def _command(name: str) -> Form:
    plan = step_plans()[name]
    command = plan.command
    syntax = command.syntax
    declared = {one.name: one for one in fields_of(plan.kind)}
    fields = []
    for param, value in syntax.params.items():
        if param not in declared:
            continue  # for the journal only
        holds, kinds, quantity = _holds(declared[param].holds)
        if declared[param].holds is None:
            holds = "choice" if isinstance(value, Choice) else "text" if isinstance(value, Text | File) else "word"
        choices = tuple(value.words.items()) if isinstance(value, Choice) else ()
        help = command.param_help.get(param, value.help)
        required = param in syntax.required_params
        fields.append(FormField(param, holds, kinds, quantity, choices, required, param in syntax.repeated, help))
    for group in syntax.groups:
        if group.flag in declared:
            fields.append(FormField(group.flag, "flag", required=False, help=command.param_help.get(group.flag, "")))
    return Form(name, _group(plan.kind), command.help, syntax, tuple(fields))


def _group(declared: type) -> str:
    return GROUPS.get(declared.__module__.rpartition(".")[2], "Other")


def _holds(declared: Entity | Wants | None) -> tuple[Holds, tuple[str, ...], str]:
    """Return what a field holds, the kinds of entity that it may name, and its quantity."""
    if isinstance(declared, Entity):
        return "entity", declared.kinds, ""
    if isinstance(declared, Wants):
        kind = declared.type if declared.type != "text" else "any"
        return kind, (), declared.quantity if kind == "number" else ""  # type: ignore[return-value]
    return "word", (), ""


# ---- the fields of a line --------------------------------------------------------------------------------


def form_of(row: Row, variables: set[str]) -> tuple[Form, Texts] | None:
    """Return the form of a row and its fields; None if it has none, or cannot be read."""
    if row.role == "comment":
        return forms()["#"], {"text": row.code[1:].strip()}
    if row.role in ("blank", "end") or row.word == "verbatim":
        return None
    try:
        fields = read_row(row.code, variables)
    except WorkcellError:
        return None
    read = _READ.get(row.word)
    if read is not None:
        kind, values = read(fields)
        return forms()[kind], {name: text for name, text in values.items() if text}
    step = fields[0]
    for kind, plan in step_plans().items():
        if plan.kind is type(step):
            return forms()[kind], _texts(forms()[kind], step)
    return None


def variables_of(rows: tuple[Row, ...]) -> set[str]:
    """Return the variables and parameters of a program, by the lines that make them."""
    return _made_by(rows, ("let", "for", "parameter", "on-error"))


def loops_of(rows: tuple[Row, ...]) -> set[str]:
    """Return the variables of the loops of a program."""
    return _made_by(rows, ("for",))


def _made_by(rows: tuple[Row, ...], words: tuple[str, ...]) -> set[str]:
    """Return the variables that lines with these first words make."""
    found = set()
    for row in rows:
        parts = row.code.split()
        if row.word in words and len(parts) > 1:
            found.add(parts[1].split("=")[0])
    return found


def _texts(form: Form, step: s.Step) -> Texts:
    """Return the fields of a step that is a command, without those that have their default."""
    command = registry().named(form.kind)
    kind = type(step)
    names, defaults = kind.__struct_fields__, kind.__struct_defaults__
    default_of = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    declared = {one.name: one.holds for one in fields_of(kind)}
    found: Texts = {}
    for field in form.fields:
        value = getattr(step, field.name)
        if value is None or (field.name in default_of and value == default_of[field.name]):
            continue
        holds, param = declared[field.name], command.syntax.params.get(field.name)
        if field.holds == "flag":
            found[field.name] = "yes"
        elif isinstance(holds, Entity) or isinstance(param, Text | File):
            found[field.name] = str(value)
        elif field.several:
            found[field.name] = "\n".join(field_text(command, field.name, holds, one) for one in value)
        else:
            found[field.name] = field_text(command, field.name, holds, value)
    return found


def _for(fields: tuple[Any, ...]) -> tuple[str, Texts]:
    if len(fields) == 2:
        return "for in", {"variable": fields[0], "path": fields[1]}
    variable, first, last, by = fields
    ends = {"first": expression_text(first), "last": expression_text(last)}
    return "for", {"variable": variable, **ends, "by": "" if by is None else expression_text(by)}


def _wait_until(fields: tuple[Any, ...]) -> tuple[str, Texts]:
    condition, timeout, _ = fields
    limit = "" if timeout is None else glued_text(timeout)
    return "wait-until", {"condition": expression_text(condition), "timeout": limit}


def _else(fields: tuple[Any, ...]) -> tuple[str, Texts]:
    return ("else", {}) if fields[0] is None else ("else if", {"condition": expression_text(fields[0])})


def _call(fields: tuple[Any, ...]) -> tuple[str, Texts]:
    step = fields[0]
    return "call", {"program": step.program, "arguments": ", ".join(map(expression_text, step.arguments))}


def _parameter(fields: tuple[Any, ...]) -> tuple[str, Texts]:
    one = fields[0]
    default = "" if one.default is None else expression_text(one.default)
    return "parameter", {"name": one.name, "type": one.type, "default": default}


def _frame(fields: tuple[Any, ...]) -> tuple[str, Texts]:
    return "frame", {"frame": "world" if fields[0].frame is None else pose_text(fields[0].frame)}


def _alone(kind: str) -> Callable[[tuple[Any, ...]], tuple[str, Texts]]:
    return lambda _: (kind, {})


_READ: dict[str, Callable[[tuple[Any, ...]], tuple[str, Texts]]] = {
    "if": lambda fields: ("if", {"condition": expression_text(fields[0])}),
    "else": _else,
    "while": lambda fields: ("while", {"condition": expression_text(fields[0])}),
    "repeat": lambda fields: ("repeat", {"count": expression_text(fields[0])}),
    "for": _for,
    "wait-until": _wait_until,
    "call": _call,
    "let": lambda fields: ("let", {"variable": fields[0].variable, "value": expression_text(fields[0].value)}),
    "message": lambda fields: ("message", {"text": expression_text(fields[0].text)}),
    "frame": _frame,
    "parameter": _parameter,
    "on-error": lambda fields: ("on-error", {"variable": fields[0]}),
    **{word: _alone(word) for word in ("parallel", "and", "try", "return", "stop")},
}
"""For each statement, its kind and its fields as texts."""
