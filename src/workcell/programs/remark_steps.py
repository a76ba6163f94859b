"""The steps that hold text: messages, comments, and lines of other languages."""

from __future__ import annotations

from workcell.programs import wants as w
from workcell.programs.base_step import Base


class Message(Base, frozen=True, tag="message"):
    """Write a message for people who watch the run."""

    text: w.Said


class Comment(Base, frozen=True, tag="comment"):
    """A comment for people who read the program."""

    text: str


class Verbatim(Base, frozen=True, tag="verbatim"):
    """Lines of another language, kept for its printer and not carried out."""

    language: str
    text: str
