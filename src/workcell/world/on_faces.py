"""Things that stand on faces of others: they are found before an edit removes these, and left standing alone."""

from __future__ import annotations

from collections.abc import Iterable

from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.world.database import Database
from workcell.world.entities import Entity, Relation
from workcell.world.expand import Expander
from workcell.world.foothold import BASE, KEPT, stands
from workcell.world.row_writer import Writer
from workcell.world.standing import Footing


def standing_on(database: Database, relations: Iterable[Relation]) -> list[Relation]:
    """The relations of the same scene that stand on faces of these."""
    found: list[Relation] = []
    for relation in relations:
        scene = database.by_id(relation.parent)
        if scene.kind == "scene" and any(stands(one) for one in database.relations(scene)):
            found += Footing(Expander(database), scene).children(relation)
    return found


def base_called(database: Database, footing: Footing, relation: Relation) -> str:
    """The present name of what something stands on; the one that it had if it is gone."""
    base = footing.base(relation)
    return database.called(base) if base is not None else str(relation.properties[BASE])


def leave_standing(database: Database, rows: Writer, scene: Entity, relation: Relation) -> None:
    """Make the pose of something that stands on a face its own."""
    pose = Pose(Footing(Expander(database, leniently=True), scene).X_world(relation))
    database.set_properties(rows, relation, dict.fromkeys(KEPT))
    database.set_transform(rows, relation, Transform.from_pose(pose))
