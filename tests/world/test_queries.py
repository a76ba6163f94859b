"""Questions of any length and depth: the answer is that of Boolean algebra, never a fault of a parser."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workcell.commands.cell import Cell
from workcell.errors import CommandSyntaxError
from workcell.world.queries import MOST_CONDITIONS, Query

NAMES = ("a1", "a2", "b1", "b2", "c1")


@pytest.fixture(scope="module")
def blocks():
    with Cell() as cell:
        for name in NAMES:
            cell.do(f"create block {name}")
        cell.do("create object a9")
        yield cell.database


def names(database, text: str) -> set[str]:
    return {entity.name for entity in Query(database, text).entities()}


ATOMS = {
    "name a*": {"a1", "a2", "a9"},
    "name *1": {"a1", "b1", "c1"},
    "kind block": set(NAMES),
    "name b2": {"b2"},
}
EVERYTHING = {*NAMES, "a9"}
questions = st.recursive(
    st.sampled_from(sorted(ATOMS)).map(lambda atom: (atom, ATOMS[atom])),
    lambda inner: st.one_of(
        inner.map(lambda one: (f"not ({one[0]})", EVERYTHING - one[1])),
        st.tuples(inner, inner).map(lambda two: (f"({two[0][0]}) and ({two[1][0]})", two[0][1] & two[1][1])),
        st.tuples(inner, inner).map(lambda two: (f"({two[0][0]}) or ({two[1][0]})", two[0][1] | two[1][1])),
    ),
    max_leaves=12,
)


@given(questions)
def test_brackets_and_or_and_not_are_those_of_boolean_algebra(blocks, question):
    text, answer = question
    assert names(blocks, text) == answer


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(sorted(ATOMS)), st.sampled_from(["and", "or"])), min_size=1))
def test_not_binds_before_and_and_before_or(blocks, terms):
    text = " ".join(f"{'not ' if no else ''}{atom} {link}" for no, atom, link in terms).rsplit(" ", 1)[0]
    alternatives: list[set[str]] = []
    joined = False
    for no, atom, link in terms:
        value = EVERYTHING - ATOMS[atom] if no else ATOMS[atom]
        if joined:
            alternatives[-1] = alternatives[-1] & value
        else:
            alternatives.append(value)
        joined = link == "and"
    assert names(blocks, text) == set().union(*alternatives)


@pytest.mark.parametrize("count", [15, 100, MOST_CONDITIONS])
def test_many_conditions_are_answered(blocks, count):
    assert names(blocks, " and ".join(["name a*"] * count)) == ATOMS["name a*"]
    assert names(blocks, " or ".join(["name a*", *["name b2"] * (count - 1)])) == {"a1", "a2", "a9", "b2"}
    assert names(blocks, " or ".join(f"name {n}x" for n in range(count - 1)) + " or name b2") == {"b2"}


@pytest.mark.parametrize("depth", [14, 400, 20_000])
def test_deep_brackets_and_negations_are_answered(blocks, depth):
    assert names(blocks, "(" * depth + "name a*" + ")" * depth) == ATOMS["name a*"]
    assert names(blocks, "not " * (2 * depth) + "name a*") == ATOMS["name a*"]
    assert names(blocks, "not (" * depth + "name a*" + ")" * depth) == ATOMS["name a*"]


def test_a_question_with_too_many_conditions_is_refused(blocks):
    with pytest.raises(CommandSyntaxError, match=r"at most 1,000 conditions; use several questions"):
        Query(blocks, " or ".join(["name a*"] * (MOST_CONDITIONS + 1)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(name a*", r"`\)`"),
        ("name a* )", "`and`, `or` or the end"),
        ("name a* and", "a condition"),
        ("not", "a condition"),
        ("()", "a condition"),
        ("name a* name b*", "`and`, `or` or the end"),
    ],
)
def test_what_does_not_close_or_go_on_is_pointed_at(blocks, text, expected):
    with pytest.raises(CommandSyntaxError, match=f"Expected {expected}"):
        Query(blocks, text)
