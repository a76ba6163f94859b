"""Write a file completely or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workcell.errors import FileProblem


def write_whole(file: Path, data: bytes) -> None:
    """Write a file completely or not at all; an existing one is replaced."""
    with whole_file(file) as part:
        part.write_bytes(data)


@contextmanager
def whole_file(file: Path) -> Iterator[Path]:
    """Yield a path beside a file to write to. In the end it replaces the file; after an error it is removed.

    The content is on the drive before the replacement, so that a power cut leaves either the old file or the new one.
    """
    part = file.with_name(f".{file.name[:80]}.{secrets.token_hex(6)}{file.suffix}")
    try:
        yield part
        _flush(part)
        os.replace(part, file)
        _flush(file.parent)
    except OSError as error:
        raise FileProblem(f"{file.name} cannot be written: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """Wait until a file or the names in a folder are on the drive."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
