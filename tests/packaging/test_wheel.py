"""The wheel carries all that running needs: it is built, installed and tried as a user would."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "src" / "workcell" / "workbench" / "static" / "index.html"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if not PAGE.exists():
        pytest.skip("the page is not built; `make page` builds it")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """How to call a Workcell that was installed from the wheel, beside the packages that it depends on."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--target", folder, wheel], check=True)
    return Called([sys.executable], {**os.environ, "PYTHONPATH": str(folder)}, folder)


@pytest.fixture(scope="module")
def alone(wheel, tmp_path_factory):
    """The same in an environment that was empty before."""
    folder = tmp_path_factory.mktemp("alone")
    venv.create(folder, with_pip=True, symlinks=True)
    python = folder / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", ROOT / "constraints.txt"]
    subprocess.run([*pip, wheel], check=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return Called([str(python)], environment, folder)


class Called:
    """A Workcell in a folder of its own, called as a program."""

    def __init__(self, python: list[str], environment: dict[str, str], folder: Path) -> None:
        self.python, self.environment, self.folder = python, environment, folder

    def out(self, *words: str | Path) -> str:
        """What a call prints."""
        done = subprocess.run(
            [*self.python, *words], env=self.environment, cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def tried(one: Called, tmp_path: Path) -> None:
    assert str(one.folder) in one.out("-c", "import workcell; print(workcell.__file__)")
    assert "workbench" in one.out("-m", "workcell", "--help")
    assert "irb6400" in one.out("-m", "workcell", "robots")
    script = tmp_path / "lines.txt"
    script.write_text("create robot Arm irb6400\nadd solid plate box 100 200 10\nmeasure plate\n")
    assert "volume 200000 mm³" in one.out("-m", "workcell", "shell", tmp_path / "a.cell", "--script", script)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [*one.python, "-m", "workcell", "--no-browser", "--port", str(port)]
    serving = subprocess.Popen(words, env=one.environment, cwd=one.folder, stdout=subprocess.DEVNULL)
    try:
        page = b""
        for _ in range(600):
            assert serving.poll() is None
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=2.0) as answer:
                    page = answer.read()
                break
            except OSError:
                time.sleep(0.1)
        assert b"<script" in page
        script = re.findall(rb'href="\./(assets/page-[^"]+\.js)"', page)[0].decode()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{script}", timeout=5.0) as answer:
            assert len(answer.read()) > 100_000
    finally:
        serving.terminate()
        serving.wait()


def test_the_wheel_is_tried_beside_the_packages_that_it_needs(installed, tmp_path):
    tried(installed, tmp_path)


@pytest.mark.soak
def test_the_wheel_is_tried_in_an_empty_environment(alone, tmp_path):
    tried(alone, tmp_path)
    picture = tmp_path / "puma.png"
    alone.out("-m", "workcell", "render", "--sample", "puma", "-o", picture)  # compiles its loops anew
    assert picture.read_bytes().startswith(b"\x89PNG")
    print("wheel in an empty environment: --help, render --sample and the page work")
