"""The house: what is public, what loads when, and that nothing of one machine is in it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import workcell as wc

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"numba", "pinocchio", "OCP", "coal", "scipy", "PIL", "starlette", "uvicorn", "trimesh", "manifold3d", "ruckig"}


def loaded_by(code: str) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(' '.join(m.split('.')[0] for m in sys.modules))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(run.stdout.split("\n")[-2].split())


def test_the_public_surface_is_what_it_says():
    for name in wc.__all__:
        assert getattr(wc, name) is not None
    assert dir(wc) == sorted(wc.__all__)


def test_type_checkers_see_the_public_surface_as_it_is():
    tree = ast.parse((ROOT / "src/workcell/__init__.py").read_text())
    seen = {
        (node.module, alias.name)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in ast.walk(block)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert {(module, name) for name, module in wc._LAZY.items()} == seen
    assert {name for _, name in seen} | {"WorkcellError", "deg", "mm"} == set(wc.__all__)


def test_what_everyday_pages_use_is_reached_from_the_package():
    """Pages and numbered examples take from `wc` what `wc` has."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("[0-9]*.py")]
    found = 0
    for path in pages:
        text = path.read_text(encoding="utf-8")
        blocks = [text] if path.suffix == ".py" else re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        for block in blocks:
            for node in ast.walk(ast.parse(block)):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("workcell"):
                    found += 1
                    names = {alias.name for alias in node.names} & set(wc.__all__)
                    assert not names, f"{path.name} imports {names} from {node.module}; `wc` has it"
                    assert path.suffix == ".md", f"{path.name} needs {node.module}, which `wc` should have"
                    assert node.module not in {f"{place}.{name}" for name, place in wc._LAZY.items()}, path.name
    assert found  # a few pages show a lower room


def test_importing_the_package_loads_nothing_heavy():
    assert not loaded_by("import workcell as wc\ndir(wc)") & (HEAVY | {"numpy"})


def test_robots_can_be_listed_whatever_was_imported_before():
    for first in (
        "",
        "import workcell.robots.robot",
        "import workcell.commands.cell; workcell.commands.cell.Cell().do('robots')",
    ):
        code = f"import workcell as wc\n{first}\nassert 'puma560' in wc.robots()\nassert wc.robot('puma560').n == 6"
        loaded_by(code)


def test_help_is_instant_since_no_engine_is_loaded():
    code = (
        "import click.testing, workcell.cli\n"
        "run = click.testing.CliRunner().invoke(workcell.cli.main, ['--help']); assert run.exit_code == 0, run.output"
    )
    assert not loaded_by(code) & (HEAVY | {"numpy"})


def test_editing_a_cell_loads_no_engine():
    code = "import workcell as wc\nc = wc.Cell(); c.do('create block a box 1 2 3'); c.do('show a')"
    assert not loaded_by(code) & HEAVY


def test_no_lock_file_or_committed_file_has_addresses_or_machine_paths():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    for name in filter(None, tracked):
        path = ROOT / name
        if path.suffix in (".png", ".glb", ".step", ".stl") or not path.exists() or path.name == Path(__file__).name:
            continue
        text = path.read_text(encoding="utf-8", errors="ignore")
        assert not re.search(r'"resolved": *"http', text), name
        assert not re.search(r"(^|[^A-Za-z0-9.])/(work|farm|root)/", text), name


def test_constraints_pin_every_dependency():
    pins = {}
    for line in (ROOT / "constraints.txt").read_text().split():
        name, _, version = line.partition("==")
        assert version, line
        pins[name.lower().replace("_", "-")] = version
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = list(project["project"]["dependencies"])
    for group in project["dependency-groups"].values():
        needed += group
    for need in needed:
        name = re.split(r"[\[<>=!~ ]", need)[0].lower().replace("_", "-")
        assert name in pins, f"{name} is not pinned"


def test_the_library_imports_only_what_an_install_brings():
    """Every import, also inside functions: the standard library, ourselves, a dependency, or a named option."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    options = [need for extra in project["optional-dependencies"].values() for need in extra]
    needs = {re.match(r"[\w-]+", need)[0].lower() for need in [*project["dependencies"], *options]}
    called = {"pin": {"pinocchio", "coal", "eigenpy"}, "cadquery-ocp-novtk": {"OCP"}, "pillow": {"PIL"}}
    known = {"workcell", "anyio", *sys.stdlib_module_names}  # starlette brings anyio
    for need in needs:
        known |= called.get(need, {need.replace("-", "_")})
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = {node.module or ""}
            else:
                continue
            for name in names:
                assert name.split(".")[0] in known, f"{path.relative_to(ROOT)} imports {name}, which an install lacks"


def test_browsers_are_started_in_one_place():
    """Tests, pictures and benchmarks use the same browser with the same flags."""
    started = "chromium" + ".launch("
    files = [path for room in ("bench", "tools", "tests", "examples") for path in (ROOT / room).rglob("*.py")]
    assert [path.name for path in files if started in path.read_text(encoding="utf-8")] == ["browser.py"]
