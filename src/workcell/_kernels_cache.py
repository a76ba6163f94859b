"""The decorator of compiled loops, with a cache on disk that notices edits in every file they are compiled from.

Numba keeps compiled code beside the source and throws it away when that file changes. The code of a loop also contains
the loops that it calls and the constants that it uses, and these may come from other files: an edit there goes
unnoticed, and the old code runs on. Here the cache depends on the text of the file and of all files of this package
that it imports, directly or through others.

A loop is compiled once for all whole numbers that other loops pass to it, and one whose name begins with an underscore
is not prepared to be called from Python. Both save half of the time that compiling takes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

_IMPORT = re.compile(r"^from (workcell[\w.]*) import", re.MULTILINE)
_PACKAGE = Path(__file__).parent
_known: dict[str, bytes] = {}
_njit: Any = numba.njit
_types: Any = numba.types
"""Numba's descriptions of its own types leave out what is used here."""


def _compile_once_for_whole_numbers(kernel: Any) -> None:
    """Let a loop take whole numbers from other loops as 64 bits, whatever they are there.

    By itself Numba compiles a loop again for every constant that is passed to it, and for 32 bits.
    """
    resolve = kernel.get_call_template
    kernel.get_call_template = lambda args, named: resolve(tuple(_general(one) for one in args), named)


def _general(one: Any) -> Any:
    """Return the type of an argument that a loop is compiled for."""
    plain = _types.unliteral(one)
    return _types.int64 if isinstance(plain, _types.Integer) and plain.bitwidth < 64 else plain


def _refuse_python(kernel: Any) -> None:
    """Let a call from Python fail with a message. There is no code for it, so that it would end the process."""

    def refuse(*_given: object, **_named: object) -> Any:
        raise TypeError(f"Only other compiled loops can call {kernel.py_func.__name__}: its name begins with _.")

    kernel._insert = lambda *_given: None
    kernel._compile_for_args = refuse


def compiled_with(**options: Any) -> Callable[[F], F]:
    """Return a decorator that compiles a loop with these options of Numba, and keeps the code on disk.

    Only other loops can call one whose name begins with an underscore.
    """

    def decorate(function: F) -> F:
        inner = function.__name__.startswith("_")
        wrappers = {"no_cfunc_wrapper": True, "no_cpython_wrapper": inner}
        kernel = _njit(cache=True, nogil=True, **wrappers, **options)(function)
        _compile_once_for_whole_numbers(kernel)
        if inner:
            _refuse_python(kernel)
        file = function.__code__.co_filename
        if file not in _known:
            _known[file] = digest(Path(file), _PACKAGE)
        # What Numba compares before it uses code from the disk; by itself the digest of this one file.
        kernel._cache._cache_file._source_stamp = _known[file]
        return cast(F, kernel)

    return decorate


compiled = compiled_with(error_model="numpy")
"""Compiles a loop; a division by zero gives an infinity or NaN."""


def digest(file: Path, package: Path) -> bytes:
    """Return a digest of a file and of all files of a package that it imports, directly or through others.

    Imports count where they stand at the start of a line as ``from workcell.room.file import name``.
    """
    texts = {file: file.read_bytes()}
    waiting = [file]
    while waiting:
        for name in _IMPORT.findall(texts[waiting.pop()].decode("utf-8")):
            other = package.joinpath(*name.split(".")[1:]).with_suffix(".py")
            if other not in texts and other.exists():
                texts[other] = other.read_bytes()
                waiting.append(other)
    total = hashlib.sha256()
    for one in sorted(texts):
        total.update(hashlib.sha256(texts[one]).digest())
    return total.digest()
