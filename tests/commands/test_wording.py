"""Messages read well whatever stands in them: articles and plurals come from `workcell.wording`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import workcell
from workcell.errors import WorkcellError
from workcell.wording import an, capital, counted, either

ROOT = Path(workcell.__file__).parent
ARTICLE = re.compile(r"(?:^|[\s(])[Aa]n?\s$")
PLURAL = re.compile(r"^ (?:[a-z-]+ )?[a-z]+s\b")
NUMBER = re.compile(r"len\(.*\)(?: - 1)?\Z|.*\b(?:n|count)\Z")
LENGTHS = {"commands/kinematic_answers.py", "commands/robot_building.py"}
"""Here `a` is a length of Denavit and Hartenberg."""
MANY = {"cell.py", "files.py", "free_form.py", "model.py", "program_blocks.py"}
"""Here the number is more than one, or several nouns share it."""


def pieces(*rooms: str) -> Iterator[tuple[Path, ast.expr, ast.expr]]:
    """Neighbours in the f-strings of some rooms."""
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.JoinedStr):
                    for pair in zip(node.values, node.values[1:], strict=False):
                        yield path, *pair


def test_no_article_stands_before_a_word_that_is_filled_in():
    found = [
        f"{path.relative_to(ROOT)}:{before.lineno}"
        for path, before, after in pieces(".")
        if isinstance(before, ast.Constant)
        and isinstance(after, ast.FormattedValue)
        and ARTICLE.search(str(before.value))
        and str(path.relative_to(ROOT)) not in LENGTHS
    ]
    assert not found, "write {an(word)}"


def test_no_plural_stands_behind_a_number_that_may_be_one():
    found = [
        f"{path.relative_to(ROOT)}:{before.lineno}"
        for path, before, after in pieces("commands", "programs")
        if isinstance(before, ast.FormattedValue)
        and isinstance(after, ast.Constant)
        and NUMBER.match(ast.unparse(before.value))
        and PLURAL.match(str(after.value))
        and path.name not in MANY
    ]
    assert not found, "write {counted(number, noun)}"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("object", "an object"), ("robot or mechanism", "a robot or mechanism"), ("angle", "an angle"), ("STL", "an STL"),
        ("GLB", "a GLB"), ("union", "a union"), ("unit", "a unit"), ("euler angle", "a euler angle"), ("URDF", "a URDF"),
    ],
)  # fmt: skip
def test_articles(words, expected):
    assert an(words) == expected


def test_counts_lists_and_capitals():
    assert [counted(n, "joint") for n in (0, 1, 2)] == ["0 joints", "1 joint", "2 joints"]
    assert [counted(n, "body", "bodies") for n in (1, 2)] == ["1 body", "2 bodies"]
    assert [either(list("abc")[:n]) for n in (1, 2, 3)] == ["a", "a or b", "a, b or c"]
    assert capital(an("STL file")) == "An STL file"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["create object box", "create object box"], "There is an object called 'box' already"),
        (["create object box", "create robot A puma560", "home box"], "is an object"),
        (["create robot A puma560", "move-joints-relative A 1"], "A has 6 joints; found 1 value."),
        (["create object box", "create scene hall", "attach hall to box"], "cannot be attached to an object"),
    ],
)
def test_messages_have_the_right_article_and_number(lines, expected):
    with workcell.Cell() as cell:
        for line in lines[:-1]:
            cell.do(line)
        with pytest.raises(workcell.WorkcellError) as refused:
            cell.do(lines[-1])
        assert expected in refused.value.message


def test_all_properties_are_named_where_none_is_like_the_one_asked_for():
    with workcell.Cell() as cell:
        for line in ("add conveyor Belt 2500", "add solid part box 60 60 60 at -3000,950,30 --movable"):
            cell.do(line)
        cell.do("add source feed of part on Belt every 4s")
        with pytest.raises(WorkcellError, match=r"no property of station 'feed' called 'every'; there is .*interval"):
            cell.do("modify feed every 3s")
