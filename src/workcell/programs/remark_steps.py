"""The steps that say something: to whoever watches, to whoever reads, and in other languages."""

from __future__ import annotations

from workcell.programs import wants as w
from workcell.programs.base_step import Base


class Message(Base, frozen=True, tag="message"):
    """Something for whoever watches."""

    text: w.Said


class Comment(Base, frozen=True, tag="comment"):
    """A remark for whoever reads."""

    text: str


class Verbatim(Base, frozen=True, tag="verbatim"):
    """Lines of another language, kept for its printer and not carried out."""

    language: str
    text: str
