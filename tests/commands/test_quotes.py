"""Texts and names with blanks: what a line without quotes is answered with, and what is suggested."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workcell.commands.cell import Cell
from workcell.errors import CommandSyntaxError, UnknownName


@pytest.fixture
def cell() -> Iterator[Cell]:
    with Cell() as made:
        yield made


@pytest.mark.parametrize(
    ("line", "found", "quoted"),
    [
        ("allow A with B because it is a gauge", "is", 'allow A with B because "it is a gauge"'),
        (
            "create block x description the first one colour red",
            "first",
            'create block x description "the first one" colour red',
        ),
        ("create block x description=the first one", "first", 'create block x description="the first one"'),
    ],
)
def test_a_text_of_several_words_is_refused_with_the_quoted_line(cell, line, found, quoted):
    cell.do("add solid A box 10 10 10")
    cell.do("add solid B box 10 10 10 at 50,0,0")
    with pytest.raises(CommandSyntaxError) as refused:
        cell.do(line)
    assert refused.value.message.endswith(f"; found {found!r}. A text of several words needs quotes: `{quoted}`.")
    cell.do(quoted)


@pytest.mark.parametrize("line", ["show A fulll", 'allow A with B because it "is" a gauge', "create block x bx 1 2 3"])
def test_other_words_get_no_advice_about_quotes(cell, line):
    cell.do("add solid A box 10 10 10")
    cell.do("add solid B box 10 10 10 at 50,0,0")
    with pytest.raises(CommandSyntaxError) as refused:
        cell.do(line)
    assert "needs quotes" not in refused.value.message


def test_names_with_blanks_are_suggested_and_completed_as_they_must_be_typed(cell):
    cell.do('add target "my spot" 1,2,3')
    with pytest.raises(UnknownName, match='did you mean "my spot"'):
        cell.do("show myspot")
    for line in ("show m", 'show "m', "show my", 'show "my s'):
        assert '"my spot"' in [option.text for option in cell.session.complete(line)]
    assert '"my spot"' in [option.text for option in cell.session.complete('where "my')]
