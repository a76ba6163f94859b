"""Programs as text: read to steps, printed from them, and read back to the same."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.commands.language.expression_reader import ExpressionReader
from workcell.commands.language.expression_text import expression_text
from workcell.commands.language.program_printer import program_text
from workcell.commands.language.program_reader import read_program
from workcell.errors import CommandSyntaxError
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.program import Parameter, Program

FIND = (Phase.explicit, Phase.generate)  # shrinking trees of steps takes minutes
VARIABLES = ("n", "gap", "flag", "spot")
UNITS = ("", "mm", "deg", "s", "m/s", "rad", "kg")
numbers = st.builds(
    e.Number,
    st.one_of(st.integers(-999, 999).map(float), st.floats(-1e3, 1e3).map(lambda v: round(v, 4) + 0.0)),
    st.sampled_from(UNITS),
)
names = st.one_of(
    st.sampled_from(VARIABLES).map(e.Name),
    st.sampled_from([e.Name("part-here"), e.Name("part here", "signal"), e.Name("n", "target")]),
)
atoms = st.one_of(numbers, names, st.booleans().map(e.Truth), st.text("ab %\"'\n,#é", max_size=6).map(e.Text))


def compound(inner):
    arithmetic = st.builds(e.Binary, st.sampled_from(["+", "-", "*", "/", "%", "and", "or"]), inner, inner)
    comparing = st.builds(e.Binary, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), inner, inner)
    signs = st.builds(e.Unary, st.sampled_from(["-", "not"]), inner).filter(
        lambda one: not (one.operator == "-" and isinstance(one.operand, e.Number))
    )
    calls = st.one_of(
        st.builds(lambda a: e.Call("sin", (a,)), inner),
        st.builds(lambda a, b, c: e.Call("max", (a, b, c)), inner, inner, inner),
        st.sampled_from([e.Call("joints", (e.Name("arm one"),)), e.Call("time"), e.Call("tool", (e.Name("A"),))]),
    )
    return st.one_of(arithmetic, comparing, signs, calls)


expressions = st.recursive(atoms, compound, max_leaves=12)
rows = st.lists(expressions, min_size=3, max_size=3).map(lambda items: e.Row(tuple(items)))
forms = st.one_of(
    st.builds(lambda row: e.Form("translate", (row,)), rows),
    st.builds(lambda row: e.Form("euler", (row,), "fanuc_wpr"), rows),
    st.builds(lambda a, b, angle: e.Form("axis", (a, b), "", angle), rows, rows, expressions),
)
poses = st.one_of(
    st.builds(lambda base, own: e.Posed(base, None, tuple(own)), names, st.lists(forms, min_size=1, max_size=2)),
    st.builds(lambda row, own: e.Posed(None, row, tuple(own)), rows, st.lists(forms, max_size=2)),
)
joints = st.one_of(st.lists(expressions, min_size=2, max_size=6).map(lambda v: e.Row(tuple(v))), st.just(e.Name("n")))


def plain_steps():
    return st.one_of(
        st.builds(s.MoveJointsAbsolute, st.sampled_from(["A", "arm one"]), joints, st.sampled_from(["", "jerk"])),
        st.builds(s.MoveEndEffector, st.just("A"), poses, st.sampled_from(["", "nearest"])),
        st.builds(
            s.MoveStraightLine, st.just("A"), poses, st.sampled_from(["interpolate", "keep"]), st.none(), st.none(),
            st.one_of(st.none(), expressions),
        ),
        st.builds(s.MovePath, st.just("A"), st.lists(poses, min_size=1, max_size=3).map(tuple)),
        st.builds(s.Wait, expressions),
        st.builds(s.SetSignal, st.sampled_from(["ready", "part here"]), expressions),
        st.builds(s.WaitFor, st.just("ready"), st.one_of(st.none(), expressions)),
        st.builds(s.Let, st.sampled_from(VARIABLES), st.one_of(expressions, rows, poses.filter(lambda one: one.forms))),
        st.builds(s.Message, expressions),
        st.builds(s.OpenGripper, st.just("A"), st.one_of(st.none(), expressions), st.booleans()),
        st.builds(s.Comment, st.sampled_from(["", "a remark", "# and more"])),
        st.builds(s.Call, st.sampled_from(["other", "an other"]), st.lists(expressions, max_size=2).map(tuple)),
        st.sampled_from([s.Return(), s.Stop(), s.Frame(), s.Verbatim("rapid", "MoveL p1;\n\n  end_of"), s.Home("A")]),
        st.builds(
            lambda a, b: s.Together((s.MoveJointsRelative("A", a), s.MoveJointsRelative("B", b))), joints, joints
        ),
    )  # fmt: skip


def nested(inner):
    block = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(
        st.builds(
            lambda arms, rest: s.If(tuple(s.Arm(c, b) for c, b in arms), rest),
            st.lists(st.tuples(expressions, block), min_size=1, max_size=3), block,
        ),
        st.builds(s.While, expressions, block),
        st.builds(s.Repeat, expressions, block),
        st.builds(s.For, st.just("n"), expressions, expressions, block, st.one_of(st.none(), expressions)),
        st.builds(s.ForEach, st.just("spot"), st.just("pallet"), block),
        st.builds(s.Try, block, block, st.sampled_from(["", "flag"])),
        st.builds(s.Parallel, st.lists(block, min_size=1, max_size=3).map(tuple)),
        st.builds(s.WaitUntil, expressions, numbers, st.one_of(st.none(), block)),
    )  # fmt: skip


programs = st.lists(st.recursive(plain_steps(), nested, max_leaves=6), max_size=6).map(tuple)
PARAMETERS = tuple(Parameter(name, "number") for name in VARIABLES)


@settings(max_examples=300, deadline=None, derandomize=True, phases=FIND)
@given(programs)
def test_a_printed_program_reads_back_to_the_same_steps(body):
    program = Program("law", PARAMETERS, body)
    text = program_text(program)
    read = read_program("law", text)
    assert read.problems == ()
    assert read.program == program
    assert len(read.program.places) == len(read.program.steps)
    assert program_text(read.program) == text


@settings(max_examples=400, deadline=None, derandomize=True, phases=FIND)
@given(expressions)
def test_a_printed_expression_reads_back_to_the_same(expression):
    reader = ExpressionReader(expression_text(expression), variables=VARIABLES)
    assert reader.expression() == expression
    assert reader.done


@settings(max_examples=400, deadline=None, derandomize=True, phases=FIND)
@given(
    st.lists(
        st.text("move-joints-absolute wait if else end for n=+*(),\"'\\0123456789. mmdeg\n#&", max_size=40), max_size=8
    )
)
def test_any_text_is_read_without_a_traceback(lines):
    read = read_program("fuzz", "\n".join(lines))
    assert len(read.program.places) == len(read.program.steps)
    for problem in read.problems:
        assert 1 <= problem.line <= sum(line.count("\n") + 1 for line in lines)
        assert "\n" not in problem.message


def test_layout_does_not_count():
    one = read_program("p", "wait 1\nif true\nwait 2 # two\nend")
    two = read_program("p", "\n  wait   1s\n\nif (true)\n\t wait \\\n  2\n  # two\nend\n")
    assert one.program.body[0] != two.program.body[0]  # 1 and 1s are not written alike
    assert read_program("p", "\nwait   1\nif   true\n   wait 2\n#  two\nend").program == one.program
    assert [place.line for place in two.program.places] == [2, 4, 5, 7]


def test_a_hyphen_after_a_variable_is_a_minus_sign():
    read = read_program("p", "let n = 3\nlet k = n-1\nlet m = part-here")
    assert read.program.body[1] == s.Let("k", e.Binary("-", e.Name("n"), e.Number(1.0)))
    assert read.program.body[2] == s.Let("m", e.Name("part-here"))


def test_deep_brackets_are_refused_in_a_sentence():
    with pytest.raises(CommandSyntaxError, match="nested at most 60 deep"):
        ExpressionReader("(" * 500 + "1" + ")" * 500).expression()


def test_blocks_of_a_script_and_of_a_call_become_programs():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560")
        answer = cell.do("program pick\n  for i from 1 to 3\n    wait 1\n  end\nend")
        assert str(answer) == "program 'pick' created: 2 steps"
        assert cell.do("run pick").time == pytest.approx(3.0)
        from workcell.commands.script import run_script

        script = "create signal go\nprogram wait-a-bit\n  verbatim rapid\n    IF x THEN\n  end\n  wait 2\nend\nrun wait-a-bit"
        assert run_script(cell.session, script) == 3
        assert cell.state.time == pytest.approx(2.0)
        with pytest.raises(CommandSyntaxError, match="has no `end`"):
            cell.do("program broken\nwait 1")
        assert cell.replayed().database.rows() == cell.database.rows()


@pytest.mark.parametrize(
    ("text", "beginning", "lines"),
    [
        ("if go = 1\nwait 1\nend", "`if go = 1` in line 1 of program 'p' has no `end`;", [1]),
        ("  if go = 1\n    wait 1\nend", "`if go = 1` in line 1 of program 'p' has no `end`;", [1]),
        ("  if go = 1\n    wait 1\nend\n\n", "`if go = 1` in line 1 of program 'p' has no `end`;", [1]),
        ("  wait 1\n  if go = 1\n    repeat 2 # twice\n      wait 1\n  end\nend", "`repeat 2` in line 3", [3]),
        ("  repeat 2\n    wait 1\n  end\n  while go = 0\n    wait 1\nend", "`while go = 0` in line 4", [4]),
        ("  wait-until \\\n  go = 1 timeout 1 else\nend", "`wait-until go = 1 timeout 1 else` in line 1", [1]),
        (
            "if go = 1\nwhile go = 0\nend",
            "2 blocks of program 'p' have no `end`: `if go = 1` in line 1, `while",
            [1, 2],
        ),
        ("  if go = 1\n    wait 1", "Program 'p' has no `end`, nor has `if go = 1` in line 1.", [1]),
        ("  verbatim krl\n  IF x\nend", "`verbatim krl` in line 1 of program 'p' has no `end`;", [1]),
        ("  try\n    wait 1\nend\ncreate signal other", "`try` in line 1 of program 'p' has no `end`;", [1]),
        ("  if go = 1\n      repeat 2\n   end\n end", "`if go = 1` in line 1 of program 'p'", [1]),
        ("  if go = 1\n  end", "Program 'p' has no `end`; write its lines", []),
        ("  wait 1", "Program 'p' has no `end`; write its lines", []),
    ],
)
def test_a_block_without_an_end_is_named_with_its_line(text, beginning, lines):
    with wc.Cell() as cell:
        cell.do("create signal go")
        before = cell.database.rows()
        with pytest.raises(CommandSyntaxError) as refused:
            cell.do("program p\n" + text)
        assert str(refused.value).startswith(beginning)
        assert [one["line"] for one in refused.value.evidence["blocks"]] == lines
        assert cell.database.rows() == before


def test_a_block_ends_where_the_reader_says():
    with wc.Cell() as cell:
        cell.do("create signal go")
        cell.do(
            "program k # a remark\n  verbatim krl\n  END\n  end\n  wait-until go = 1 timeout 1 \\\n    else\n  end\nend"
        )
        text = cell.database.entity("program", "k").properties["text"]
        assert text.startswith("verbatim krl\nEND\nend\nwait-until")
        cell.do('program t\n\tmessage "a\tb"\nend')
        assert cell.database.entity("program", "t").properties["text"] == 'message "a\tb"'


def test_remarks_may_stand_before_and_beside_parameters():
    text = (
        "# what it does\nparameter n number = 2 # how often\n# how long\nparameter t time = 1s\nrepeat n\nwait t\nend"
    )
    one = read_program("p", text)
    assert not one.problems
    assert [parameter.name for parameter in one.program.parameters] == ["n", "t"]
    assert [one.program.place(number).line for number in range(len(one.program.steps))] == [1, 2, 3, 5, 6]
    again = read_program("p", program_text(one.program))
    assert not again.problems
    assert again.program == one.program
    late = read_program("p", "# a remark\nwait 1\nparameter n number")
    assert [(problem.line, problem.message) for problem in late.problems] == [
        (3, "Parameters must come before the first step.")
    ]
    within = read_program("p", "repeat 2\n# a remark\nparameter n number\nend")
    assert [problem.line for problem in within.problems] == [3]
