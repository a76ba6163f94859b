"""Files of another format than they should be."""

from __future__ import annotations

from workcell.errors import FileProblem

WHAT = "what"
"""The field of such an error that says what the file is, for a sentence that begins with the name of the file."""


def other_format(what: str) -> FileProblem:
    """The error for a file of another format; ``what`` says what it is, such as 'not an STL file: it is empty.'."""
    return FileProblem(f"This is {what}", **{WHAT: what})
