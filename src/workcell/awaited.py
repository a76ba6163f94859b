"""Work that takes long and that the current thread must not wait for: another thread does it first.

A server carries out the edits of all its clients in one thread. If an edit needs a shape that the CAD process has not
made yet, that thread does not wait: the edit is rolled back, another thread has the shape made, and then the edit is
carried out again from its beginning. It finds the answer; if its shape is another one by then, it asks again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextvars import ContextVar
from typing import Any, TypeVar

from workcell.errors import Cancelled

T = TypeVar("T")


class Awaited(BaseException):
    """Ends an edit that needs an answer which is not there yet; nothing that handles errors may hold it back.

    Args:
        key: what is asked for.
        work: finds the answer.
    """

    def __init__(self, key: Hashable, work: Callable[[], Any]) -> None:
        super().__init__(key)
        self.key, self._work = key, work

    def answer(self, answers: Answers) -> None:
        """Do the work, and keep what comes of it: its value, or its error. Call it in a thread that may wait."""
        try:
            answers[self.key] = self._work(), None
        except Cancelled:
            raise
        except Exception as error:
            answers[self.key] = None, error


Answers = dict[Hashable, tuple[Any, Exception | None]]
"""The answers for one edit, by what was asked: the value, or the error."""
_answers: ContextVar[Answers | None] = ContextVar("answers", default=None)


class not_waiting:
    """Inside the block, this thread waits for no answer that is not among these; None lets it wait."""

    __slots__ = ("_given", "_token")

    def __init__(self, answers: Answers | None) -> None:
        self._given = answers

    def __enter__(self) -> None:
        self._token = _answers.set(self._given)

    def __exit__(self, *_: object) -> None:
        _answers.reset(self._token)


def awaited(key: Hashable, work: Callable[[], T]) -> T:
    """Return what some work gives, which takes long.

    Args:
        key: what is asked for; equal keys have equal answers.
        work: finds the answer. It may be called in another thread.

    Raises:
        Awaited: this thread must not wait, and the answer is not there yet.
    """
    answers = _answers.get()
    if answers is None:
        return work()
    if key not in answers:
        raise Awaited(key, work)
    value, error = answers[key]
    if error is not None:
        raise error
    found: T = value
    return found
