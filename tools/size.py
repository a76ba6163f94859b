"""Print what an install without extras takes on disk, largest first, against the budget of 1.2 GB."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

BUDGET_MB = 1200.0


def closure(name: str, seen: dict[str, metadata.Distribution]) -> None:
    key = name.lower().replace("_", "-")
    if key in seen:
        return
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return  # an optional part that this platform does not use
    seen[key] = found
    for text in found.requires or []:
        need = Requirement(text)
        if need.marker is None or need.marker.evaluate({"extra": "standard"}):
            closure(need.name, seen)


def size_mb(found: metadata.Distribution) -> float:
    files = found.files or []
    paths = [Path(str(found.locate_file(file))) for file in files]
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def main() -> int:
    seen: dict[str, metadata.Distribution] = {}
    closure("workcell", seen)
    sizes = sorted(((size_mb(found), name) for name, found in seen.items()), reverse=True)
    for size, name in sizes[:12]:
        print(f"{size:9.1f} MB  {name}")
    total = sum(size for size, _ in sizes)
    print(f"{total:9.1f} MB  in all, {len(sizes)} packages; the budget is {BUDGET_MB:.0f} MB")
    return 0 if total <= BUDGET_MB else 1


if __name__ == "__main__":
    raise SystemExit(main())
