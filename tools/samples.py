"""Make the sample cells of the gallery from the scripts in examples/ and the scripts of the package.

``python tools/samples.py`` makes those whose script changed, ``--all`` makes all, names make only these.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import io
import sys
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

from workcell.commands.cell import Cell
from workcell.commands.script import run_script
from workcell.simulation.film import frames
from workcell.workbench.samples.archive import ENDING, About, Archive
from workcell.world.text_form import to_text

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "src" / "workcell" / "workbench" / "samples"
SIZE = (480, 300)
"""Pixels of a picture, wide and high."""
WITHOUT_CELL = ("blocks_planner.py",)
"""Examples that have no cell of their own: they talk to one of another process, and need packages that are not ours."""
MOMENT = 0.45
"""The part of the run after which the picture is taken."""


def scripts() -> list[Path]:
    """The scripts that samples are made from: every example with a cell, and the scripts of the package.

    Of the programs that talk to a server, these are the cells that they work on, and the files of the Agent language.
    """
    examples = [one for one in sorted((ROOT / "examples").glob("*.py")) if one.name not in WITHOUT_CELL]
    programs = sorted(one for one in (ROOT / "examples" / "programs").iterdir() if one.suffix in (".txt", ".agent"))
    return [*examples, *programs, *sorted(FOLDER.glob("*.cellscript"))]


def name_of(script: Path) -> str:
    """The name of a sample: that of its script, without a number."""
    return script.stem.lstrip("0123456789_").replace("_", "-")


def file_of(script: Path) -> Path:
    """The archive of a script."""
    return FOLDER / f"{name_of(script)}{ENDING}"


def script_hash(script: Path) -> str:
    """The hash of a script, by which a test finds a sample that is out of date."""
    return hashlib.sha256(script.read_bytes()).hexdigest()


def built(script: Path) -> tuple[str, str, Cell]:
    """The title, a sentence and the cell, after its run if it has one; the caller closes it."""
    if script.suffix == ".py":
        spec = importlib.util.spec_from_file_location(script.stem, script)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[script.stem] = module
        spec.loader.exec_module(module)
        with redirect_stdout(io.StringIO()):
            return module.TITLE, _sentence(ast.get_docstring(ast.parse(script.read_text())) or ""), module.sample()
    if script.suffix != ".cellscript":
        return _program(script)
    cell = Cell(who="sample")
    run_script(cell.session, script.read_text(encoding="utf-8"))
    (scene,) = (one for one in cell.database.entities("scene") if one.description)
    for program in cell.database.entities("program")[:1]:
        cell.call("run", program=program.name)
    first = script.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
    return scene.description[0].upper() + scene.description[1:], first.split("`")[0].strip(), cell


def _program(script: Path) -> tuple[str, str, Cell]:
    """The same of a cell for programs, or of a file of the Agent language; its first line is the sentence."""
    cell, name = Cell(who="sample"), script.stem
    text = script.read_text(encoding="utf-8").splitlines()[0].lstrip("#; ")
    if script.suffix == ".agent":
        cell.call("import agent", name=name, file=str(script))
        cell.call("run", program=name)
        return f"{name.capitalize()} in the Agent language", text, cell
    cell.call("load", file=str(script))
    return text.partition(":")[0], text, cell


def _sentence(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


def archive(script: Path) -> Archive:
    """The sample of a script."""
    title, text, cell = built(script)
    with cell:
        recording, snapshot = cell.session.recording, cell.snapshot()
        ran = recording.duration > 0.0
        about = About(
            name_of(script),
            title,
            text,
            script.name,
            script_hash(script),
            recording.duration,
            [placed.robot.name for placed in snapshot.robots],
            [program.name for program in cell.database.entities("program")],
        )
        moment = recording.start.time + MOMENT * recording.duration
        (image,) = frames(snapshot, recording, np.array([moment]), size=SIZE)
        return Archive(about, to_text(cell.database), recording.to_bytes(sources=True) if ran else b"", webp(image))


def webp(image: np.ndarray) -> bytes:
    """An image as the bytes of a WebP file."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(np.asarray(image, dtype=np.uint8)).save(out, format="WEBP", quality=82, method=6)
    return out.getvalue()


def is_current(script: Path) -> bool:
    """Whether the sample was made from the script as it is now."""
    file = file_of(script)
    return file.exists() and Archive.from_bytes(file.read_bytes()).about.script_hash == script_hash(script)


def main(arguments: list[str]) -> int:
    for script in scripts():
        name = name_of(script)
        if (arguments and "--all" not in arguments and name not in arguments) or (not arguments and is_current(script)):
            continue
        data = archive(script).to_bytes()
        file_of(script).write_bytes(data)
        print(f"{file_of(script).name}: {len(data) / 1e3:.0f} kB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
