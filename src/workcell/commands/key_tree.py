"""The key tree: commands found by any unambiguous beginning of each word, and what may come next at any point."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from workcell.commands.syntax import Group, Part
from workcell.commands.tokens import Tokens
from workcell.commands.values import Value, match_word
from workcell.errors import CommandSyntaxError

if TYPE_CHECKING:
    from workcell.commands.registry import Command
    from workcell.commands.session import Session

_KEYED = re.compile(r"([a-z_]+)=(.*)", re.DOTALL)


class Expectation(NamedTuple):
    """What may come next: a word, or a parameter shown in capitals."""

    text: str
    help: str
    word: bool


class MissingParameter(CommandSyntaxError):
    """The line ends where a parameter must come; ``parameter`` names it, so that a person can be asked."""


class Node:
    """A place in the tree of leading words."""

    def __init__(self) -> None:
        self.children: dict[str, Node] = {}
        self.command: Command | None = None

    def help(self) -> str:
        """One line for this branch: the command's own, or its kinds of command."""
        if self.command is not None:
            return self.command.help
        return ", ".join(self.children)


class KeyTree:
    """All commands by their leading words."""

    def __init__(self, commands: list[Command]) -> None:
        self.root = Node()
        for command in commands:
            node = self.root
            for word in command.syntax.words:
                assert node.command is None, f"{command.name} begins with the whole of {node.command}"
                node = node.children.setdefault(word, Node())
            assert node.command is None, f"two commands called {command.name}"
            assert not node.children, f"{command.name} begins other commands"
            node.command = command

    def parse(self, line: str, session: Session) -> tuple[Command, dict[str, Any]]:
        """The command that a line gives, and its parameters."""
        tokens = Tokens(line)
        command = self._find(tokens)
        return command, _Tail(command, tokens, session).read()

    def _find(self, tokens: Tokens) -> Command:
        node = self.root
        while node.command is None:
            token = tokens.peek()
            if token is None:
                raise tokens.fail(f"Expected one of {', '.join(node.children)}.", list(node.children))
            word = token.text.lower()
            found = [word] if word in node.children else match_word(word, node.children)
            if len(found) != 1 or token.quoted:
                raise _unknown_word(tokens, token.text, found, list(node.children))
            tokens.take()
            node = node.children[found[0]]
        return node.command

    def expectations(self, line: str, session: Session) -> list[Expectation]:
        """What may stand at the end of an unfinished line whose words so far are complete."""
        tokens = Tokens(line)
        node = self.root
        while node.command is None:
            token = tokens.peek()
            if token is None:
                return [Expectation(word, child.help(), True) for word, child in node.children.items()]
            found = match_word(token.text, node.children)
            if len(found) != 1:
                raise _unknown_word(tokens, token.text, found, list(node.children))
            tokens.take()
            node = node.children[found[0]]
        return _Tail(node.command, tokens, session).next_items()

    def complete(self, line: str, session: Session) -> list[Expectation]:
        """Words and names that could finish the last, half-typed word of a line."""
        before, prefix = _split_last(line)
        try:
            expected = self.expectations(before, session)
        except CommandSyntaxError:
            return []
        out: list[Expectation] = []
        command, seen = self._seen(before, session)
        for item in expected:
            if item.word:
                if item.text.startswith(prefix):
                    out.append(item)
            elif command is not None:
                name = item.text.lower().strip("[]")
                value = command.syntax.params.get(name)
                if value is not None:
                    out += [Expectation(text, help, True) for text, help in value.complete(prefix, session, seen)]
        return list({item.text: item for item in out}.values())

    def _seen(self, line: str, session: Session) -> tuple[Command | None, dict[str, Any]]:
        tokens = Tokens(line)
        try:
            command = self._find(tokens)
        except CommandSyntaxError:
            return None, {}
        tail = _Tail(command, tokens, session)
        tail.next_items()
        return command, tail.values


