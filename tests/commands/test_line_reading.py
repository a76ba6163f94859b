"""How lines are read: by a plan compiled per command, by typed errors and not by their words, at a cost that stays."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workcell
from workcell.commands.cell import Cell
from workcell.commands.language.line_reader import MissingParameter
from workcell.commands.language.registry import registry
from workcell.commands.language.tokens import Tokens
from workcell.commands.language.values import BrokenRule, beginnings, match_word
from workcell.commands.shell import Shell
from workcell.errors import CommandSyntaxError, WorkcellError

WORDS = st.text("abc-", min_size=1, max_size=4)


@given(st.lists(WORDS, unique=True, max_size=6), WORDS)
def test_the_compiled_beginnings_mean_what_a_search_finds(words, text):
    assert list(beginnings(words).get(text, ())) == match_word(text, words)


@given(st.text(" \tab,1\u00a0\x1c.", max_size=20))
def test_words_stand_where_they_were_typed(line):
    tokens = Tokens(line)
    texts = []
    while (token := tokens.peek()) is not None:
        assert line[token.start : token.start + len(token.text)] == token.text
        assert line[: token.start].split() == texts
        texts.append(tokens.take().text)
    assert texts == line.split()


def test_no_code_decides_by_the_words_of_an_error():
    """Messages may be reworded: nothing searches, cuts or compares them."""
    found = []
    for path in sorted(Path(workcell.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Compare):
                looked = [node.left, *node.comparators]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CUTTING:
                looked = [node.func.value]
            else:
                continue
            found += [f"{path.name}:{node.lineno}" for one in looked if _is_message(one)]
    assert not found


CUTTING = {"startswith", "endswith", "split", "partition", "rpartition", "removeprefix", "find", "index", "replace"}


def _is_message(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute) and node.attr == "message":
        return isinstance(node.value, ast.Name) and node.value.id in ERRORS
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "str"
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Name)
        and node.args[0].id in ERRORS
    )


ERRORS = {"error", "stop", "missing", "reason", "told", "failure", "refused", "problem"}


@pytest.fixture
def reworded(monkeypatch):
    """Every error of a command line says the same."""
    made = CommandSyntaxError.__init__

    def init(self: CommandSyntaxError, message: str, **evidence: object) -> None:
        made(self, "Hm.", **evidence)

    monkeypatch.setattr(CommandSyntaxError, "__init__", init)


LINES = [
    "create ", "create block ", "create block a ", "create block a box ", "create block a box 1 ", "place a at ",
    "place a at 1 ", "create surface s contour (0,0) ", "attach a ", "attach a to ", "undo ", "set ",
]  # fmt: skip


def _ahead(cell: Cell) -> list[object]:
    return [cell.session.expectations(line) for line in LINES] + [cell.session.complete(line) for line in LINES]


def test_what_may_come_next_does_not_depend_on_messages(cell, request):
    cell.do("create block a")
    before = _ahead(cell)
    assert any(item.help.startswith("such as") for items in before for item in items)
    request.getfixturevalue("reworded")
    assert _ahead(cell) == before


def test_a_line_with_a_mistake_has_no_completions(cell):
    assert cell.session.complete("place nobody at ") == []
    assert cell.session.complete("create nonsense ") == []


def test_a_number_that_breaks_a_rule_names_the_parameter(cell):
    with pytest.raises(BrokenRule, match=r"^COUNT must be more than zero; found -1\.$") as caught:
        cell.do("undo -1")
    assert caught.value.evidence["rule"] == "must be more than zero"
    with pytest.raises(BrokenRule, match=r"^COUNT must be a whole number; found 1\.5\.$"):
        cell.do("undo 1.5")


def test_the_shell_asks_for_what_is_missing_whatever_messages_say(cell, reworded, monkeypatch):
    asked = []
    shell = Shell.__new__(Shell)
    shell._session = cell.session

    class Prompt:
        def prompt(self, text: str, completer: object) -> str:
            asked.append(text)
            return "a1"

    shell._prompt = Prompt()
    shell._asking("create block")
    assert asked == ["  NAME (a new name; in quotes if it has blanks): "]
    assert cell.database.names("block") == ["a1"]
    with pytest.raises(MissingParameter) as caught:
        cell.do("place a1 at")
    assert (
        caught.value.evidence["asked"]
        == "POSE (POSE|TARGET: where its origin will be: a pose in the world, or the name of a target or frame)"
    )


def _steps(cell: Cell, line: str) -> int:
    """How many tens of instructions the database carries out for a command."""
    count = 0

    def tick() -> int:
        nonlocal count
        count += 1
        return 0

    cell.database.store.connection.set_progress_handler(tick, 10)
    try:
        cell.do(line)
    finally:
        cell.database.store.connection.set_progress_handler(None, 0)
    return count


def _filled(count: int) -> Cell:
    cell = Cell()
    for line in ("create block whole box 10 20 30", "create surface square contour (0,0) (1,0) (1,1) (0,1)",
                 "create object thing", "create block inner box 1 1 1", "create scene main"):  # fmt: skip
        cell.do(line)
    execute, ids = cell.database.store.connection.execute, cell.database.ids
    scene = cell.database.entity("scene", "main").id
    execute("BEGIN")
    for number in range(count):
        one, link = ids.new(), ids.new()
        execute("INSERT INTO entity VALUES (?, 'object', ?, '', NULL, 0, NULL, '{}')", (one, f"other{number}"))
        row = (link, "transform-object", f"other{number}", scene, one, link, "[]", bytes(128), "", "{}")
        execute("INSERT INTO relation VALUES (?,?,?,?,?,?,?,?,?,?)", row)
    execute("COMMIT")
    return cell


@pytest.mark.parametrize(
    "line",
    [
        "create block part box 10 20 30 colour red",
        "attach square to whole as side rotate 90,0,0",
        "attach inner to thing",
        "place thing at 1,2,3",
        "modify block:whole colour blue",
        "modify block:whole name other-name",
    ],
)
def test_an_edit_costs_the_same_in_a_large_cell(line):
    with _filled(5) as small, _filled(3000) as large:
        assert _steps(large, line) <= _steps(small, line) + 60


def test_settings_that_change_are_seen_by_the_next_number(cell):
    for line, unit in [
        ("units inch deg", "inch"), ("undo", "mm"), ("redo", "inch"), ("preview units m deg", "inch"),
        ("group", "inch"), ("units m deg", "m"), ("cancel-group", "inch"), ("create block a", "inch"),
    ]:  # fmt: skip
        cell.do(line)
        assert cell.session.units.length == unit, line
    cell.database.begin_step("test")
    cell.do("units cm deg")
    assert cell.session.units.length == "cm"
    cell.database.cancel_step()
    assert cell.session.units.length == "inch"


def test_every_line_of_the_examples_reads_the_same_twice(cell):
    """A plan keeps nothing of a line that it has read."""
    tree = registry().tree
    for command in registry().commands:
        line = command.examples[-1].removeprefix("> ")
        answers = []
        for _ in range(2):
            try:
                answers.append(sorted(tree.parse(line, cell.session)[1]))
            except WorkcellError as error:
                answers.append([type(error).__name__, str(error)])
        assert answers[0] == answers[1]
