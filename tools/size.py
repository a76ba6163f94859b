"""Print the size on disk of the three ways to install, and the largest packages, against the budget of 1.2 GB.

`pip install workcell` needs its packages; `make run` also the tools that build it; `make test` everything.
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

BUDGET_MB = 1200.0
ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "src" / "workcell" / "workbench"


def closure(name: str, seen: dict[str, metadata.Distribution]) -> None:
    key = name.lower().replace("_", "-")
    if key in seen:
        return
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return  # an optional dependency that this platform does not use
    seen[key] = found
    for text in found.requires or []:
        need = Requirement(text)
        if need.marker is None or need.marker.evaluate({"extra": "standard"}):
            closure(need.name, seen)


def size_mb(found: metadata.Distribution) -> float:
    files = found.files or []
    paths = [Path(str(found.locate_file(file))) for file in files]
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def folder_mb(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def main() -> int:
    installed: dict[str, metadata.Distribution] = {}
    closure("workcell", installed)
    sizes = sorted(((size_mb(found), name) for name, found in installed.items()), reverse=True)
    for size, name in sizes[:12]:
        print(f"{size:9.1f} MB  {name}")
    built = dict(installed)
    for name in ("pip", "hatchling", "editables"):
        closure(name, built)
    page = folder_mb(PAGE / "static")
    pip, run = sum(size for size, _ in sizes) + page, sum(map(size_mb, built.values())) + page
    test = folder_mb(ROOT / ".venv") + folder_mb(PAGE / "app" / "node_modules") + page
    tested = (ROOT / ".venv" / ".testing").exists()
    print(f"{pip:9.1f} MB  pip install workcell, {len(installed)} packages")
    print(f"{run:9.1f} MB  make run, {len(built)} packages; the budget is {BUDGET_MB:.0f} MB")
    print(f"{test:9.1f} MB  make test" if tested else "              make test: not installed yet")
    return 0 if run <= BUDGET_MB else 1


if __name__ == "__main__":
    raise SystemExit(main())
