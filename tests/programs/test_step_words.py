"""Every word that controls the steps of a program has help, with an example that runs."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.commands.language.program_blocks import ORDER
from workcell.commands.language.statement_reader import STATEMENTS
from workcell.commands.step_words import WORDS

STAGE = [
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "create signal ready",
    "add target spot 500,0,200 rotate 180,0,0",
    "create path way",
    *(f"add target {name} 500,{30 * n},200 rotate 180,0,0 to way" for n, name in enumerate("ab")),
    "program fetch\n  parameter n number\n  message n\nend",
]


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in STAGE:
            cell.do(line)
        yield cell


@pytest.mark.parametrize("word", sorted({*STATEMENTS, *ORDER} - {"end"}))
def test_every_word_has_help_with_an_example(cell, word):
    answer = str(cell.do(f"help {word}"))
    assert "e.g. in a program:" in answer
    assert word in answer


@pytest.mark.parametrize("word", WORDS)
def test_the_example_of_a_word_has_it_and_runs(cell, word):
    example = WORDS[word].example
    assert all(
        any(line.strip().startswith(one) or one == "#" for line in example.split("\n"))
        for one in (word, *WORDS[word].also)
    )
    answer = str(cell.do(f"program demo\n{example}\nend"))
    assert "mistake" not in answer
    cell.do("run demo")


def test_help_program_lists_them_all(cell):
    listed = str(cell.do("help program"))
    for word in {*STATEMENTS, *ORDER} - {"end"}:
        assert word in listed
    for one in WORDS.values():
        assert one.shown in listed
        assert one.help in listed


def test_a_word_that_is_typed_alone_leads_to_its_help(cell):
    with pytest.raises(wc.WorkcellError, match="`help while` explains it"):
        cell.do("while 1")


def test_a_command_that_is_a_word_of_programs_too_has_both_explained(cell):
    answer = str(cell.do("help message"))
    assert "message TEXT" in answer
    assert "message VALUE" in answer
