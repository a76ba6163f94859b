"""The types of parameters that commands are declared with."""

from __future__ import annotations

from workcell.commands.language.choices import Choice, YesNo, beginnings, match_word
from workcell.commands.language.numbers import (
    NUMBER,
    Angle,
    BrokenRule,
    Length,
    LineNumber,
    Number,
    Seed,
    Vector,
    bare_numbers,
    read_number,
    scaled,
)
from workcell.commands.language.texts import File, NewName, Rest, Text, escape, unescape
from workcell.commands.language.value import Value

__all__ = [
    "NUMBER",
    "Angle",
    "BrokenRule",
    "Choice",
    "File",
    "Length",
    "LineNumber",
    "NewName",
    "Number",
    "Rest",
    "Seed",
    "Text",
    "Value",
    "Vector",
    "YesNo",
    "bare_numbers",
    "beginnings",
    "escape",
    "match_word",
    "read_number",
    "scaled",
    "unescape",
]
