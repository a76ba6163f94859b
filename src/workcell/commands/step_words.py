"""The statements of programs: how each is written, what it does, and an example."""

from __future__ import annotations

from dataclasses import dataclass

from workcell.commands.results import Table


@dataclass(frozen=True)
class StepWord:
    """A word of a statement that controls which steps run.

    Attributes:
        shown: how it is written.
        help: what it does.
        more: what else there is to know.
        example: lines of a program.
        also: other words of the same statement.
    """

    shown: str
    help: str
    more: str
    example: str
    also: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [self.shown, f"  {self.help}. {self.more}".rstrip(), "  e.g. in a program:"]
        return "\n".join([*lines, *(f"    {line}" for line in self.example.split("\n"))])


WORDS: dict[str, StepWord] = {
    "parameter": StepWord(
        "parameter NAME TYPE [= VALUE]",
        "declare a value that the caller gives",
        "Parameters must come before the first step; comments may stand anywhere. Types: number, length, angle, "
        "time, mass, "
        "speed, truth, text, joints, pose, target, and part, robot and place for names. `run NAME with VALUE, …` and "
        "`call NAME VALUE, …` give "
        "the values.",
        "parameter rounds number = 2\nparameter turn angle = 5deg\n"
        "repeat rounds\n  move-joints-relative Puma turn,0,0,0,0,0\nend",
    ),
    "let": StepWord(
        "let NAME = VALUE",
        "give a variable a value",
        "The value may be a number with or without a unit, a truth value, a text, joint values or a pose.",
        "let n = 1\nlet n = n + 1\nlet above = spot translate 0,0,-50mm\nmove-end-effector Puma above",
    ),
    "if": StepWord(
        "if CONDITION … else if CONDITION … else … end",
        "run the block of the first condition that is true",
        "Conditions compare (`= <> < <= > >=`) and are joined by `and`, `or` and `not`. A signal is a condition too.",
        'let n = 2\nif n > 2\n  home Puma\nelse if ready\n  wait 1\nelse\n  message "not yet"\nend',
        ("else",),
    ),
    "while": StepWord(
        "while CONDITION … end",
        "repeat the block while the condition is true",
        "",
        "let n = 0\nwhile n < 3\n  wait 0.5\n  let n = n + 1\nend",
    ),
    "repeat": StepWord(
        "repeat COUNT … end",
        "repeat the block COUNT times",
        "",
        "repeat 3\n  move-joints-relative Puma 5,0,0,0,0,0\nend",
    ),
    "for": StepWord(
        "for NAME from FIRST to LAST [by STEP] … end, or for NAME in PATH … end",
        "repeat the block for each number, or for each target of a path",
        "The variable is the number or the target. The default step is 1; `by -1` counts down.",
        "for i from 1 to 3\n  move-joints-relative Puma i,0,0,0,0,0\nend\n"
        "for place in way\n  approach Puma place by 20mm\nend",
    ),
    "call": StepWord(
        "call PROGRAM VALUE, …",
        "run another program, with values for its parameters",
        "It has its own variables. It starts with the frame, tools, rounding, speeds, profiles and branches of its "
        "caller. The frame, tools and rounding that it sets end with it; speeds, profiles and branches remain.",
        "call fetch 2\nhome Puma",
    ),
    "return": StepWord(
        "return",
        "end this program; in a branch of `parallel`, end that branch",
        "The caller continues with its next step.",
        "if not ready\n  return\nend\nhome Puma",
    ),
    "stop": StepWord("stop", "end the whole run", "", "if not ready\n  stop\nend\nhome Puma"),
    "parallel": StepWord(
        "parallel … and … end",
        "run branches in parallel; the next step waits for all of them",
        "The branches share the variables of the program. A robot makes one move at a time.",
        "parallel\n  move-joints-relative Puma 20,0,0,0,0,0\nand\n  wait 0.2\n  set-signal ready 1\nend",
        ("and",),
    ),
    "wait-until": StepWord(
        "wait-until CONDITION [timeout TIME [else … end]]",
        "wait until a condition is true",
        "On a timeout the block runs; without a block, a timeout is an error.",
        'wait-until ready timeout 2s else\n  message "nothing came"\nend',
    ),
    "try": StepWord(
        "try … on-error [NAME] … end",
        "if a step of the first block is refused, run the second block",
        "The variable NAME holds the reason as a text.",
        "try\n  move-joints-absolute Puma 900,0,0,0,0,0\non-error why\n  message why\n  home Puma\nend",
        ("on-error",),
    ),
    "frame": StepWord(
        "frame POSE, or frame world",
        "make the poses of the moves that follow relative to this frame",
        "It applies until the program ends, and in the programs that it calls.",
        "frame 400,0,100\nmove-end-effector Puma 50,0,100 rotate 180,0,0\nframe world",
    ),
    "message": StepWord(
        "message VALUE",
        "write a message into the recording",
        "The answer of the run shows it too.",
        'let n = 3\nmessage "parts: " + n',
    ),
    "verbatim": StepWord(
        "verbatim LANGUAGE … end",
        "keep lines of another language; they are printed, but skipped when the program runs",
        "",
        "verbatim rapid\n  ConfL \\Off;\nend\nhome Puma",
    ),
    "#": StepWord(
        "# TEXT", "write a comment", "It stays in the program and may follow a step.", "home Puma  # begin anew"
    ),
}  # fmt: skip
"""Every statement by its first word; words that only occur inside another statement are with that one."""


def explained(word: str) -> StepWord | None:
    """Return the help of a word of a statement; None for other words."""
    return WORDS.get(word) or next((one for one in WORDS.values() if word in one.also), None)


def about_programs() -> Table:
    """Return how a program is written, and its statements."""
    rows = tuple((one.shown, one.help) for one in WORDS.values())
    caption = (
        "Write a program between `program NAME` and `end`, one step per line. Every command that moves, grips, "
        "waits or sets a signal is a step. `help WORD` explains a word with an example, `help steps of programs` "
        "and `help "
        "programs` list commands."
    )
    return Table(("in a program", "what it does"), rows, caption)
