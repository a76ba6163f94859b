"""Lines that differ only in their numbers are read from a template, and give the same as when read separately."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workcell.commands.language import line_shapes
from workcell.commands.language.program_reader import ReadProgram, read_program

LINES = [
    "wait {}", "wait {}s", "wait {} s", "wait {} - {}", "wait {} -{}", "wait {} {}", "wait ({} {})", "wait {}-{}",
    "wait {}e2", "wait {}e-{}", "wait {}*{}", "wait n{}", "wait n {}", "wait n-{}", "wait n - {}", "wait seconds={}",
    "move-joints-absolute Puma {},{},{},{},{},{}", "move-joints-absolute Puma {} {} {} {} {} {}",
    "move-joints-absolute Puma ({}, {}, {}, {}, {}, {}) deg", "move-joints-relative Puma {},n,{}rad,{},2*{},n-{}",
    "set joints Puma {},{},{},{},{},{}", "move-joints-absolute Puma {}",
    "move-end-effector Puma {},{},{} euler fanuc_wpr {},{},{}", "move-end-effector Puma {} {} {} rot {} {} {}",
    "move-straight-line Puma {},{},{} speed {}mm/s tolerance {}", "move-straight-line Puma {},{},{} tol {} speed {}",
    "move-straight-line Puma spot axis {},{},{} angle {} step {}", "move-circular Puma {},{},{} to {},{},{}",
    "move-path Puma through {},{},{} through spot translate {},{},{} radius {}", "move-hand Puma translate {},{},{}",
    "approach Puma t{} by {}mm", "approach Puma t-{} by {}", "approach Puma spot by {} + {} profile trapezoid",
    "retract Puma {} speed {}", "together move-joints-relative Puma {},{},{},{},{},{} & home Other",
    "close-gripper Puma distance {} angle {}", "set-signal ready {}", "set-signal signal:{} {}", "wait-for ready {}",
    "set-signal {} {}", "home {}", "speed Puma {}", "rounding Puma {}mm", "tool Puma translate {},{},{}",
    "let a = {}", "let a = {} + n * ({} - {})", "let b = n {}", "let p = spot translate {},{},{}", "let c{} = {}",
    "let a = joint(Puma, {}) + sqrt({})", "let a = min({}, {}, n)", "let r = ({}, {})", "let a = -{}", "let a = +{}",
    "if n < {} and ready = {}", "else if n > {}", "else", "while n < {}", "repeat {}", "for i from {} to {} by {}",
    "for i from n to i-{}", "end", "end {}", "wait-until n > {} timeout {}", "wait-until n timeout {}s else", "parallel",
    "and", "try", "on-error", "on-error why", "call sub {}, {}", "call sub {} {}", "call sub spot translate {},{},{}",
    'message "{} parts"', 'message "at " + {}', "message {}", "frame {},{},{} rotate {},{},{}", "frame world", "return",
    "# {} parts", "wait {}  # {} parts", "wait {}# {}", "follow-function Puma {} 'sin(t)' {}", "weld Puma {}", "{}", "",
    "parameter q number = {}", "process Puma on {}", "profile Puma {}", "branch Puma {}", "spe Puma {} {}", "\twait {}",
    "open-gripper Puma opening {} settle", "move-solid box through {},{},{} speed {}", "wait {}, {}", "wait \u0663{}",
]  # fmt: skip
NUMBERS = [
    "5", "-5", "0", "-0", "1.5", "-12.25", ".5", "-.5", "5.", "1.2.3", "+5", "--5", "- 5", "1e3", "2.5e-3", "5mm", "7deg",
    "", "n", "-n", "9" * 310, "-", ".", "1,2", "#", '"', "(3)", "0x1", "1_0",
]  # fmt: skip
plain = st.one_of(
    st.integers(-999, 999).map(str), st.floats(-1e4, 1e4, allow_nan=False).map(lambda value: f"{value:.3f}")
)


def whole(text: str, monkeypatch: pytest.MonkeyPatch) -> ReadProgram:
    """A text of which every line is read as a whole."""
    with monkeypatch.context() as patch:
        patch.setattr(line_shapes, "_WORTH", 10**9)
        return read_program("p", text)


def same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found, expected = read_program("p", text), whole(text, monkeypatch)
    assert found.program == expected.program
    assert found.program.hash == expected.program.hash
    assert found.program.places == expected.program.places
    assert found.problems == expected.problems
    assert found.mentions == expected.mentions


def lines_of(draw: Callable[[st.SearchStrategy[str]], str], line: str) -> str:
    number = st.one_of(plain, plain, plain, st.sampled_from(NUMBERS))
    return line.format(*(draw(number) for _ in range(line.count("{}"))))


@pytest.mark.parametrize("line", LINES)
def test_a_line_with_any_numbers_is_read_as_by_itself(line, monkeypatch):
    @given(st.data())
    @settings(max_examples=25, deadline=None, derandomize=True, database=None)
    def law(data):
        rows = ["let n = 1", *(lines_of(data.draw, line) for _ in range(8))]
        same("\n".join(rows), monkeypatch)

    law()


@given(st.data())
@settings(max_examples=150, deadline=None, derandomize=True, database=None)
def test_lines_of_all_kinds_are_read_as_by_themselves(data):
    few = data.draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=4))
    rows = [lines_of(data.draw, data.draw(st.sampled_from(few))) for _ in range(20)]
    with pytest.MonkeyPatch.context() as patch:
        same("\n".join("  " * (number % 3) + one for number, one in enumerate(rows)), patch)


def test_lines_with_other_numbers_are_filled_and_not_read_again(monkeypatch):
    reads = []
    read = line_shapes.Shapes._template
    monkeypatch.setattr(line_shapes.Shapes, "_template", lambda *given: reads.append(given) or read(*given))
    text = "\n".join(f"move-joints-absolute Puma {n},-{n},0.{n},0,0,{-n}" for n in range(1, 200))
    program = read_program("p", text).program
    assert len(reads) == 1
    assert len(program.steps) == 199
    assert [one.value for one in program.steps[-1].joints.items] == [199, -199, 0.199, 0, 0, -199]


def test_a_name_that_becomes_a_variable_means_something_else_from_there_on(monkeypatch):
    rows = [f"wait part-{n} * 2" for n in range(6)] + ["wait part - 1"] * 6 + ["let part = 3"]
    same("\n".join([*rows, *rows]), monkeypatch)


signed = st.tuples(
    st.sampled_from(["", "-", "+"]), plain.map(lambda text: text.lstrip("-")), st.sampled_from(["", "rad", "e1"])
)


@given(
    st.lists(signed.map("".join), min_size=6, max_size=6),
    st.lists(st.sampled_from([",", " , ", ", "]), min_size=5, max_size=5),
)
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
def test_rows_of_numbers_are_the_same_with_commas_blanks_and_brackets(items, between):
    ways = [",".join(items), " ".join(items), f"({', '.join(items)})", f"( {','.join(items)} )"]
    ways.append("".join(f"{item}{gap}" for item, gap in zip(items, [*between, ""], strict=True)))
    found = [read_program("p", f"move-joints-absolute Puma {way}") for way in ways]
    assert not [one.problems for one in found if one.problems]
    expected = [(float(item.removesuffix("rad")), "rad" * item.endswith("rad")) for item in items]
    for one in found:
        assert [(item.value, item.unit) for item in one.program.body[0].joints.items] == expected
