"""Names of entities and relations as parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workcell.commands.language.choices import match_word
from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.language.transforms import ALONG, FORMS, PoseValue, begins_pose, near, read_offsets
from workcell.commands.language.value import Value
from workcell.errors import InvalidValue, UnknownName, WorkcellError
from workcell.spatial.pose import Pose
from workcell.spatial.units import Units
from workcell.wording import an, either, path_instead, quoted
from workcell.world.entities import Entity, Relation
from workcell.world.kinds import KINDS
from workcell.world.machine_places import MEMBERS
from workcell.world.thing_poses import KINDS as THINGS
from workcell.world.thing_poses import thing_pose

if TYPE_CHECKING:
    from workcell.commands.session import Session


class Ref(Value):
    """An entity that exists, by name; of certain kinds, or of any.

    A block and the object that `place` made from it have the same name: it means the object, and ``block:NAME`` the
    block.
    """

    typescript = "string"

    def __init__(
        self, *kinds: str, fits: Callable[[dict[str, Any], Entity], bool] | None = None, placed: bool = True
    ) -> None:
        self._fits, self._placed = fits, placed
        self.kinds = kinds or tuple(KINDS)
        self.any = not kinds
        self.label = "ENTITY" if self.any else "|".join(k.upper() for k in kinds) if len(kinds) < 4 else "ENTITY"
        self.help = f"the name of {self._what()}"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """``cube1``, ``block:cube1`` or ``block cube1``."""
        at = tokens.at
        text = tokens.words[at]
        if text is None:
            raise tokens.fail(f"Expected the name of {self._what()}.", {self.label: f"the name of {self._what()}"})
        tokens.at = at + 1
        name = text
        try:
            if ":" in text or '"' in text:
                kind, _, name = text.partition(":")
                if name and kind in KINDS and text[0] != '"':
                    return self._of_kind(session, kind, unquote(name))
                name = unquote(text)
            found: Sequence[Entity] = () if name in KINDS else session.database.named(name)
            if not self.any:
                found = [e for e in found if e.kind in self.kinds]
            if not found:
                return self._after_kind(tokens, session, at, name)
        except WorkcellError as error:
            raise _with_place(error, tokens, tokens.column_of(at), self.label) from None
        if len(found) == 1:
            return found[0]
        fitting = [one for one in found if self._fits is None or self._fits(seen, one)] or found
        if len(fitting) == 1:
            return fitting[0]
        whole = _placed_block(session, fitting) if self._placed else None
        if whole is not None:
            return whole
        ways = [entity.reference for entity in fitting]
        raise tokens.fail(f"{name!r} could be {' or '.join(ways)}; type one of these.", ways, tokens.column_of(at))

    def _after_kind(self, tokens: Tokens, session: Session, at: int, name: str) -> Entity:
        """Return the entity whose kind was typed before its name; ``at`` is the word of the kind."""
        text, following = tokens.words[at], tokens.words[at + 1]
        kinds = match_word(text, KINDS) if text is not None and at not in tokens.quoted else []
        others = () if name in KINDS else session.database.named(name)
        if others and not set(kinds) & set(self.kinds):
            raise InvalidValue(f"Expected {self._what()}; {name!r} is {an(others[0].kind)}.{_members(others[0])}")
        if len(kinds) == 1 and following is not None:
            tokens.at = at + 2
            return self._of_kind(session, kinds[0], unquote(following))
        known = [n for kind in self.kinds for n in session.database.names(kind)]
        raise UnknownName.among(self._what(article=False), name, known)

    def _of_kind(self, session: Session, kind: str, name: str) -> Entity:
        if kind not in self.kinds:
            raise InvalidValue(f"Expected {self._what()}, not {an(kind)}.")
        return session.database.entity(kind, name)

    def _what(self, article: bool = True) -> str:
        what = "entity" if self.any or len(self.kinds) > 6 else either(self.kinds)
        return (("an " if what[0] in "aeiou" else "a ") if article else "") + what

    def text(self, value: Any) -> str:
        """With its kind, so that it is unambiguous."""
        return str(value.reference)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """Its name."""
        return quoted(value.name)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """Names of the right kinds."""
        kind, _, name = prefix.partition(":")
        if name or prefix.endswith(":"):
            return [(f"{kind}:{quoted(n)}", kind) for n in session.database.names(kind, name) if kind in self.kinds]
        begun = prefix.lstrip('"')
        pairs = [(n, kind) for kind in self.kinds for n in session.database.names(kind, begun, most=50)]
        return [(quoted(n), kind) for n, kind in pairs]

    def schema(self) -> dict[str, Any]:
        """A name."""
        return {"type": "string", "description": f"name of {self._what()}"}


def _placed_block(session: Session, found: Sequence[Entity]) -> Entity | None:
    """Return the object of two things of one name, if the other is the block that it consists of; else None."""
    by_kind = {one.kind: one for one in found}
    whole, block = by_kind.get("object"), by_kind.get("block")
    if whole is None or block is None or len(found) > 2:
        return None
    parts = session.database.relations(whole)
    return whole if [one.child for one in parts] == [block.id] else None


class Target(PoseValue):
    """A pose in the world, or the name of a target, frame or grasp: where it is now."""

    label = "POSE|TARGET"
    help = "a pose in the world, or the name of a target or frame; offsets may follow"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read a name, which transformations in its own axes or along others may follow; or a pose."""
        from workcell.spatial.offsets import own_offset
        from workcell.spatial.transform import Transform

        start, found = tokens.at, None
        named = self.named_here(tokens, session)
        if named is not None:
            found = self._placed(session, named)
            if found is None and session.database.find("path", unquote(named)) is not None:
                raise tokens.fail(f"Expected a pose or a target; {path_instead(unquote(named))}", [self.label])
            if found is None:
                known = [name for kind in ("target", "frame") for name in session.database.names(kind)]
                unknown = UnknownName.among("target or frame", unquote(named), known)
                raise tokens.fail(
                    f"{unknown} Expected such a name, or a pose: X,Y,Z, with turns if needed.", [self.label]
                )
            tokens.skip()
            after = tokens.peek()
            if after is None or after.quoted or not match_word(after.text, FORMS):
                return Transform.exact(found)
        begun = tokens.at
        own = super().parse(tokens, session, seen)
        if tokens.words[tokens.at] != ALONG:
            return own if found is None else near(Transform.exact(own_offset(found, own.steps)))
        tokens.at = begun
        try:
            return near(Transform.exact(read_offsets(tokens, session, found, self._axes)))
        except InvalidValue as error:
            raise _with_place(error, tokens, tokens.column_of(start), self.label) from None

    def named_here(self, tokens: Tokens, session: Session) -> str | None:
        """Return the next word if it is a name; None if a pose is written in numbers.

        A word that could begin a pose, such as ``t`` or ``12``, is a name if no numbers follow and something has that
        name.
        """
        text = tokens.words[tokens.at]
        if text is None:
            return None
        if tokens.at in tokens.quoted or not super().accepts(text):
            return text
        if begins_pose(tokens) or not any(session.database.find(kind, text) for kind in ("target", "frame")):
            return None
        return text

    def _axes(self, tokens: Tokens, session: Session) -> Pose:
        """Read what follows `along`: the world, or the thing whose axes are meant."""
        if tokens.words[tokens.at] == "world" and tokens.at not in tokens.quoted:
            tokens.skip()
            return Pose.identity()
        if tokens.done:
            wanted = "the world, or an object, robot, mechanism, target or frame"
            raise tokens.fail(f"Expected axes: {wanted}.", {"world": "the axes of the world", "ENTITY": wanted})
        thing = Ref(*THINGS).parse(tokens, session, {})
        return thing_pose(session.snapshot(), session.state, thing.name, thing.kind)

    def checked(self, value: Any) -> Any:
        """A pose to the last bit, or a 4×4 matrix in SI."""
        from workcell.spatial.transform import Transform

        if isinstance(value, Transform):
            return near(value)
        return near(Transform.exact(value if isinstance(value, Pose) else Pose(value)))

    def _placed(self, session: Session, text: str) -> Pose | None:
        """Return where a target, a frame or, as ``grasp:PART/GRASP``, a grasp is now; None for any other word."""
        name = unquote(text)
        kind, _, rest = name.partition(":")
        if kind == "grasp" and rest:
            part, slash, grasp = _split_path(rest)
            if not slash:
                raise InvalidValue(f"Expected a grasp with its part, such as grasp:box/top; found {text!r}.")
            thing = session.database.entity("object", unquote(part))
            return session.snapshot().grasp_pose(session.state, thing.name, unquote(grasp))
        kinds = (kind,) if rest and kind in ("target", "frame") else ("target", "frame")
        for kind in kinds:
            entity = session.database.find(kind, unquote(rest) if len(kinds) == 1 else name)
            if entity is not None:
                return session.snapshot().place_pose(session.state, entity.name, entity.kind)
        return None

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """Targets, frames, grasps, and the words of transformations."""
        names = [
            (quoted(name), kind)
            for kind in ("target", "frame")
            for name in session.database.names(kind, prefix.lstrip('"'), most=50)
        ]
        grasps = [
            (f"grasp:{quoted(part)}/{quoted(grasp.name)}", "grasp")
            for part, held in (session.snapshot().grasps.items() if prefix[:1] == "g" else ())
            for grasp in held
        ]
        return [
            *names,
            *(one for one in grasps if one[0].startswith(prefix)),
            *super().complete(prefix, session, seen),
        ]

    def words_inside(self) -> Mapping[str, str]:
        """The words of transformations, and that for their axes."""
        return {**super().words_inside(), ALONG: "world|THING: the axes for the transformation before it"}

    def accepts(self, text: str) -> bool:
        """Any word may be a name."""
        return True


