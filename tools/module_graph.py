"""The modules of the package and their imports, including imports inside functions."""

from __future__ import annotations

import ast
import os
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "src"


@cache
def sources() -> dict[str, Path]:
    """Return every module of the package by name."""
    found = []
    for folder, below, files in os.walk(ROOT / "workcell"):
        below[:] = [one for one in below if one not in ("node_modules", "__pycache__")]
        found += [Path(folder) / one for one in files if one.endswith(".py")]
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in sorted(found)
    }


@cache
def imports() -> dict[str, set[str]]:
    """Return for each module the modules of ours that it imports, now or later, without imports for type checkers."""
    modules = sources()
    return {name: imported(path.read_text(encoding="utf-8"), modules) - {name} for name, path in modules.items()}


def imported(text: str, modules: dict[str, Path]) -> set[str]:
    """Return the modules that a text imports."""
    found: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                found.add(below if below in modules else node.module)
        waiting += ast.iter_child_nodes(node)
    return found & modules.keys()


def cycles(graph: dict[str, set[str]]) -> list[frozenset[str]]:
    """Return the sets of modules that import each other in a circle (Tarjan's strongly connected components)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[frozenset[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for other in graph[name]:
            if other not in order:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], order[other])
        if low[name] == order[name]:
            at = stack.index(name)
            component = frozenset(stack[at:])
            del stack[at:]
            if len(component) > 1:
                found.append(component)

    for name in graph:
        if name not in order:
            visit(name)
    return found
