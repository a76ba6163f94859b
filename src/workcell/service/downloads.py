"""Files that commands write for a client to fetch: they are kept in a temporary folder of the cell until then."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

DOWNLOAD = "download:"
"""The beginning of the paths of these files in commands: ``download:/run.csv``."""


class Downloads:
    """The temporary folder of a cell for what its clients fetch; removed at the end."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    def folder(self) -> Path:
        """Return the folder, which is made when it is first needed."""
        if self._folder is None:
            self._folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="workcell-downloads-")))
        return self._folder

    def forget(self, name: str) -> None:
        """Remove a file that was fetched; other names are left alone."""
        shelf, _, rest = name.partition("/")
        if shelf == DOWNLOAD and self._folder is not None and "/" not in rest:
            with contextlib.suppress(OSError):
                (self._folder / rest).unlink()

    def close(self) -> None:
        """Remove the folder."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
