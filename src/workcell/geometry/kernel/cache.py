"""Results of the kernel, cached by recipe hash: in memory, and in a folder if there is one."""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
import zlib
from collections import OrderedDict
from pathlib import Path

from workcell.errors import InvalidValue
from workcell.geometry.mesh import Mesh

_MEMORY = 256 * 1024 * 1024
"""The number of bytes that are kept in memory before the oldest are dropped."""
_MAGIC = b"WCD2"
"""Increase this number when results change; cached ones are then made again."""


class _Memory:
    """Entries in memory, shared by the caches of several folders."""

    def __init__(self) -> None:
        self.entries: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self.meshes: OrderedDict[tuple[str, str], Mesh] = OrderedDict()
        self.size = 0
        self.lock = threading.Lock()


class MeshCache:
    """Meshes and other derived bytes, by (recipe hash, kind).

    On disk, every entry is one file, written completely or not at all; a damaged one is ignored and made again. The
    cache may be deleted at any time: nothing is stored only there.
    """

    def __init__(self, folder: Path | str | None = None, memory: _Memory | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        self._memory = _Memory() if memory is None else memory
        self._there: set[tuple[str, str]] = set()
        """The entries that are known to be in the folder."""

    @property
    def folder(self) -> Path | None:
        """The folder with the entries on disk, or None."""
        return self._folder

    def use_folder(self, folder: Path | str | None) -> None:
        """Keep entries in another folder from now on; entries in memory stay."""
        with self._memory.lock:
            self._folder = None if folder is None else Path(folder)
            self._there = set()

    def beside(self, folder: Path | str) -> MeshCache:
        """A cache with entries in another folder and the same entries in memory."""
        return MeshCache(folder, self._memory)

    def mesh(self, key: str, tolerance: float) -> Mesh | None:
        """The mesh of a recipe at a tolerance [m], or None."""
        kind = _mesh_kind(tolerance)
        with self._memory.lock:
            found = self._memory.meshes.get((key, kind))
            if found is not None:
                self._memory.meshes.move_to_end((key, kind))
        if found is not None:
            if self._lacks(key, kind):
                self._write(key, kind, found.to_bytes())
            return found
        data = self.get(key, kind)
        if data is None:
            return None
        try:
            mesh = Mesh.from_bytes(data)
        except InvalidValue:
            return None
        self._keep(key, kind, mesh)
        return mesh

    def put_mesh(self, key: str, tolerance: float, mesh: Mesh) -> None:
        """Keep a mesh."""
        kind = _mesh_kind(tolerance)
        self._keep(key, kind, mesh)
        self.put(key, kind, mesh.to_bytes())

    def _keep(self, key: str, kind: str, mesh: Mesh) -> None:
        memory = self._memory
        with memory.lock:
            memory.meshes[key, kind] = mesh
            while len(memory.meshes) > 512:
                memory.meshes.popitem(last=False)

    def get(self, key: str, kind: str) -> bytes | None:
        """The bytes of an entry, or None."""
        memory = self._memory
        with memory.lock:
            known = memory.entries.get((key, kind))
            if known is not None:
                memory.entries.move_to_end((key, kind))
            path = self._path(key, kind)
        if known is not None:
            if self._lacks(key, kind):
                self._write(key, kind, known)
            return known
        if path is None:
            return None
        try:
            data = path.read_bytes()
        except OSError:
            return None
        if data[:8] != _MAGIC + zlib.crc32(memoryview(data)[8:]).to_bytes(4, "little"):
            return None
        self._there.add((key, kind))
        self._remember(key, kind, data[8:])
        return data[8:]

    def put(self, key: str, kind: str, data: bytes) -> None:
        """Keep the bytes of an entry; a folder that cannot be written is ignored."""
        self._remember(key, kind, data)
        self._write(key, kind, data)

    def _lacks(self, key: str, kind: str) -> bool:
        """Whether an entry in memory is missing in the folder, because another cell had it made."""
        if self._folder is None or (key, kind) in self._there:
            return False
        path = self._path(key, kind)
        return path is not None and not path.exists()

    def _write(self, key: str, kind: str, data: bytes) -> None:
        self._there.add((key, kind))
        path = self._path(key, kind)
        if path is None:
            return
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
            try:
                part.write_bytes(_MAGIC + zlib.crc32(data).to_bytes(4, "little") + data)
                os.replace(part, path)
            finally:
                part.unlink(missing_ok=True)

    def _remember(self, key: str, kind: str, data: bytes) -> None:
        memory = self._memory
        with memory.lock:
            memory.size += len(data) - len(memory.entries.pop((key, kind), b""))
            memory.entries[key, kind] = data
            while memory.size > _MEMORY and len(memory.entries) > 1:
                memory.size -= len(memory.entries.popitem(last=False)[1])

    def _path(self, key: str, kind: str) -> Path | None:
        return None if self._folder is None else self._folder / key[:2] / f"{key}.{kind}"

    def clear(self) -> None:
        """Forget the entries in memory; the folder keeps its entries."""
        memory = self._memory
        with memory.lock:
            memory.entries.clear()
            memory.meshes.clear()
            memory.size = 0


def _mesh_kind(tolerance: float) -> str:
    return f"mesh-{tolerance:.6g}"


_default = MeshCache()


def default_cache() -> MeshCache:
    """The cache of solids that belong to no cell; a cell has one beside its file (:meth:`MeshCache.beside`)."""
    return _default