class RelationRef(Value):
    """A relation that exists: ``cube1/side1``."""

    label = "OWNER/RELATION"
    help = "a relation, such as cube1/side1"
    relations = True

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """The owner's name, a slash, the relation's name."""
        token = tokens.peek()
        if token is None:
            wanted = "a relation such as cube1/side1"
            raise tokens.fail(f"Expected {wanted}.", {self.label: wanted})
        owner_text, slash, name = _split_path(token.text)
        if not slash:
            raise tokens.fail(f"Expected a relation such as cube1/side1; found {token.text!r}.", [self.label])
        tokens.take()
        try:
            owner = Ref().parse(Tokens(owner_text), session, seen)
            return session.database.relation(owner, unquote(name))
        except WorkcellError as error:
            raise _with_place(error, tokens, token.start, self.label) from None

    def text(self, value: Any) -> str:
        """The path."""
        raise AssertionError("the session writes relations, since their owner is in the database")

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """Owners, then their relations."""
        owner_text, slash, name = _split_path(prefix)
        if not slash:
            return [(f"{text}/", kind) for text, kind in Ref().complete(prefix, session, seen) if kind != "surface"]
        found = session.database.named(unquote(owner_text))
        return [
            (f"{owner_text}/{quoted(relation.name)}", relation.kind)
            for owner in found
            for relation in session.database.relations(owner)
            if relation.name.startswith(unquote(name) if name else "")
        ]


