"""What the kernel made, kept by recipe hash: in memory, and in a folder when there is one."""

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
"""How many bytes are kept in memory before the oldest are let go."""
_MAGIC = b"WCD2"
"""Its number grows when answers change that were kept before: then they are made again."""


class MeshCache:
    """Meshes and other derived bytes, by (recipe hash, kind).

    On disk every entry is one file, written whole or not at all; a damaged one is ignored and made again. It may
    be deleted at any time: nothing in it is the truth.
    """

    def __init__(self, folder: Path | str | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        self._memory: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._meshes: OrderedDict[tuple[str, str], Mesh] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    @property
    def folder(self) -> Path | None:
        """Where entries are kept on disk, if anywhere."""
        return self._folder

    def use_folder(self, folder: Path | str | None) -> None:
        """Keep entries in another folder from now on; what is in memory stays."""
        with self._lock:
            self._folder = None if folder is None else Path(folder)

    def mesh(self, key: str, tolerance: float) -> Mesh | None:
        """The mesh of a recipe at a tolerance [m], or None."""
        kind = _mesh_kind(tolerance)
        with self._lock:
            if (key, kind) in self._meshes:
                self._meshes.move_to_end((key, kind))
                return self._meshes[key, kind]
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
        with self._lock:
            self._meshes[key, kind] = mesh
            while len(self._meshes) > 512:
                self._meshes.popitem(last=False)

    def get(self, key: str, kind: str) -> bytes | None:
        """The bytes of an entry, or None."""
        with self._lock:
            if (key, kind) in self._memory:
                self._memory.move_to_end((key, kind))
                return self._memory[key, kind]
            path = self._path(key, kind)
        if path is None:
            return None
        try:
            data = path.read_bytes()
        except OSError:
            return None
        if data[:8] != _MAGIC + zlib.crc32(memoryview(data)[8:]).to_bytes(4, "little"):
            return None
        self._remember(key, kind, data[8:])
        return data[8:]

    def put(self, key: str, kind: str, data: bytes) -> None:
        """Keep the bytes of an entry; a folder that cannot be written is no reason to fail."""
        self._remember(key, kind, data)
        with self._lock:
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
        with self._lock:
            self._size += len(data) - len(self._memory.pop((key, kind), b""))
            self._memory[key, kind] = data
            while self._size > _MEMORY and len(self._memory) > 1:
                self._size -= len(self._memory.popitem(last=False)[1])

    def _path(self, key: str, kind: str) -> Path | None:
        return None if self._folder is None else self._folder / key[:2] / f"{key}.{kind}"

    def clear(self) -> None:
        """Forget what is in memory; the folder keeps its entries."""
        with self._lock:
            self._memory.clear()
            self._meshes.clear()
            self._size = 0


def _mesh_kind(tolerance: float) -> str:
    return f"mesh-{tolerance:.6g}"


_default = MeshCache()


def default_cache() -> MeshCache:
    """The cache that solids use; a cell points it at its own folder with :meth:`MeshCache.use_folder`."""
    return _default
