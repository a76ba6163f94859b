"""The shape of the code: no module imports itself in a circle, files and functions are short, messages decide nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from module_graph import cycles, imports, sources

LINES = 400
"""The most lines of a file, kernels aside."""
FUNCTION = 80
"""The most lines of a function, kernels included unless they are listed."""


# ---- imports -------------------------------------------------------------------------------------------


def test_no_module_imports_itself_in_a_circle():
    found = [sorted(circle) for circle in cycles(imports())]
    assert not found, f"these import each other, inside functions or not: {found}"


def test_the_language_knows_no_family_of_commands():
    inside = "workcell.commands.language"
    outside = {
        name: {one for one in found if one.startswith("workcell.commands.") and not one.startswith(inside)}
        for name, found in imports().items()
        if name.startswith(inside)
    }
    assert len(outside) > 10
    assert not any(outside.values()), outside


def test_circles_are_found_wherever_the_import_stands():
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [frozenset("abc")]
    assert not cycles({"a": {"b", "c"}, "b": {"c"}, "c": set()})


CATALOGUES = {"workcell.programs.steps", "workcell.geometry.recipe", "workcell.motion.profiles"}
"""Modules that list the kinds of one thing for those who use them all; the list may only shrink."""


def handed_on(text: str) -> set[str]:
    """Return the names that a module imports only so that others can import them from it."""
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    return {one.name for node in found for one in node.names if one.asname == one.name}


def test_names_are_imported_from_the_module_that_defines_them():
    assert handed_on("from a import b as b, c as d\nimport e as e, f\nfrom g import h") == {"b", "e"}
    texts = {name: path.read_text(encoding="utf-8") for name, path in sources().items()}
    found = {name: names for name, text in texts.items() if (names := handed_on(text))}
    assert set(found) == CATALOGUES, "the others import them from where they are defined"


# ---- sizes ---------------------------------------------------------------------------------------------

LONG_FILES: set[str] = set()
"""Files that are longer still; the list may only shrink."""
LONG_FUNCTIONS: set[str] = set()
"""The same for functions."""


def shown(path: Path) -> str:
    return path.as_posix().rpartition("src/workcell/")[2]


def test_files_are_short():
    lengths = {shown(path): len(path.read_text(encoding="utf-8").splitlines()) for path in sources().values()}
    long = {name for name, lines in lengths.items() if lines > LINES and "/_kernels" not in name}
    assert not long - LONG_FILES, "split them by noun"


def test_functions_are_short():
    long = set()
    for path in sources().values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                long |= {f"{shown(path)}:{node.name}"} if length > FUNCTION else set()
    assert not long - LONG_FUNCTIONS, "they do too much"


# ---- messages ------------------------------------------------------------------------------------------

ERRORS = ("Error", "Exception", "Refused", "Problem", "Stop", "Cancelled")
"""How the names of exceptions end."""
TEXTS = ("message", "args", "reason", "msg", "sqlite_errorname")
"""What the text of one is kept in; `strerror` and `errno` are the system's own numbers and words."""
TESTS = ("startswith", "endswith", "find", "rfind", "index", "count", "match", "fullmatch", "search", "findall")


