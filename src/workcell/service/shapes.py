"""The shapes of a scene as GLB, by hash; each is made once. Several are fetched together, one file after the other."""

from __future__ import annotations

import gzip
import threading
from collections import OrderedDict
from concurrent.futures import Future
from typing import TYPE_CHECKING

from workcell.errors import UnknownName, WorkcellError
from workcell.geometry.glb_hash import TOLERANCE, glb_hash

if TYPE_CHECKING:
    from workcell.geometry.solid import Solid

TOGETHER = 64
"""How many shapes can be fetched at once."""
KEPT_BYTES = 256_000_000
"""How much compressed GLB is kept in memory [bytes]; the rest is made again from the mesh cache."""


class Shapes:
    """The solids that were announced to clients, and their GLB bytes. Thread safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._solids: dict[str, Solid] = {}
        self._made: OrderedDict[str, bytes] = OrderedDict()
        self._making: dict[str, Future[bytes]] = {}
        self._size = 0

    def announce(self, solid: Solid) -> str:
        """Allow clients to fetch a solid; return its hash."""
        name = glb_hash(solid)
        with self._lock:
            self._solids.setdefault(name, solid)
        return name

    def glb(self, names: str) -> bytes:
        """Return the GLBs of announced solids; see :meth:`gzipped`."""
        return gzip.decompress(self.gzipped(names))

    def gzipped(self, names: str) -> bytes:
        """Return the GLBs of announced solids one after the other, compressed as a whole; blocks while they are made.

        Args:
            names: the hashes, separated by commas.
        """
        wanted = names.split(",")
        if len(wanted) == 1:
            return self._one(names)
        if len(wanted) > TOGETHER:
            raise WorkcellError(
                f"{len(wanted)} shapes were requested at once; the limit is {TOGETHER}. Request the rest separately."
            )
        with self._lock:
            if names in self._made:
                self._made.move_to_end(names)
                return self._made[names]
        data = gzip.compress(b"".join(gzip.decompress(self._one(name)) for name in wanted), compresslevel=4, mtime=0)
        self._keep(names, data)
        return data

    def _one(self, name: str) -> bytes:
        """Return the compressed GLB of a solid; it is tessellated once for all callers."""
        with self._lock:
            if name in self._made:
                self._made.move_to_end(name)
                return self._made[name]
            solid = self._solids.get(name)
            if solid is None:
                raise UnknownName(f"No shape of this cell has the hash {name!r}.", asked=name)
            future = self._making.get(name)
            mine = future is None
            if future is None:
                future = self._making[name] = Future()
        if not mine:
            return future.result()
        try:
            data = self._make(solid)
        except BaseException as error:
            future.set_exception(error)
            future.exception()  # retrieved, even if nobody else waits
            raise
        else:
            future.set_result(data)
            self._keep(name, data)
            return data
        finally:
            with self._lock:
                self._making.pop(name, None)

    @staticmethod
    def _make(solid: Solid) -> bytes:
        from workcell.geometry.formats.gltf import mesh_to_glb

        return gzip.compress(mesh_to_glb(solid.mesh(tolerance=TOLERANCE), marked=True), compresslevel=4, mtime=0)

    def _keep(self, name: str, data: bytes) -> None:
        with self._lock:
            self._size += len(data) - len(self._made.pop(name, b""))
            self._made[name] = data
            while self._size > KEPT_BYTES and len(self._made) > 1:
                _, dropped = self._made.popitem(last=False)
                self._size -= len(dropped)