class _Tail:
    """Reads what stands behind the leading words."""

    def __init__(self, command: Command, tokens: Tokens, session: Session) -> None:
        self._command = command
        self._syntax = command.syntax
        self._tokens = tokens
        self._session = session
        self.values: dict[str, Any] = {}
        self._open = list(command.syntax.groups)
        self._last: Value | None = None
        self._may_be_keyed = "=" in tokens.line

    def read(self) -> dict[str, Any]:
        for part in self._syntax.required:
            while self._keyed():
                pass
            if part.param in self.values:
                continue
            if self._tokens.done:
                if part.word and self._rest_is_keyed(part):
                    continue
                raise self._missing(part)
            self._part(part)
        while not self._tokens.done:
            if not self._keyed():
                self._group()
        return self.values

    def next_items(self) -> list[Expectation]:
        """Read as far as it goes and tell what may come next, also inside a value that is not whole yet."""
        try:
            return self._next_items()
        except CommandSyntaxError as error:
            column = error.evidence.get("column")
            if not isinstance(column, int) or column < len(self._tokens.line.rstrip()):
                raise
            return self._inside(error)

    def _inside(self, error: CommandSyntaxError) -> list[Expectation]:
        """What was expected where the line ends."""
        if isinstance(error, MissingParameter):
            return [self._expectation(Part(str(error.evidence["word"]), str(error.evidence["parameter"])))]
        evidence: dict[str, Any] = dict(error.evidence)
        expected: list[str] = evidence["expected"]
        helps: dict[str, str] = evidence.get("helps", {})
        told = error.message.removeprefix("Expected ").rstrip(".")
        if len(expected) == 1:
            helps = {expected[0]: told.removeprefix(expected[0]).lstrip(", ")}
        return [Expectation(text, helps.get(text, ""), text.islower()) for text in expected]

    def _next_items(self) -> list[Expectation]:
        for part in self._syntax.required:
            while self._keyed():
                pass
            if part.param in self.values:
                continue
            if self._tokens.done:
                return [*self._going_on(), self._expectation(part), *self._beginning(part)]
            self._part(part)
        while not self._tokens.done:
            if not self._keyed():
                self._group()
        rest = [self._expectation(group.parts[0], optional=True) for group in self._open]
        return [*self._going_on(), *rest, Expectation("(enter)", "carry it out", False)]

    def _going_on(self) -> list[Expectation]:
        """The words with which the value that was read last may go on."""
        return _words_of(self._last)

    def _beginning(self, part: Part) -> list[Expectation]:
        return _words_of(self._syntax.params[part.param] if part.param else None)

    def _expectation(self, part: Part, optional: bool = False) -> Expectation:
        if part.word:
            return Expectation(part.word, "may follow" if optional else "must follow", True)
        value = self._syntax.params[part.param]
        help = self._command.param_help.get(part.param, value.help)
        label = "" if value.label == part.param.upper() else value.label
        return Expectation(part.param.upper(), f"{label}{': ' if label and help else ''}{help}", False)

    def _told(self, part: Part) -> str:
        """A word or a parameter in a sentence; with its words where it has some."""
        text = self._expectation(part).text
        words = getattr(self._syntax.params.get(part.param), "words", None)
        return f"{text} ({', '.join(words)})" if isinstance(words, dict) else text

    def _missing(self, part: Part) -> CommandSyntaxError:
        expected = self._expectation(part)
        told = f" ({expected.help})" if expected.help else ""
        name = part.word or f"{part.param.upper()}{told}"
        return MissingParameter(
            f"Expected {name}: {self._syntax.shown()}.",
            line=self._tokens.line, column=len(self._tokens.line), expected=[expected.text], parameter=part.param,
            word=part.word,
        )  # fmt: skip

    def _rest_is_keyed(self, part: Part) -> bool:
        """Whether the words between may be left out, since the parameters behind them were given by name."""
        behind = self._syntax.required[self._syntax.required.index(part) :]
        return all(p.word or p.param in self.values for p in behind)

    def _part(self, part: Part) -> None:
        token = self._tokens.peek()
        if part.word:
            assert token is not None
            if token.quoted or not part.word.startswith(token.text):
                raise self._tokens.fail(f"Expected `{part.word}`; found {token.text!r}.", [part.word])
            self._tokens.take()
            self._last = None
        else:
            self.values[part.param] = self._value(part.param)

    def _value(self, name: str) -> Any:
        """Read the value of a parameter; what is said about a number says of which parameter."""
        self._last = value = self._syntax.params[name]
        try:
            return value.parse(self._tokens, self._session, self.values)
        except CommandSyntaxError as error:
            if error.message.startswith(f"{value.label} must "):
                told = f"{name.upper()}{error.message.removeprefix(value.label)}"
                raise CommandSyntaxError(told, **error.evidence) from None
            raise

    def _keyed(self) -> bool:
        """Read ``name=value`` for any parameter that is not there yet."""
        if not self._may_be_keyed:
            return False
        token = self._tokens.peek()
        if token is None or token.quoted or "=" not in token.text:
            return False
        match = _KEYED.match(token.text)
        if match is None or match[1] not in self._syntax.params or match[1] in self.values:
            return False
        name = match[1]
        value = self._syntax.params[name]
        start = token.start + match.start(2)
        # A value in brackets or quotes stands behind the sign; a plain one is part of the word.
        line = self._tokens.line
        sub = Tokens(" " * start + line[start:])
        parsed = value.parse(sub, self._session, self.values)
        next_column = sub.column
        self._tokens.take()
        while (t := self._tokens.peek()) is not None and t.start < next_column:
            self._tokens.take()
        self.values[name] = [parsed] if name in self._syntax.repeated else parsed
        self._open = [g for g in self._open if g.repeats or all(p.param != name for p in g.parts)]
        return True

    def _group(self) -> None:
        token = self._tokens.peek()
        assert token is not None
        openers = {group.parts[0].word: group for group in self._open if group.parts[0].word}
        found = match_word(token.text, openers) if openers and not token.quoted else []
        if len(found) > 1:
            raise _unknown_word(self._tokens, token.text, found, found)
        if found:
            self._tokens.take()
            self._take_group(openers[found[0]], skip=1)
            return
        for group in self._open:
            first = group.parts[0]
            if first.param and self._syntax.params[first.param].accepts(token.text):
                self._take_group(group, skip=0)
                return
        expected = [self._expectation(group.parts[0]).text for group in self._open]
        named = [self._told(group.parts[0]) for group in self._open]
        what = f"Expected {', '.join(named)} or the end" if named else "Nothing more was expected"
        raise self._tokens.fail(f"{what}; found {token.text!r}.", [*expected, "the end"])

    def _take_group(self, group: Group, skip: int) -> None:
        if not group.repeats:
            self._open.remove(group)
        if group.flag:
            self.values[group.flag] = True
            self._last = None
            return
        for part in group.parts[skip:]:
            if self._tokens.done:
                raise self._missing(part)
            if part.param and group.repeats:
                self.values.setdefault(part.param, []).append(self._value(part.param))
            else:
                self._part(part)


