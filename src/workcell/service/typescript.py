"""TypeScript types from message classes, read with msgspec.inspect so that they cannot differ."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import UnionType
from typing import Any, get_args

import msgspec.inspect as mi
from msgspec import UNSET, structs

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


def declarations(
    unions: Mapping[str, Any],
    optional: frozenset[str],
    constants: Mapping[str, int],
    tables: Mapping[str, Mapping[str, float]],
) -> str:
    """Declare each class that the unions use, after the classes that it uses, then the unions.

    Args:
        unions: the unions by their names.
        optional: the unions in which a field with a default may be left out.
        constants: numbers that both ends share.
        tables: numbers by name that both ends share.
    """
    writer = _Writer()
    aliases = [writer.alias(name, union, name in optional) for name, union in unions.items()]
    numbers = "".join(f"export const {name} = {value};\n" for name, value in constants.items())
    numbers += "".join(
        f"export const {name}: Readonly<Record<string, number>> = {_table(values)};\n"
        for name, values in tables.items()
    )
    return "\n".join([HEADER, numbers, *writer.structs.values(), *aliases])


def _table(values: Mapping[str, float]) -> str:
    return "{ " + ", ".join(f"{name}: {value!r}" for name, value in values.items()) + " }"


def commands() -> str:
    """Return the commands as TypeScript types, for the page: the parameters and the result of each, by its words."""
    from workcell.commands.language.registry import registry

    writer, lines = _Writer(), ["/** The parameters and the result of each command; they type `call`. */"]
    lines.append("export interface Commands {")
    for command in registry().commands:
        syntax, result = command.syntax, writer.result(command.run)
        required = set(syntax.required_params)
        lines += [f"  /** {command.help} */", f'  "{command.name}": {{', "    parameters: {"]
        for param, value in syntax.params.items():
            kind = f"({value.typescript})[]" if param in syntax.repeated else value.typescript
            lines.append(f"      {param}{'' if param in required else '?'}: {kind};")
        lines += [f"      {group.flag}?: boolean;" for group in syntax.groups if group.flag]
        lines += ["    };", f"    result: {result};", "  };"]
    head = "// Generated from the declared commands by `make docs`; do not edit.\n"
    return "\n".join([head, *writer.structs.values(), *lines, "}", ""])


def type_name(kind: mi.Type) -> str:
    """Return a type as TypeScript writes it."""
    return _Writer().name(kind)


class _Writer:
    """Collects the interfaces, each after those that it uses."""

    def __init__(self) -> None:
        self.structs: dict[str, str] = {}
        self._open: set[str] = set()  # a class may hold itself
        self._classes: dict[str, type] = {}
        self._optional = False

    def result(self, function: Any) -> str:
        """Return the type of the answer of a command; ``unknown`` if TypeScript has no type for it."""
        before = dict(self.structs)
        try:
            hint = function.__annotations__["return"]
            kind = eval(hint, function.__globals__) if isinstance(hint, str) else hint
            either = get_args(kind) if isinstance(kind, UnionType) else (kind,)  # msgspec reads no union of classes
            return " | ".join(self.name(mi.type_info(one)) for one in either)
        except (TypeError, NameError, KeyError):  # a type only for type checkers, or one that JSON does not have
            self.structs, self._open = before, set(before)
            return "unknown"

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
        if isinstance(kind, mi.TypedDictType):
            return self.typed_dict(kind)
        if isinstance(kind, mi.LiteralType):
            return " | ".join(f'"{value}"' for value in kind.values)
        if isinstance(kind, mi.UnionType):
            return " | ".join(self.name(item) for item in kind.types)
        raise TypeError(f"{kind} has no TypeScript type yet; add it to workcell/service/typescript.py.")

    def typed_dict(self, kind: mi.TypedDictType) -> str:
        name = kind.cls.__name__
        if name not in self.structs:
            lines = [
                f"  {field.name}{'' if field.required else '?'}: {self.name(field.type)};" for field in kind.fields
            ]
            first, body = (inspect.getdoc(kind.cls) or "").split("\n", 1)[0], "\n".join(lines)
            self.structs[name] = f"/** {first} */\nexport interface {name} {{\n{body}\n}}\n"
        return name

    def struct(self, kind: mi.StructType) -> str:
        name = kind.cls.__name__
        if self._classes.setdefault(name, kind.cls) is not kind.cls:
            name = kind.cls.__module__.rpartition(".")[2].title().replace("_", "") + name
        if name in self.structs or name in self._open:
            return name
        self._open.add(name)
        lines = [f'  {kind.tag_field}: "{kind.tag}";'] if kind.tag_field else []
        left_out = kind.cls.__struct_config__.omit_defaults
        unset = {one.name for one in structs.fields(kind.cls) if one.default is UNSET}
        for field in kind.fields:
            missing = not field.required and (self._optional or left_out or field.name in unset)
            lines.append(f"  {field.encode_name}{'?' if missing else ''}: {self.name(field.type)};")
        first = (inspect.getdoc(kind.cls) or "").split("\n", 1)[0].replace("``", "`")
        body = "\n".join(lines)
        self.structs[name] = f"/** {first} */\nexport interface {name} {{\n{body}\n}}\n"
        return name
