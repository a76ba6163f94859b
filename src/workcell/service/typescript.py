"""TypeScript types from message classes: read with msgspec.inspect, so that they cannot differ."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import msgspec.inspect as mi

HEADER = "// Generated from workcell/service/protocol.py by `make docs`; edit that, not this.\n"
SIMPLE: dict[type, str] = {
    mi.AnyType: "unknown",
    mi.RawType: "unknown",
    mi.NoneType: "null",
    mi.BoolType: "boolean",
    mi.IntType: "number",
    mi.FloatType: "number",
    mi.StrType: "string",
}


def declarations(unions: Mapping[str, Any], optional: frozenset[str], constants: Mapping[str, int]) -> str:
    """Declare each class that the unions reach, what it uses first, then the unions.

    Args:
        unions: the unions by the name they get.
        optional: those whose writer may leave out a field that has a default; others write every field.
        constants: numbers that both ends share.
    """
    writer = _Writer()
    aliases = [writer.alias(name, union, name in optional) for name, union in unions.items()]
    numbers = "".join(f"export const {name} = {value};\n" for name, value in constants.items())
    return "\n".join([HEADER, numbers, *writer.structs.values(), *aliases])


class _Writer:
    """Collects the interfaces, each after those it uses."""

    def __init__(self) -> None:
        self.structs: dict[str, str] = {}
        self._open: set[str] = set()  # a class may hold itself
        self._optional = False

    def alias(self, name: str, union: Any, optional: bool) -> str:
        self._optional = optional
        found = mi.type_info(union)
        kinds = found.types if isinstance(found, mi.UnionType) else (found,)
        return f"export type {name} =\n  | " + "\n  | ".join(self.name(kind) for kind in kinds) + ";\n"

    def name(self, kind: mi.Type) -> str:
        if type(kind) in SIMPLE:
            return SIMPLE[type(kind)]
        if isinstance(kind, mi.StructType):
            return self.struct(kind)
        if isinstance(kind, mi.ListType | mi.VarTupleType):
            item = self.name(kind.item_type)
            return f"({item})[]" if "|" in item else f"{item}[]"
        if isinstance(kind, mi.TupleType):
            return "[" + ", ".join(self.name(item) for item in kind.item_types) + "]"
        if isinstance(kind, mi.DictType):
            return f"Record<{self.name(kind.key_type)}, {self.name(kind.value_type)}>"
        if isinstance(kind, mi.LiteralType):
            return " | ".join(f'"{value}"' for value in kind.values)
        if isinstance(kind, mi.UnionType):
            return " | ".join(self.name(item) for item in kind.types)
        raise TypeError(f"{kind} has no TypeScript form yet; add it to workcell/service/typescript.py.")

    def struct(self, kind: mi.StructType) -> str:
        name = kind.cls.__name__
        if name in self.structs or name in self._open:
            return name
        self._open.add(name)
        lines = [f'  {kind.tag_field}: "{kind.tag}";'] if kind.tag_field else []
        for field in kind.fields:
            mark = "?" if self._optional and not field.required else ""
            lines.append(f"  {field.encode_name}{mark}: {self.name(field.type)};")
        first = (inspect.getdoc(kind.cls) or "").split("\n", 1)[0].replace("``", "`")
        body = "\n".join(lines)
        self.structs[name] = f"/** {first} */\nexport interface {name} {{\n{body}\n}}\n"
        return name
