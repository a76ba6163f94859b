"""Errors for files of another format than expected."""

from __future__ import annotations

from workcell.errors import FileProblem

WHAT = "what"
"""The field of such an error that describes the file, for a sentence that begins with the name of the file."""


def other_format(what: str) -> FileProblem:
    """The error for a file of another format; ``what`` describes it, such as 'not an STL file: it is empty.'."""
    return FileProblem(f"This is {what}", **{WHAT: what})
