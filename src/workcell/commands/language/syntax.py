"""The declared syntax of a command: ``attach {child} to {parent} [as {name}] [{transform}] [--deep]``.

The leading words name the command. Then come the required words and parameters, then optional groups in any order: a
word with its parameters, a single parameter, or a flag. A group that ends in ``*`` may be repeated; its parameter is a
list.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from workcell.commands.language.value import Value

_ITEM = re.compile(r"\[[^\]]*\]\*?|\{\w+\}|[^\s\[\]{}]+")


class SyntaxItem(NamedTuple):
    """A word or a parameter of a syntax line."""

    word: str
    param: str


class Group(NamedTuple):
    """An optional group; ``flag`` names the yes-or-no parameter that a bare ``--word`` sets."""

    parts: tuple[SyntaxItem, ...]
    params: tuple[str, ...]
    flag: str
    repeats: bool


class Syntax:
    """A parsed syntax line with the types of its parameters."""

    def __init__(self, text: str, params: dict[str, Value]) -> None:
        self.text = text
        self.params = params
        words: list[str] = []
        required: list[SyntaxItem] = []
        groups: list[Group] = []
        for item in _ITEM.findall(text):
            if item[0] == "[":
                groups.append(_group(item))
            elif item[0] == "{":
                required.append(SyntaxItem("", item[1:-1]))
            elif required:
                required.append(SyntaxItem(item, ""))
            else:
                words.append(item)
        self.words = tuple(words)
        self.required = tuple(required)
        self.groups = tuple(groups)
        self.repeated = {part.param for group in groups if group.repeats for part in group.parts if part.param}
        """The parameters that are lists."""
        self.required_params = [part.param for part in required if part.param]
        """The parameters that must be given."""
        self.relations = tuple(name for name, value in params.items() if value.relations)
        """The parameters that may be relations."""
        named = [part.param for part in self.all_parts() if part.param]
        flags = [group.flag for group in groups if group.flag]
        missing = set(named) ^ set(params)
        assert not missing, f"{text}: parameters and types do not fit: {missing}"
        assert len(set(named + flags)) == len(named + flags), f"{text}: a parameter is there twice"
        self._first, self._last = _runs(words, required, params)
        self._groups = tuple(_Optional.of(group, params) for group in groups)

    def all_parts(self) -> list[SyntaxItem]:
        """Return every word and parameter behind the leading words."""
        return [*self.required, *(part for group in self.groups for part in group.parts)]

    def shown(self) -> str:
        """Return the syntax as text: ``attach CHILD to PARENT [as NAME] …``, with parameters in capitals."""

        def part_text(part: SyntaxItem) -> str:
            return part.word or part.param.upper()

        pieces = [*self.words, *(part_text(part) for part in self.required)]
        for group in self.groups:
            pieces.append(f"[{' '.join(part_text(p) for p in group.parts)}]{'…' if group.repeats else ''}")
        return " ".join(pieces)

    def canonical(self, values: dict[str, Any], text_of: Callable[[str, Any], str] | None = None) -> str:
        """Return the full line for these values; ``text_of(param, value)`` writes a value instead of its type."""
        out = ""
        for words, param, text in self._first:
            out += words
            out += text(values[param]) if text_of is None else text_of(param, values[param])
        out += self._last
        for words, param, text, group in self._groups:
            if param:
                value = values.get(param)
                if value is not None:
                    out += words
                    out += text(value) if text_of is None else text_of(param, value)
            elif group.flag:
                if values.get(group.flag):
                    out += words
            elif all(values.get(name) is not None for name in group.params):
                given = [values]
                if group.repeats:
                    rounds = zip(*(values[name] for name in group.params), strict=True)
                    given = [dict(zip(group.params, one, strict=True)) for one in rounds]
                write = text_of or self._text_of
                out += "".join([f" {word or write(p, one[p])}" for one in given for word, p in group.parts])
        return out

    def _text_of(self, name: str, value: Any) -> str:
        return self.params[name].text(value)


class _Optional(NamedTuple):
    """How an optional group is written: its words and, if it is that simple, its only parameter."""

    words: str
    param: str
    text: Callable[[Any], str]
    group: Group

    @classmethod
    def of(cls, group: Group, params: dict[str, Value]) -> _Optional:
        """Return how a group is written."""
        (*before, last) = group.parts
        words = "".join(f" {part.word}" for part in before)
        if group.flag:
            return cls(f" {last.word}", "", str, group)
        simple = not group.repeats and last.param and all(part.word for part in before)
        return cls(f"{words} ", last.param, params[last.param].text, group) if simple else cls("", "", str, group)


def _runs(
    words: list[str], required: list[SyntaxItem], params: dict[str, Value]
) -> tuple[list[tuple[str, str, Callable[[Any], str]]], str]:
    """Return the required parameters, each with the words before it, and the words behind the last one."""
    runs: list[tuple[str, str, Callable[[Any], str]]] = []
    before = " ".join(words)
    for word, param in required:
        if word:
            before += f" {word}"
        else:
            runs.append((f"{before} ", param, params[param].text))
            before = ""
    return runs, before


def _group(item: str) -> Group:
    repeats = item.endswith("*")
    inner = item[1:-2] if repeats else item[1:-1]
    parts = tuple(
        SyntaxItem("", piece[1:-1]) if piece[0] == "{" else SyntaxItem(piece, "") for piece in _ITEM.findall(inner)
    )
    flag = parts[0].word[2:].replace("-", "_") if len(parts) == 1 and parts[0].word.startswith("--") else ""
    return Group(parts, tuple(part.param for part in parts if part.param), flag, repeats)
