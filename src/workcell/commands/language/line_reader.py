"""Reading what follows the leading words of a command, with a plan that is compiled once for each command."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from workcell.commands.language.choices import beginnings
from workcell.commands.language.numbers import BrokenRule
from workcell.commands.language.program_blocks import ORDER
from workcell.commands.language.syntax import Group, SyntaxItem
from workcell.commands.language.texts import Text
from workcell.commands.language.tokens import Tokens
from workcell.commands.language.value import Value
from workcell.errors import CommandSyntaxError

if TYPE_CHECKING:
    from workcell.commands.language.registry import Command
    from workcell.commands.session import Session

_KEYED = re.compile(r"([a-z_]+)=(.*)", re.DOTALL)


class Expectation(NamedTuple):
    """What may come next: a word, or a parameter shown in capitals."""

    text: str
    help: str
    word: bool


class MissingParameter(CommandSyntaxError):
    """The line ends where a parameter must come; the shell then asks for it.

    Fields: ``parameter`` is its name, ``asked`` the question; ``word`` is the missing word, if a word is missing.
    """


class _Begun(NamedTuple):
    """An optional group whose first word was found: its bit, and what follows that word.

    ``param`` and ``value`` are set if that is a single parameter, as it mostly is.
    """

    bit: int
    param: str
    value: Value | None
    flag: str
    repeats: bool
    rest: tuple[SyntaxItem, ...]

    @classmethod
    def of(cls, place: int, group: Group, params: Mapping[str, Value]) -> _Begun:
        """Return what is known of the group before a line is read."""
        rest = group.parts[1:] if group.parts[0].word else group.parts
        param = rest[0].param if len(rest) == 1 and not group.repeats else ""
        return cls(1 << place, param, params.get(param), group.flag, group.repeats, rest)


class Plan:
    """How the words behind the leading words of a command are read, as far as this is known in advance."""

    __slots__ = ("all", "begun", "command", "lone", "opened", "openers", "params", "repeated", "required")

    def __init__(self, command: Command) -> None:
        syntax = command.syntax
        self.command = command
        self.params: Mapping[str, Value] = syntax.params
        self.repeated = syntax.repeated
        self.required = [(part, part.word, part.param, syntax.params.get(part.param)) for part in syntax.required]
        """The items that must come, each with its word, or its parameter and its type."""
        self.all = (1 << len(syntax.groups)) - 1
        """The bits of all groups."""
        self.begun = [_Begun.of(place, group, syntax.params) for place, group in enumerate(syntax.groups)]
        self.openers = {group.parts[0].word: place for place, group in enumerate(syntax.groups) if group.parts[0].word}
        """The groups that begin with a word."""
        begun = sum(bool(group.parts[0].word) for group in syntax.groups)
        assert len(self.openers) == begun, f"{command.name}: two groups begin with the same word"
        self.opened = {
            text: self.begun[self.openers[words[0]]] if len(words) == 1 else None
            for text, words in beginnings(self.openers).items()
        }
        """For every beginning of such a word its group; None if it may mean several."""
        self.lone: tuple[tuple[_Begun, Callable[[str], bool]], ...] = tuple(
            (self.begun[place], syntax.params[group.parts[0].param].accepts)
            for place, group in enumerate(syntax.groups)
            if group.parts[0].param
        )
        """The groups that begin with a parameter, each with a test whether a word may begin it."""


class LineReader:
    """One line that is read with the plan of its command."""

    __slots__ = ("_keyed_words", "_name", "_open", "_plan", "_session", "_tokens", "values")

    def __init__(self, plan: Plan, tokens: Tokens, session: Session) -> None:
        self._plan = plan
        self._tokens = tokens
        self._session = session
        self.values: dict[str, Any] = {}
        self._open = plan.all
        """The bits of the groups that may still come."""
        self._name = ""
        """The parameter that was read last; '' after a word."""
        self._keyed_words = "=" in tokens.line

    def read(self) -> dict[str, Any]:
        """Return the parameters by name."""
        part = self._named_read()
        if part is not None:
            raise self._missing(part)
        return self.values

    def next_items(self) -> list[Expectation]:
        """Read as far as possible and list what may come next, also inside an incomplete value."""
        try:
            part = self._named_read()
        except CommandSyntaxError as error:
            column = error.evidence.get("column")
            if not isinstance(column, int) or column < len(self._tokens.line.rstrip()):
                raise
            return self._inside(error)
        if part is not None:
            beginning = _words_of(self._plan.params[part.param] if part.param else None)
            return [*self._going_on(), self._expectation(part), *beginning]
        rest = [self._expectation(group.parts[0], optional=True) for group in self._open_groups()]
        return [*self._going_on(), *rest, Expectation("(enter)", "carry out the command", False)]

    def _going_on(self) -> list[Expectation]:
        """Return the words that may continue the value that was read last."""
        return _words_of(self._plan.params.get(self._name))

    def _named_read(self) -> SyntaxItem | None:
        """Read as :meth:`_read` does; an error about a number names its parameter."""
        try:
            return self._read()
        except BrokenRule as error:
            raise error.of(self._name.upper()) from None

    def _read(self) -> SyntaxItem | None:
        """Read to the end of the line; return the item that is missing there, if any."""
        tokens, values, session = self._tokens, self.values, self._session
        words = tokens.words
        for part, word, param, value in self._plan.required:
            if self._keyed_words:
                while self._keyed():
                    pass
                if param in values:
                    continue
            if words[tokens.at] is None:
                if word and self._rest_is_keyed(part):
                    continue
                return part
            if value is None:
                self._word(word)
            else:
                self._name = param
                values[param] = value.parse(tokens, session, values)
        while (text := words[tokens.at]) is not None:
            if not (self._keyed_words and self._keyed()):
                self._group(text)
        return None

    def _inside(self, error: CommandSyntaxError) -> list[Expectation]:
        """Return what was expected where the line ends."""
        if isinstance(error, MissingParameter):
            return [self._expectation(SyntaxItem(str(error.evidence["word"]), str(error.evidence["parameter"])))]
        evidence: dict[str, Any] = dict(error.evidence)
        expected: list[str] = evidence["expected"]
        helps: dict[str, str] = evidence.get("helps", {})
        return [Expectation(text, helps.get(text, ""), text.islower()) for text in expected]

    def _open_groups(self) -> list[Group]:
        groups = self._plan.command.syntax.groups
        return [group for place, group in enumerate(groups) if self._open >> place & 1]

    def _expectation(self, part: SyntaxItem, optional: bool = False) -> Expectation:
        if part.word:
            return Expectation(part.word, "may follow" if optional else "must follow", True)
        value = self._plan.params[part.param]
        help = self._plan.command.param_help.get(part.param, value.help)
        label = "" if value.label == part.param.upper() else value.label
        return Expectation(part.param.upper(), f"{label}{': ' if label and help else ''}{help}", False)

    def _named(self, part: SyntaxItem) -> str:
        """Return a word or a parameter for a sentence; a choice with its words."""
        text = self._expectation(part).text
        words = getattr(self._plan.params.get(part.param), "words", None)
        return f"{text} ({', '.join(words)})" if isinstance(words, dict) else text

    def _missing(self, part: SyntaxItem) -> CommandSyntaxError:
        expected = self._expectation(part)
        meaning = f" ({expected.help})" if expected.help else ""
        asked = part.word or f"{part.param.upper()}{meaning}"
        return MissingParameter(
            f"Expected {asked}: {self._plan.command.syntax.shown()}.",
            line=self._tokens.line, column=len(self._tokens.line), expected=[expected.text], parameter=part.param,
            word=part.word, asked=asked,
        )  # fmt: skip

    def _rest_is_keyed(self, part: SyntaxItem) -> bool:
        """Whether the remaining words may be left out, because their parameters were given by name."""
        required = self._plan.command.syntax.required
        return all(p.word or p.param in self.values for p in required[required.index(part) :])

    def _word(self, word: str) -> None:
        """Take the word that must come here, or its beginning."""
        tokens = self._tokens
        text = tokens.words[tokens.at]
        assert text is not None
        if text != word and (tokens.at in tokens.quoted or not word.startswith(text)):
            raise tokens.fail(f"Expected `{word}`{self._plan.command.such}; found {text!r}.", [word])
        tokens.at += 1
        self._name = ""

    def _keyed(self) -> bool:
        """Read ``name=value`` for a parameter that was not given yet."""
        token = self._tokens.peek()
        if token is None or token.quoted or "=" not in token.text:
            return False
        match = _KEYED.match(token.text)
        if match is None or match[1] not in self._plan.params or match[1] in self.values:
            return False
        name = match[1]
        value = self._plan.params[name]
        start = token.start + match.start(2)
        # A value in brackets or quotes follows the sign as its own token; a plain one is part of the word.
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
        for place, group in enumerate(groups):
            if not group.repeats and any(p.param == name for p in group.parts):
                self._open &= ~(1 << place)
        return True

    def _group(self, text: str) -> None:
        """Read the group that begins with the next word."""
        plan, tokens = self._plan, self._tokens
        if text in plan.opened and tokens.at not in tokens.quoted:
            begun = plan.opened[text]
            if begun is None or not begun.bit & self._open:
                begun = self._meant(text)
            if begun is not None:
                tokens.at += 1
                self._take(begun)
                return
        for begun, accepts in plan.lone:
            if begun.bit & self._open and accepts(text):
                self._take(begun)
                return
        left = self._open_groups()
        expected = [self._expectation(group.parts[0]).text for group in left]
        named = [self._named(group.parts[0]) for group in left]
        what = f"Expected {', '.join(named)} or the end" if named else "Nothing more was expected"
        raise tokens.fail(f"{what}; found {text!r}.{self._quotes()}", [*expected, "the end"])

    def _quotes(self) -> str:
        """How to type the text that was read last, where the words behind it seem to belong to it; else nothing."""
        tokens, name = self._tokens, self._name
        if not isinstance(self._plan.params.get(name), Text) or tokens.at - 1 in tokens.quoted:
            return ""
        end = tokens.at
        while (word := tokens.words[end]) is not None and word not in self._plan.openers and '"' not in word:
            end += 1
        if word is not None and '"' in word:
            return ""
        line, start = tokens.line, tokens.column_of(tokens.at - 1)
        keyed = f"{name}="
        start += len(keyed) if line.startswith(keyed, start) else 0
        text, rest = line[start : tokens.column_of(end)].rstrip(), line[tokens.column_of(end) :]
        return f' A text of several words needs quotes: `{line[:start]}"{text}"{" " if rest else ""}{rest}`.'

    def _meant(self, text: str) -> _Begun | None:
        """Return the group that a beginning may mean, among those that were not read yet."""
        plan = self._plan
        found = [w for w, place in plan.openers.items() if self._open >> place & 1 and w.startswith(text)]
        if len(found) > 1:
            raise unknown_word(self._tokens, text, found, found)
        return plan.begun[plan.openers[found[0]]] if found else None

    def _take(self, begun: _Begun) -> None:
        """Read what follows the word that opens a group, or a whole group without such a word."""
        bit, param, value, flag, repeats, rest = begun
        tokens, values = self._tokens, self.values
        if not repeats:
            self._open &= ~bit
        if flag:
            values[flag] = True
            self._name = ""
            return
        if value is not None and tokens.words[tokens.at] is not None:
            self._name = param
            values[param] = value.parse(tokens, self._session, values)
            return
        for part in rest:
            if tokens.words[tokens.at] is None:
                raise self._missing(part)
            if part.word:
                self._word(part.word)
                continue
            self._name = part.param
            read = self._plan.params[part.param].parse(tokens, self._session, values)
            if repeats:
                values.setdefault(part.param, []).append(read)
            else:
                values[part.param] = read


def _words_of(value: Value | None) -> list[Expectation]:
    return [Expectation(word, help, True) for word, help in value.words_inside().items()] if value else []


def unknown_word(tokens: Tokens, word: str, found: Iterable[str], known: Iterable[str]) -> CommandSyntaxError:
    """Return the error for a word that is unknown or ambiguous."""
    import difflib

    meant, words = list(found), list(known)
    if meant:
        return tokens.fail(f"{word!r} could be {' or '.join(meant)}; type more of it.", meant)
    near = [OTHER_WORDS[word.lower()]] if word.lower() in OTHER_WORDS else difflib.get_close_matches(word, words, 2)
    near = [w for w in near if w.split()[0] in words]
    if word.lower() in ORDER and len(words) > 12:
        hint = f"it is a statement of programs, between `program NAME` and `end`; `help {word.lower()}` explains it."
    elif near:
        hint = f"did you mean {' or '.join(near)}?"
    elif len(words) > 12:
        hint = "`help` lists them all."
    else:
        hint = f"there is {', '.join(words)}."
    return tokens.fail(f"{word!r} is not a command word here; {hint}", words)


OTHER_WORDS = {
    "delete": "remove", "rm": "remove", "erase": "remove", "new": "create", "make": "create", "rename": "modify",
    "set-colour": "modify", "edit": "modify", "change": "modify", "translate": "place",
    "rotate": "place", "ls": "list", "find": "query", "search": "query", "info": "show", "print": "show",
    "open": "load", "quit": "exit", "union": "combine", "cut": "combine", "subtract": "combine",
}  # fmt: skip
"""Words of other programs, and the words of Workcell for them."""
