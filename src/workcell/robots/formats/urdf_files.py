"""The files that a URDF refers to: found beside it, in its package or in packages near it, and kept with it."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias
from urllib.parse import unquote

import msgspec

from workcell.errors import FileProblem

Fetch: TypeAlias = Callable[[str], bytes]
"""Returns the bytes of a file by its name in a URDF, or raises a FileProblem with the reason."""

_LARGEST = 1 << 30
"""The most bytes that are read for one URDF and all its files."""
_LEVELS = 8
"""The number of folders above the URDF that are searched for a package."""
_LISTED = 3
"""The number of these in which the manifest of every folder is read for the name of its package."""
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):/{0,2}")
_MANIFESTS = ("package.xml", "model.config")


class Files(Protocol):
    """Access to files, which decides what may be read."""

    def is_file(self, file: str | Path) -> bool:
        """Whether there is a file that may be read."""

    def read(self, file: str | Path) -> bytes:
        """The bytes of a file."""

    def matching(self, prefix: str) -> Sequence[tuple[str, bool]]:
        """The paths that begin with a prefix, each with whether it is a folder."""


class OwnFiles:
    """The files of the user who runs Python."""

    def is_file(self, file: str | Path) -> bool:
        """Whether there is a plain file."""
        return os.path.isfile(file)

    def read(self, file: str | Path) -> bytes:
        """The bytes of a plain file."""
        place = Path(file)
        try:
            if place.stat().st_size > _LARGEST:
                raise FileProblem(f"{place.name} has more than {_LARGEST // 2**20} MiB.", path=str(place))
            return place.read_bytes()
        except OSError as error:
            raise FileProblem(f"{place.name} cannot be read: {error.strerror or error}.", path=str(place)) from error

    def matching(self, prefix: str) -> list[tuple[str, bool]]:
        """The entries of a folder, given by its name with a slash."""
        try:
            with os.scandir(prefix) as found:
                return sorted((prefix + one.name, one.is_dir()) for one in found)
        except OSError:
            return []


class Bundle(msgspec.Struct, frozen=True):
    """A URDF with every file that it refers to, so that nothing outside is needed to read it again.

    Attributes:
        text: the text of the URDF.
        files: the bytes of the files that were found, by their names in the URDF.
        problems: why the others could not be read.
    """

    text: str
    files: dict[str, bytes]
    problems: dict[str, str]

    def fetch(self, name: str) -> bytes:
        """The bytes of a file; raises the error that occurred when it was first read."""
        if name in self.files:
            return self.files[name]
        raise FileProblem(self.problems.get(name, f"{name} is not kept with the robot."))

    def to_bytes(self) -> bytes:
        """The bytes for the journal of a cell."""
        return _MAGIC + zlib.compress(msgspec.msgpack.encode(self), 1)

    @classmethod
    def from_bytes(cls, data: bytes) -> Bundle | None:
        """Read a stored bundle; None for other bytes."""
        if not data.startswith(_MAGIC):
            return None
        try:
            return _READER.decode(zlib.decompress(data[len(_MAGIC) :]))
        except (zlib.error, msgspec.DecodeError) as error:
            raise FileProblem(f"The robot that the cell keeps is damaged: {error}.") from error


_READER = msgspec.msgpack.Decoder(Bundle)
_MAGIC = b"workcell-urdf-bundle 1\n"


class Beside:
    """Finds the files that a URDF refers to, and remembers them.

    Args:
        urdf: the path of the URDF.
        files: the access to files.
    """

    def __init__(self, urdf: str | Path, files: Files) -> None:
        self._folder = Path(urdf).parent
        self._files = files
        self._size = 0
        self._found: dict[str, bytes] = {}
        self._problems: dict[str, str] = {}
        self.notes: list[str] = []
        """Notes on files of missing packages that were found beside the URDF."""

    def fetch(self, name: str) -> bytes:
        """The bytes of a file by its name in the URDF."""
        if name not in self._found:
            try:
                data = self._files.read(self._place(name))
                self._size += len(data)
                if self._size > _LARGEST:
                    raise FileProblem(
                        f"The files of the URDF have more than {_LARGEST // 2**20} MiB together, which is the limit."
                    )
                self._found[name] = data
            except FileProblem as error:
                self._problems[name] = error.message
                raise
        return self._found[name]

    def bundle(self, text: str) -> Bundle | None:
        """The URDF with the files that were read for it; None if it refers to none."""
        if not self._found and not self._problems:
            return None
        return Bundle(text, dict(self._found), dict(self._problems))

    def _place(self, name: str) -> Path:
        """The first place that has the file."""
        scheme = _SCHEME.match(name)
        kind = scheme.group(1).lower() if scheme else ""
        bare = unquote(name[scheme.end() :]) if scheme else name
        bare = bare.replace("\\", "/")
        if kind == "file":
            return Path(bare if bare.startswith("/") else f"/{bare}")
        if not kind:
            place = self._folder / bare
            if self._files.is_file(place):
                return place
            # If nothing else is found, read it anyway: the message then gives the reason why it cannot be read.
            return place if Path(bare).is_absolute() else self._shorter(Path(bare)) or place
        if kind not in ("package", "model"):
            raise FileProblem(f"{name} is not on this computer; only files, package:// and model:// can be read.")
        package, _, rest = bare.lstrip("/").partition("/")
        for place in self._packages(package, rest):
            if self._files.is_file(place):
                return place
        found = self._shorter(Path(rest)) if rest else None
        if found is None:
            raise FileProblem(
                f"{name} was not found: no folder above {self._folder.name or 'the URDF'} has the package {package!r} "
                f"with {rest or 'that file'}.",
                file=name,
            )
        self.notes.append(f"{name} was found beside the file, as {found.name}: no package {package!r} has it")
        return found

    def _packages(self, package: str, rest: str) -> Iterator[Path]:
        """The possible places of a file of a package, nearest first: by the folder's name, then by its manifest."""
        above = list(self._above())
        for folder in above:
            yield folder / package / rest
        for folder in above:
            if self._names(folder, package):
                yield folder / rest
        for folder in above[:_LISTED]:
            for path, is_folder in self._files.matching(f"{folder}/"):
                if is_folder and self._names(Path(path), package):
                    yield Path(path) / rest

    def _above(self) -> Iterator[Path]:
        """The URDF's folder and those above it; above a relative path with ``..``."""
        folder = self._folder
        for _ in range(_LEVELS):
            yield folder
            if folder.name and folder.name != "..":
                folder = folder.parent
            elif folder.is_absolute():
                return
            else:
                folder = folder / ".."

    def _names(self, folder: Path, package: str) -> bool:
        """Whether the manifest of a folder contains the name of a package."""
        for manifest in _MANIFESTS:
            place = folder / manifest
            if self._files.is_file(place):
                try:
                    text = self._files.read(place)
                    if b"<!" in text.replace(b"<!--", b""):
                        continue
                    found = ET.fromstring(text).findtext("name")
                except (FileProblem, ET.ParseError, ValueError):
                    continue
                if (found or "").strip() == package:
                    return True
        return False

    def _shorter(self, rest: Path) -> Path | None:
        """The file beside the URDF by the end of its path, longest first, for meshes that were copied together."""
        parts = [part for part in rest.parts if part not in ("/", "..")]
        for start in range(len(parts)):
            place = self._folder.joinpath(*parts[start:])
            if self._files.is_file(place):
                return place
        return None


def no_files(name: str) -> bytes:
    """Refuse every file, for a URDF that is only a text."""
    raise FileProblem(f"{name} was not found: only the text of the URDF was given, without its folder.", file=name)
