"""The key tree: it finds commands by any unambiguous beginning of each word, and lists what may come next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.alternatives import meant
from workcell.commands.language.choices import beginnings
from workcell.commands.language.line_reader import Expectation, LineReader, Plan, unknown_word
from workcell.commands.language.tokens import Tokens
from workcell.errors import WorkcellError

if TYPE_CHECKING:
    from workcell.commands.language.registry import Command
    from workcell.commands.session import Session


class Node:
    """A node in the tree of leading words."""

    __slots__ = ("below", "children", "plan", "words")

    def __init__(self) -> None:
        self.children: dict[str, Node] = {}
        self.plan: Plan | None = None
        """How the rest of a line is read, if the leading words end here."""
        self.words: dict[str, tuple[str, ...]] = {}
        """For every beginning of a next word, the words that it may mean."""
        self.below: dict[str, Node] = {}
        """For every beginning that means one word, the node that it leads to."""

    @property
    def command(self) -> Command | None:
        """The command whose leading words end here."""
        return self.plan.command if self.plan is not None else None

    def help(self) -> str:
        """Return one line of help: that of the command, or the words that may come next."""
        return self.plan.command.help if self.plan is not None else ", ".join(self.children)

    def compile(self) -> None:
        """Prepare every beginning of the words below."""
        self.words = beginnings(self.children)
        self.below = {text: self.children[meant[0]] for text, meant in self.words.items() if len(meant) == 1}
        for child in self.children.values():
            child.compile()


_MOST_OFFERED = 49
"""How many names of one parameter `?` lists."""


class KeyTree:
    """All commands by their leading words, each with the plan of its reader."""

    def __init__(self, commands: list[Command]) -> None:
        self.root = Node()
        for command in commands:
            node = self.root
            for word in command.syntax.words:
                assert node.plan is None, f"{command.name} begins with the whole of {node.command}"
                node = node.children.setdefault(word, Node())
            assert node.plan is None, f"two commands called {command.name}"
            assert not node.children, f"{command.name} begins other commands"
            node.plan = Plan(command)
        self.root.compile()

    def parse(self, line: str, session: Session) -> tuple[Command, dict[str, Any]]:
        """Read a line; return its command and the parameters."""
        tokens = Tokens(line)
        node = self._descend(tokens)
        if node.plan is None:
            raise tokens.fail(f"Expected one of {', '.join(node.children)}.", list(node.children))
        return node.plan.command, LineReader(node.plan, tokens, session).read()

    def command_of(self, line: str) -> Command | None:
        """Return the command with whose words a line begins; None if there is none."""
        try:
            return self._descend(Tokens(line)).command
        except WorkcellError:
            return None

    def _descend(self, tokens: Tokens) -> Node:
        """Return the node of the leading words: that of a command, or the one where the line ends."""
        node, words = self.root, tokens.words
        other = meant(words, tokens.quoted)
        if other:
            tokens.at += 1
            node = node.children[other]
        while node.plan is None and (text := words[tokens.at]) is not None:
            below = node.below.get(text.lower())
            if below is None:
                raise unknown_word(tokens, text, node.words.get(text.lower(), ()), node.children)
            tokens.at += 1
            node = below
        return node

    def expectations(self, line: str, session: Session) -> list[Expectation]:
        """Return what may come next in an unfinished line whose words so far are complete.

        The words and names that completion offers for a parameter follow it.
        """
        expected, command, seen = self._ahead(line, session)
        out: list[Expectation] = []
        for item in expected:
            out.append(item)
            value = None if item.word or command is None else command.syntax.params.get(item.text.lower())
            if value is not None:
                offered = list(value.complete("", session, seen))
                out += [Expectation(text, help, True) for text, help in offered[:_MOST_OFFERED]]
                if len(offered) > _MOST_OFFERED:
                    out.append(Expectation("…", "and more; type the beginning of a name, then Tab", False))
        return list({item.text: item for item in reversed(out)}.values())[::-1]

    def _ahead(self, line: str, session: Session) -> tuple[list[Expectation], Command | None, dict[str, Any]]:
        """Return what may come next, in which command, after which parameters."""
        tokens = Tokens(line)
        node = self._descend(tokens)
        if node.plan is None:
            return [Expectation(word, child.help(), True) for word, child in node.children.items()], None, {}
        reader = LineReader(node.plan, tokens, session)
        return reader.next_items(), node.plan.command, reader.values

    def complete(self, line: str, session: Session) -> list[Expectation]:
        """Return the words and names that could complete the last word of a line."""
        before, prefix = _split_last(line)
        try:
            expected, command, seen = self._ahead(before, session)
        except WorkcellError:  # a line with a mistake has no completions
            return []
        out: list[Expectation] = []
        for item in expected:
            if item.word:
                if item.text.startswith(prefix):
                    out.append(item)
            elif command is not None:
                value = command.syntax.params.get(item.text.lower())
                if value is not None:
                    out += [Expectation(text, help, True) for text, help in value.complete(prefix, session, seen)]
        return list({item.text: item for item in out}.values())


def _split_last(line: str) -> tuple[str, str]:
    """Split a line into its complete words and the incomplete last one."""
    if not line or line[-1].isspace():
        return line, ""
    quotes = line.count('"') % 2 == 1
    cut = line.rindex('"') if quotes else max(line.rfind(" "), line.rfind("\t")) + 1
    return line[:cut], line[cut:]