class Thing(Value):
    """An entity or a relation."""

    label = "ENTITY|OWNER/RELATION"
    help = "the name of an entity, or a relation such as cube1/side1"
    relations = True

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read a relation if there is a slash, else an entity."""
        token = tokens.peek()
        if token is not None and _split_path(token.text)[1]:
            return RelationRef().parse(tokens, session, seen)
        return Ref().parse(tokens, session, seen)

    def text(self, value: Any) -> str:
        """Its reference or path."""
        return str(value.reference)

    def shown(self, value: Any, units: Units, given: dict[str, Any]) -> str:
        """Its name."""
        return quoted(value.name)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """Entities, and relations after a slash."""
        if _split_path(prefix)[1]:
            return RelationRef().complete(prefix, session, seen)
        return Ref().complete(prefix, session, seen)


def _members(entity: Entity) -> str:
    """Return a hint at the members of a machine, for commands on one robot or mechanism."""
    members = str(entity.properties.get(MEMBERS, "")) if entity.kind == "machine" else ""
    return f" Name one of its members: {members}." if members else ""


def relation_text(session: Session, relation: Relation) -> str:
    """Return the canonical text of a relation."""
    owner = session.database.by_id(relation.parent)
    return f"{owner.reference}/{quoted(relation.name)}"


def _split_path(text: str) -> tuple[str, str, str]:
    """Split a path into owner, slash and relation; a slash inside quotes does not count."""
    in_quotes = False
    for place, letter in enumerate(text):
        if letter == '"':
            in_quotes = not in_quotes
        elif letter == "/" and not in_quotes and place > 0:
            return text[:place], "/", text[place + 1 :]
    return text, "", ""


def _with_place(error: WorkcellError, tokens: Tokens, column: int, label: str) -> WorkcellError:
    """Return the same error with the line and the column."""
    error.evidence.setdefault("line", tokens.line)
    error.evidence["line"] = tokens.line
    error.evidence["column"] = column
    error.evidence.setdefault("expected", [label])
    return error
