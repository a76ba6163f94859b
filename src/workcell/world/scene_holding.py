"""What moves with what in a scene: on faces, on links of mechanisms, and in stock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.spatial.pose import Pose
from workcell.world.absence import store_place
from workcell.world.body import Body
from workcell.world.entities import Entity
from workcell.world.expand import Expander
from workcell.world.foothold import BASE
from workcell.world.placed import PlacedRobot
from workcell.world.places import WORLD
from workcell.world.riding import CARRIER, LINK
from workcell.world.rows import Rows
from workcell.world.scene_items import Arm, Hold, Item
from workcell.world.snapshot import Snapshot
from workcell.world.standing import Footing
from workcell.world.state import Attachment, CellState


class Holding:
    """What moves with what: on faces, and on links of mechanisms."""

    def __init__(self, rows: Rows, expander: Expander, items: Mapping[int, Item], before: Mapping[int, Hold]) -> None:
        self._rows, self._expander, self._items, self._before = rows, expander, items, before
        self.found: dict[int, Hold] = {}
        self.by_label: dict[str, Hold] = {}
        self.notes: list[str] = []

    def stand(self, scene: Entity, items: list[Item]) -> None:
        """Attach things that stand on a face to their carrier."""
        if not items:
            return
        footing = Footing(self._expander, scene)
        for item in items:
            relation = item.relation
            base = footing.base(relation)
            if base is None or base.id not in self._items or self._items[base.id].pose is None:
                was = relation.properties[BASE]
                self.notes.append(f"{item.label!r} stood on {was!r}, which is no longer in the scene")
                continue
            frame = self._items[base.id].label
            stamps = self._rows.stamp(relation.child), self._rows.stamp(base.child)
            kept = self._known(item, (relation, base.id, stamps, frame))
            if kept is None:
                self._expander.notes = []
                pose = Pose(footing.X_base_child(relation))
                kept = self._made(item, (relation, base.id, stamps, frame), frame, pose)
            self._keep(item, kept)

    def ride(
        self,
        items: list[Item],
        bodies: tuple[Body, ...],
        robots: tuple[PlacedRobot, ...],
        joints: Mapping[str, NDArray[np.float64]],
        arms: list[tuple[int, Arm]],
    ) -> None:
        """Attach things that ride on a mechanism to its link."""
        if not items:
            return
        carriers = {arm.key: arm.placed.name for _, arm in arms}
        state = CellState(0.0, joints)
        standing = Snapshot((0, 0), "", bodies, robots, state)
        frames: dict[str, NDArray[np.float64]] = {}
        for item in items:
            own = item.relation.properties
            carrier, link = carriers.get(own[CARRIER], ""), int(own.get(LINK) or 0)
            links = standing.robot(carrier).bodies if carrier else ()
            place = links[link] if link < len(links) else -1
            if place < 0:
                self.notes.append(f"{item.label!r} rode on something that is no longer in the scene")
                continue
            if carrier not in frames:
                frames[carrier] = standing.link_frames(state, carrier)
            X_world_link, frame = frames[carrier][link], bodies[place].name
            made_from = (item.relation, X_world_link.tobytes(), frame)
            kept = self._known(item, made_from)
            if kept is None:
                self._expander.notes = []
                assert item.pose is not None
                kept = self._made(item, made_from, frame, Pose(X_world_link).inverse() @ item.pose)
            self._keep(item, kept)

    def store(self, items: list[Item]) -> None:
        """Make parts in stock absent."""
        for number, item in enumerate(items):
            kept = self._known(item, (item.relation, number))
            if kept is None:
                self._expander.notes = []
                kept = self._made(item, (item.relation, number), WORLD, store_place(number))
            self._keep(item, kept)

    def _known(self, item: Item, made_from: tuple[Any, ...]) -> Hold | None:
        kept = self._before.get(item.relation.id)
        return kept if kept is not None and kept.made_from == made_from else None

    def _made(self, item: Item, made_from: tuple[Any, ...], frame: str, pose: Pose) -> Hold:
        old, attachment = self._before.get(item.relation.id), Attachment(frame, pose)
        if old is not None and old.attachment == attachment:
            attachment = old.attachment
        return Hold(made_from, attachment, tuple(self._expander.notes))

    def _keep(self, item: Item, hold: Hold) -> None:
        self.found[item.relation.id] = self.by_label[item.label] = hold
        self.notes += hold.notes