class Deciding(ast.NodeVisitor):
    """Finds where the text of an exception decides what happens."""

    def __init__(self) -> None:
        self.found: list[int] = []
        self._errors: set[str] = set()
        self._texts: set[str] = set()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        before = set(self._errors), set(self._texts)
        for one in [*node.args.args, *node.args.kwonlyargs]:
            if one.annotation is not None and ast.unparse(one.annotation).split(" ")[0].endswith(ERRORS):
                self._errors.add(one.arg)
        self.generic_visit(node)
        self._errors, self._texts = before

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._errors.add(node.name)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        if self.is_text(node.value):
            self._texts |= {one.id for one in node.targets if isinstance(one, ast.Name)}

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.generic_visit(node)
        if self.is_text(node.value) and isinstance(node.target, ast.Name):
            self._texts.add(node.target.id)

    def visit_Compare(self, node: ast.Compare) -> None:
        self.generic_visit(node)
        if any(self.is_text(one) for one in [node.left, *node.comparators]):
            self.found.append(node.lineno)

    def visit_Match(self, node: ast.Match) -> None:
        self.generic_visit(node)
        if self.is_text(node.subject):
            self.found.append(node.lineno)

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        function = node.func
        tests = isinstance(function, ast.Attribute) and function.attr in TESTS
        if tests and any(self.is_text(one) for one in [function.value, *node.args]):
            self.found.append(node.lineno)

    def is_text(self, node: ast.AST) -> bool:
        """Whether an expression is the text of an exception, or made of it."""
        match node:
            case ast.Name(id=name):
                return name in self._texts
            case ast.Call(func=ast.Name(id="str" | "repr"), args=[ast.Name(id=name)]) if name in self._errors:
                return True
            case ast.Call(func=ast.Name(id="str" | "repr"), args=[inner]):
                return self.is_text(inner)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="pointed")) if name in self._errors:
                return True
            case ast.Call(func=ast.Attribute(value=inner, attr=called)):
                return called not in TESTS and self.is_text(inner)  # lower(), strip(), split()
            case ast.Attribute(value=ast.Name(id=name), attr=kept):
                return kept in TEXTS and (name in self._errors or name in ("error", "record"))
            case ast.Subscript(value=inner):
                return self.is_text(inner)
            case ast.JoinedStr(values=parts):
                return any(
                    isinstance(one, ast.FormattedValue)
                    and (self.is_text(one.value) or (isinstance(one.value, ast.Name) and one.value.id in self._errors))
                    for one in parts
                )
        return False


def deciding(text: str) -> list[int]:
    visitor = Deciding()
    visitor.visit(ast.parse(text))
    return visitor.found


def places() -> Iterator[str]:
    for path in sources().values():
        yield from (f"{shown(path)}:{line}" for line in deciding(path.read_text(encoding="utf-8")))


def test_no_message_decides_what_happens():
    assert not list(places()), "tell errors apart by their class or their fields, never by their words"


@pytest.mark.parametrize(
    "line",
    [
        'if "no such" in str(error): pass', "if error.message.startswith('A'): pass", "x = error.args[0] == 'b'",
        "re.match('a', str(error))", "text = f'{error}'.lower()\n    if 'a' in text: pass",
        "match str(error):\n        case 'a': pass",
    ],
)  # fmt: skip
def test_such_decisions_are_found(line):
    assert deciding(f"try:\n    pass\nexcept ValueError as error:\n    {line}\n")


@pytest.mark.parametrize("line", ["raise Refused(f'{error} Stop.')", "if error.evidence.get('line') == 3: pass"])
def test_what_only_shows_a_message_is_left_alone(line):
    assert not deciding(f"try:\n    pass\nexcept ValueError as error:\n    {line}\n")


# ---- readers -------------------------------------------------------------------------------------------

PLAIN = frozenset({"bool", "int", "float", "str", "bytes", "list", "dict", "tuple", "Any", "None"})
"""What msgspec knows without learning a class."""
CHILD = frozenset({"workcell.geometry.kernel.serve"})
"""Programs of one thread."""


def late_readers(text: str) -> Iterator[int]:
    """Yield the lines on which a function makes a reader of a class, which crashes msgspec if two threads do so at once."""
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
            called = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            kinds = [one.value for one in call.keywords if one.arg == "type" and called == "decode"]
            kinds += call.args[:1] if called == "Decoder" else []
            if any(
                isinstance(n, ast.Name | ast.Attribute) and ast.unparse(n) not in PLAIN
                for k in kinds
                for n in ast.walk(k)
            ):
                yield call.lineno


def test_readers_are_made_when_their_module_is_imported():
    late = {name: list(late_readers(path.read_text())) for name, path in sources().items() if name not in CHILD}
    assert not {name: lines for name, lines in late.items() if lines}


def test_a_reader_made_in_a_function_is_found():
    inside = (
        "def read(x):\n    return msgspec.json.decode(x, type={})\ndef make():\n    return msgspec.json.Decoder({})\n"
    )
    assert list(late_readers(inside.format("Thing", "list[Thing]"))) == [2, 4]
    assert not list(late_readers(inside.format("dict[str, Any]", "str")))
