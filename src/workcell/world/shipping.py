"""Sends snapshots to another process; parts that it already has are named by their hash and not sent again.

A snapshot is cut into parts: solids, their meshes, bodies, robots, and stretches of long rows.
Each part is identified by the hash of its bytes. After an edit, only the changed parts travel.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import pickle
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from workcell.errors import WorkcellError
from workcell.geometry.mesh import Mesh
from workcell.geometry.recipe import decode, encode
from workcell.geometry.solid import Solid
from workcell.robots.robot import Robot
from workcell.world.body import Body
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Key: TypeAlias = bytes
_MESHES = "_meshes"
"""The attribute of a solid with its meshes."""
_STRETCH = 64
"""The average number of things in a stretch of a long row."""


class PartsMissing(WorkcellError):
    """A shipment names parts that this process does not have; a new sender sends all of them."""


@dataclasses.dataclass(frozen=True, eq=False)
class _Stretch:
    """Successive things of a long row; it ends where the name of a thing determines it.

    So adding or removing a thing changes one stretch and moves none.
    """

    things: tuple[Any, ...]


class Sender:
    """Packs snapshots for one process, and remembers which parts that process has."""

    def __init__(self) -> None:
        self._keys: dict[int, tuple[object, Key]] = {}
        self._needs: dict[Key, tuple[Key, ...]] = {}
        self._there: set[Key] = set()

    def pack(self, snapshot: Snapshot) -> bytes:
        """The bytes from which :meth:`Receiver.unpack` makes the snapshot; they must arrive in the order of packing."""
        packing = _Packing(self._keys, self._needs)
        root = packing.part(_cut(snapshot))
        needed = _reached(root, packing.needs)
        parts = {key: packing.data[key] for key in needed if key not in self._there}
        self._there = needed
        self._needs = {key: packing.needs[key] for key in needed}
        self._keys = {number: one for number, one in packing.keys.items() if one[1] in needed}
        return pickle.dumps((root, parts))


class Receiver:
    """Unpacks snapshots in the receiving process, and keeps the parts of the last one."""

    def __init__(self) -> None:
        self._parts: dict[Key, Any] = {}
        self._needs: dict[Key, tuple[Key, ...]] = {}

    def unpack(self, data: bytes) -> Snapshot:
        """The packed snapshot; unchanged bodies and robots are the same objects as before."""
        root, parts = pickle.loads(data)
        unpacking = _Unpacking(parts, self._parts, self._needs)
        snapshot = _joined(unpacking.part(root))
        needed = _reached(root, unpacking.needs)
        self._parts = {key: unpacking.made[key] for key in needed}
        self._needs = {key: unpacking.needs[key] for key in needed}
        return snapshot


def _cut(snapshot: Snapshot) -> dict[str, Any]:
    """The fields of a snapshot, long rows as stretches."""
    fields = {field.name: getattr(snapshot, field.name) for field in dataclasses.fields(snapshot)}
    state = snapshot.initial
    fields["bodies"] = list(_stretches((body.name, body) for body in snapshot.bodies))
    fields["initial"] = (
        state.time, dict(state.joints), list(_stretches((name, (name, pose)) for name, pose in state.poses.items())),
        list(_stretches((name, (name, held)) for name, held in state.attached.items())), dict(state.signals),
    )  # fmt: skip
    fields[_MESHES] = list(_stretches((solid.hash, (solid, meshes)) for solid, meshes in _meshed(snapshot)))
    return fields


def _meshed(snapshot: Snapshot) -> Iterator[tuple[Solid, dict[str, Mesh]]]:
    """The solids with meshes, each once, with the meshes by their fineness."""
    pieces = [piece for body in snapshot.bodies for piece in (*body.pieces, *body.tested)]
    pieces += [piece for zone in snapshot.zones for piece in zone.pieces]
    solids = {piece.solid.hash: piece.solid for piece in pieces if piece.solid.__dict__.get(_MESHES)}
    return ((solid, dict(solid.__dict__[_MESHES])) for _, solid in sorted(solids.items()))


def _joined(packed: Mapping[str, Any]) -> Snapshot:
    fields = dict(packed)
    for solid, meshes in _things(fields.pop(_MESHES)):
        solid.__dict__.setdefault(_MESHES, {}).update(meshes)
    time, joints, poses, attached, signals = fields["initial"]
    initial = CellState(time, joints, dict(_things(poses)), dict(_things(attached)), signals)
    return Snapshot(**{**fields, "bodies": tuple(_things(fields["bodies"])), "initial": initial})


def _stretches(things: Iterable[tuple[str, object]]) -> Iterator[_Stretch]:
    found: list[object] = []
    for name, thing in things:
        found.append(thing)
        if zlib.crc32(name.encode(errors="surrogatepass")) % _STRETCH == 0:
            yield _Stretch(tuple(found))
            found = []
    if found:
        yield _Stretch(tuple(found))


def _things(stretches: Iterable[_Stretch]) -> Iterator[Any]:
    for stretch in stretches:
        yield from stretch.things


def _reached(root: Key, needs: Mapping[Key, tuple[Key, ...]]) -> set[Key]:
    """A part and everything that it contains."""
    found, waiting = {root}, [root]
    while waiting:
        for key in needs[waiting.pop()]:
            if key not in found:
                found.add(key)
                waiting.append(key)
    return found


_PARTS = (Body, Robot, Solid, Mesh, _Stretch)
"""The types that travel as parts of their own."""


class _Packing:
    """Makes the parts of one snapshot; parts of known objects are not made again."""

    def __init__(self, known: Mapping[int, tuple[object, Key]], needs: Mapping[Key, tuple[Key, ...]]) -> None:
        self.keys = dict(known)
        self.needs = dict(needs)
        self.data: dict[Key, bytes] = {}

    def key(self, thing: object) -> Key:
        known = self.keys.get(id(thing))
        if known is None:
            known = self.keys[id(thing)] = thing, self.part(_content(thing))
        return known[1]

    def part(self, content: object) -> Key:
        out = io.BytesIO()
        pickler = _Pickler(out, self)
        pickler.dump(content)
        data = out.getvalue()
        key = hashlib.blake2b(data, digest_size=16).digest()
        self.data[key], self.needs[key] = data, tuple(dict.fromkeys(pickler.needs))
        return key


class _Pickler(pickle.Pickler):
    def __init__(self, out: io.BytesIO, packing: _Packing) -> None:
        super().__init__(out, protocol=5)
        self._packing = packing
        self.needs: list[Key] = []

    def persistent_id(self, thing: object) -> Key | None:
        if not isinstance(thing, _PARTS):
            return None
        key = self._packing.key(thing)
        self.needs.append(key)
        return key


class _Unpacking:
    """Makes parts from their bytes; existing ones are used unchanged."""

    def __init__(
        self, data: Mapping[Key, bytes], known: Mapping[Key, Any], needs: Mapping[Key, tuple[Key, ...]]
    ) -> None:
        self._data = data
        self.made = dict(known)
        self.needs = dict(needs)

    def part(self, key: Key) -> Any:
        if key not in self.made:
            if key not in self._data:
                raise PartsMissing(
                    "The snapshot refers to parts that this process was never sent; pack it with a new Sender."
                )
            unpickler = _Unpickler(io.BytesIO(self._data[key]), self)
            self.made[key] = _thing(unpickler.load())
            self.needs[key] = tuple(dict.fromkeys(unpickler.needs))
        return self.made[key]


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: io.BytesIO, unpacking: _Unpacking) -> None:
        super().__init__(data)
        self._unpacking = unpacking
        self.needs: list[Key] = []

    def persistent_load(self, key: Key) -> Any:
        self.needs.append(key)
        return self._unpacking.part(key)


def _content(thing: object) -> tuple[type[Any], Any]:
    """The content of a part: its class, and the arguments of that."""
    if isinstance(thing, Solid):
        return Solid, encode(thing.recipe)
    if isinstance(thing, Mesh):
        return Mesh, thing.to_bytes()
    assert dataclasses.is_dataclass(thing)
    fields = {field.name: getattr(thing, field.name) for field in dataclasses.fields(thing)}
    return type(thing), {name: dict(value) if isinstance(value, Mapping) else value for name, value in fields.items()}


def _thing(content: Any) -> Any:
    if isinstance(content, dict):
        return content  # the fields of the snapshot itself
    kind, given = content
    if kind is Solid:
        return Solid(decode(given))
    return Mesh.from_bytes(given) if kind is Mesh else kind(**given)
