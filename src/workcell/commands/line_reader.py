"""What stands behind the leading words of a command: a plan compiled once per command, and a line read by it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from workcell.commands.program_blocks import ORDER
from workcell.commands.syntax import Group, Part
from workcell.commands.tokens import Tokens
from workcell.commands.values import BrokenRule, Value
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
    """The line ends where a parameter must come, so that a person can be asked for it.

    Fields: ``parameter`` names it, ``asked`` is how a person is asked; ``word`` is the word that is missing instead.
    """


def beginnings(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """For every beginning of the words, those that it may mean; a whole word means itself."""
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        for length in range(1, len(word) + 1):
            found[word[:length]] = (*found.get(word[:length], ()), word)
    return {text: (text,) if text in meant else meant for text, meant in found.items()}


class Plan:
    """How the words behind the leading words of one command are read, as far as it is known before a line is typed."""

    __slots__ = ("command", "groups", "lone", "openers", "params", "repeated", "required", "words")

    def __init__(self, command: Command) -> None:
        syntax = command.syntax
        self.command = command
        self.params: Mapping[str, Value] = syntax.params
        self.repeated = syntax.repeated
        self.required = syntax.required
        self.groups = frozenset(range(len(syntax.groups)))
        self.openers = {group.parts[0].word: place for place, group in enumerate(syntax.groups) if group.parts[0].word}
        """The groups that begin with a word."""
        begun = sum(bool(group.parts[0].word) for group in syntax.groups)
        assert len(self.openers) == begun, f"{command.name}: two groups begin with the same word"
        self.words = beginnings(self.openers)
        """For every beginning of such a word, those that it may mean while all groups are open."""
        self.lone: tuple[tuple[int, Callable[[str], bool]], ...] = tuple(
            (place, syntax.params[group.parts[0].param].accepts)
            for place, group in enumerate(syntax.groups)
            if group.parts[0].param
        )
        """The groups that begin with a parameter, each with what knows whether a word may begin it."""


class LineReader:
    """One line being read by the plan of its command."""

    __slots__ = ("_keyed_words", "_last", "_name", "_open", "_plan", "_session", "_tokens", "values")

    def __init__(self, plan: Plan, tokens: Tokens, session: Session) -> None:
        self._plan = plan
        self._tokens = tokens
        self._session = session
        self.values: dict[str, Any] = {}
        self._open = plan.groups
        """The numbers of the groups that may still come."""
        self._last: Value | None = None
        self._name = ""
        """The parameter that was read last."""
        self._keyed_words = "=" in tokens.line

    def read(self) -> dict[str, Any]:
        """The parameters by name."""
        part = self._named_read()
        if part is not None:
            raise self._missing(part)
        return self.values

    def next_items(self) -> list[Expectation]:
        """Read as far as it goes and list what may come next, also inside a value that is not whole yet."""
        try:
            part = self._named_read()
        except CommandSyntaxError as error:
            column = error.evidence.get("column")
            if not isinstance(column, int) or column < len(self._tokens.line.rstrip()):
                raise
            return self._inside(error)
        if part is not None:
            beginning = _words_of(self._plan.params[part.param] if part.param else None)
            return [*_words_of(self._last), self._expectation(part), *beginning]
        rest = [self._expectation(group.parts[0], optional=True) for group in self._open_groups()]
        return [*_words_of(self._last), *rest, Expectation("(enter)", "carry it out", False)]

    def _named_read(self) -> Part | None:
        """Read as :meth:`_read` does; a rule that a number breaks is a rule of its parameter."""
        try:
            return self._read()
        except BrokenRule as error:
            raise error.of(self._name.upper()) from None

    def _read(self) -> Part | None:
        """Read to the end of the line; returns the part that had to come there, if one had to."""
        tokens, values = self._tokens, self.values
        for part in self._plan.required:
            if self._keyed_words:
                while self._keyed():
                    pass
                if part.param in values:
                    continue
            if tokens.peek() is None:
                if part.word and self._rest_is_keyed(part):
                    continue
                return part
            if part.word:
                self._word(part.word)
            else:
                values[part.param] = self._value(part.param)
        while tokens.peek() is not None:
            if not (self._keyed_words and self._keyed()):
                self._group()
        return None

    def _inside(self, error: CommandSyntaxError) -> list[Expectation]:
        """What was expected where the line ends."""
        if isinstance(error, MissingParameter):
            return [self._expectation(Part(str(error.evidence["word"]), str(error.evidence["parameter"])))]
        evidence: dict[str, Any] = dict(error.evidence)
        expected: list[str] = evidence["expected"]
        helps: dict[str, str] = evidence.get("helps", {})
        return [Expectation(text, helps.get(text, ""), text.islower()) for text in expected]

    def _open_groups(self) -> list[Group]:
        groups = self._plan.command.syntax.groups
        return [groups[place] for place in sorted(self._open)]

    def _expectation(self, part: Part, optional: bool = False) -> Expectation:
        if part.word:
            return Expectation(part.word, "may follow" if optional else "must follow", True)
        value = self._plan.params[part.param]
        help = self._plan.command.param_help.get(part.param, value.help)
        label = "" if value.label == part.param.upper() else value.label
        return Expectation(part.param.upper(), f"{label}{': ' if label and help else ''}{help}", False)

    def _told(self, part: Part) -> str:
        """A word or a parameter in a sentence; with its words where it has some."""
        text = self._expectation(part).text
        words = getattr(self._plan.params.get(part.param), "words", None)
        return f"{text} ({', '.join(words)})" if isinstance(words, dict) else text

    def _missing(self, part: Part) -> CommandSyntaxError:
        expected = self._expectation(part)
        told = f" ({expected.help})" if expected.help else ""
        asked = part.word or f"{part.param.upper()}{told}"
        return MissingParameter(
            f"Expected {asked}: {self._plan.command.syntax.shown()}.",
            line=self._tokens.line, column=len(self._tokens.line), expected=[expected.text], parameter=part.param,
            word=part.word, asked=asked,
        )  # fmt: skip

    def _rest_is_keyed(self, part: Part) -> bool:
        """Whether the words between may be left out, since the parameters behind them were given by name."""
        behind = self._plan.required[self._plan.required.index(part) :]
        return all(p.word or p.param in self.values for p in behind)

    def _word(self, word: str) -> None:
        """Take the word that must come here, or its beginning."""
        token = self._tokens.peek()
        assert token is not None
        if token.quoted or not word.startswith(token.text):
            raise self._tokens.fail(f"Expected `{word}`; found {token.text!r}.", [word])
        self._tokens.skip()
        self._last = None

    def _value(self, name: str) -> Any:
        """Read the value of a parameter."""
        self._name = name
        self._last = value = self._plan.params[name]
        return value.parse(self._tokens, self._session, self.values)

    def _keyed(self) -> bool:
        """Read ``name=value`` for any parameter that is not there yet."""
        token = self._tokens.peek()
        if token is None or token.quoted or "=" not in token.text:
            return False
        match = _KEYED.match(token.text)
        if match is None or match[1] not in self._plan.params or match[1] in self.values:
            return False
        name = match[1]
        value = self._plan.params[name]
        start = token.start + match.start(2)
        # A value in brackets or quotes stands behind the sign; a plain one is part of the word.
        line = self._tokens.line
        sub = Tokens(" " * start + line[start:])
        self._name = name
        parsed = value.parse(sub, self._session, self.values)
        next_column = sub.column
        self._tokens.skip()
        while (t := self._tokens.peek()) is not None and t.start < next_column:
            self._tokens.skip()
        self.values[name] = [parsed] if name in self._plan.repeated else parsed
        groups = self._plan.command.syntax.groups
        self._open = frozenset(
            place for place in self._open if groups[place].repeats or all(p.param != name for p in groups[place].parts)
        )
        return True

    def _group(self) -> None:
        plan, token = self._plan, self._tokens.peek()
        assert token is not None
        found = () if token.quoted else plan.words.get(token.text, ())
        if found:
            found = self._meant(token.text, found)
        if len(found) > 1:
            raise unknown_word(self._tokens, token.text, found, found)
        if found:
            self._tokens.skip()
            self._take_group(plan.openers[found[0]], skip=1)
            return
        for place, accepts in plan.lone:
            if place in self._open and accepts(token.text):
                self._take_group(place, skip=0)
                return
        left = self._open_groups()
        expected = [self._expectation(group.parts[0]).text for group in left]
        named = [self._told(group.parts[0]) for group in left]
        what = f"Expected {', '.join(named)} or the end" if named else "Nothing more was expected"
        raise self._tokens.fail(f"{what}; found {token.text!r}.", [*expected, "the end"])

    def _meant(self, text: str, words: tuple[str, ...]) -> tuple[str, ...]:
        """The words that a beginning may still mean; one whose group was read is out."""
        if len(words) > 1 or self._plan.openers[words[0]] not in self._open:
            words = tuple(w for w, place in self._plan.openers.items() if place in self._open and w.startswith(text))
        return words

    def _take_group(self, place: int, skip: int) -> None:
        group = self._plan.command.syntax.groups[place]
        if not group.repeats:
            self._open = self._open - {place}
        if group.flag:
            self.values[group.flag] = True
            self._last = None
            return
        for part in group.parts[skip:]:
            if self._tokens.peek() is None:
                raise self._missing(part)
            if part.word:
                self._word(part.word)
            elif group.repeats:
                self.values.setdefault(part.param, []).append(self._value(part.param))
            else:
                self.values[part.param] = self._value(part.param)


def _words_of(value: Value | None) -> list[Expectation]:
    return [Expectation(word, help, True) for word, help in value.words_inside().items()] if value else []


def unknown_word(tokens: Tokens, word: str, found: Iterable[str], known: Iterable[str]) -> CommandSyntaxError:
    """The error for a word that is none of those known, or that could be several."""
    import difflib

    meant, words = list(found), list(known)
    if meant:
        return tokens.fail(f"{word!r} could be {' or '.join(meant)}; type more of it.", meant)
    near = [OTHER_WORDS[word.lower()]] if word.lower() in OTHER_WORDS else difflib.get_close_matches(word, words, 2)
    near = [w for w in near if w.split()[0] in words]
    if word.lower() in ORDER and len(words) > 12:
        hint = "it orders the steps of a program, between `program NAME` and `end`."
    elif near:
        hint = f"did you mean {' or '.join(near)}?"
    elif len(words) > 12:
        hint = "`help` lists them all."
    else:
        hint = f"there is {', '.join(words)}."
    return tokens.fail(f"{word!r} is not a command word here; {hint}", words)


OTHER_WORDS = {
    "delete": "remove", "rm": "remove", "erase": "remove", "new": "create", "make": "create", "rename": "modify",
    "set-colour": "modify", "edit": "modify", "change": "modify", "move": "place", "translate": "place",
    "rotate": "place", "ls": "list", "find": "query", "search": "query", "info": "show", "print": "show",
    "open": "load", "quit": "exit", "union": "combine", "cut": "combine", "subtract": "combine",
}  # fmt: skip
"""Words that people bring from elsewhere, and ours."""