def _words_of(value: Value | None) -> list[Expectation]:
    return [Expectation(word, help, True) for word, help in value.words_inside().items()] if value else []


def _unknown_word(tokens: Tokens, word: str, found: list[str], known: list[str]) -> CommandSyntaxError:
    import difflib

    if found:
        return tokens.fail(f"{word!r} could be {' or '.join(found)}; type more of it.", found)
    near = [OTHER_WORDS[word.lower()]] if word.lower() in OTHER_WORDS else difflib.get_close_matches(word, known, 2)
    near = [w for w in near if w.split()[0] in known]
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    elif len(known) > 12:
        hint = "`help` lists them all."
    else:
        hint = f"there is {', '.join(known)}."
    return tokens.fail(f"{word!r} is not a command word here; {hint}", known)


OTHER_WORDS = {
    "delete": "remove", "rm": "remove", "erase": "remove", "new": "create", "make": "create", "rename": "modify",
    "set-colour": "modify", "edit": "modify", "change": "modify", "move": "place", "translate": "place",
    "rotate": "place", "ls": "list", "find": "query", "search": "query", "info": "show", "print": "show",
    "open": "load", "quit": "exit", "union": "combine", "cut": "combine", "subtract": "combine",
}  # fmt: skip
"""Words that people bring from elsewhere, and ours."""


def _split_last(line: str) -> tuple[str, str]:
    """The complete words, and the half-typed one."""
    if not line or line[-1].isspace():
        return line, ""
    quotes = line.count('"') % 2 == 1
    cut = line.rindex('"') if quotes else max(line.rfind(" "), line.rfind("\t")) + 1
    return line[:cut], line[cut:]
