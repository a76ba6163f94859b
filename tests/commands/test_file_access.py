"""Commands reach files through the session's file access only, and a confined one never leaves its folders."""

from __future__ import annotations

import ast
import os
import random
import stat
import threading
from pathlib import Path

import pytest

import workcell as wc
from file_attacks import state_of, ways_out
from workcell.commands.file_access import FileAccess
from workcell.commands.language.registry import registry
from workcell.commands.language.values import File
from workcell.errors import FileProblem, WorkcellError

COMMANDS = Path(wc.__file__).parent / "commands"
NAMING = [c for c in registry().commands if any(isinstance(value, File) for value in c.syntax.params.values())]
"""Every command that names a file."""
OWN_DOORS = {"file_access.py", "file_place.py", "shell.py", "git_setup.py", "merge_files.py"}
"""The mechanism itself, the console, which keeps its history, and what only the command line calls (`workcell merge`)."""
OPENERS = {
    "open", "read_bytes", "read_text", "write_bytes", "write_text", "unlink", "mkdir", "touch", "iterdir",
    "glob", "rglob", "scandir", "listdir", "is_file", "exists", "stat", "popen", "Popen", "memmap", "fromfile",
}  # fmt: skip


@pytest.fixture
def places(tmp_path):
    """A folder to be confined to, and a private one beside it with something precious."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "kept.txt").write_text("wait 1\n")
    (outside / "secret.txt").write_text("wait 2\n")
    return inside, outside


def confined(*folders: Path) -> FileAccess:
    return FileAccess(folders)


def test_many_commands_name_files():
    assert len(NAMING) >= 19


@pytest.mark.parametrize("command", NAMING, ids=lambda c: c.name)
def test_a_command_that_names_a_file_asks_the_session_for_it(command, tmp_path, monkeypatch):
    """Its examples run in a confined session that stands elsewhere: what is opened another way is not found there."""
    folder, elsewhere = tmp_path / "cell", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with wc.Cell() as cell:
        cell.session.files = confined(folder)
        for line in command.examples:
            cell.do(line.removeprefix("> "))
    assert any(folder.iterdir())
    assert not any(elsewhere.iterdir())


@pytest.mark.parametrize("module", sorted(COMMANDS.rglob("*.py")), ids=lambda path: path.name)
def test_no_command_opens_a_file_itself(module):
    if module.name in OWN_DOORS:
        return
    found = []
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            asked = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value).endswith(
                ("session.files", "database", "Database", "Store", "cls")
            )
            if name in OPENERS and not asked:
                found.append(f"{module.name}:{node.lineno} {ast.unparse(node.func)}")
    assert not found, "use session.files"


@pytest.mark.parametrize("name", ["a.txt", "sub/a.txt", "sub/../a.txt", "./a.txt", "deep/er/a.txt"])
def test_a_confined_path_is_relative_to_the_first_folder(places, name):
    inside, _ = places
    (inside / "sub").mkdir()
    (inside / "deep" / "er").mkdir(parents=True)
    files = confined(inside)
    files.write(name, b"one")
    assert files.read(name) == files.read(inside / name) == (inside / name).read_bytes() == b"one"
    files.make_folder(f"{name}-parts")
    files.make_folder(f"{name}-parts")
    assert (inside / f"{name}-parts").is_dir()
    files.write(name, b"two", replace=True)
    with files.written(name, replace=True) as path:
        assert path.name == "a.txt"
        assert inside not in path.parents
        path.write_bytes(b"three")
    assert (inside / name).read_bytes() == b"three"
    assert sorted(one.name for one in inside.rglob("*") if one.is_file()) == ["a.txt", "kept.txt"]


def test_several_folders_are_allowed(places):
    inside, outside = places
    files = confined(inside, outside)
    assert files.read(outside / "secret.txt") == b"wait 2\n"
    assert files.read("../outside/secret.txt") == b"wait 2\n"
    with pytest.raises(FileProblem, match="is outside"):
        files.read(outside.parent / "x")


def test_a_damaged_recording_is_named_as_the_user_names_it(tmp_path):
    (tmp_path / "run.rec").write_bytes(b"something else")
    with wc.Cell() as cell:
        cell.session.files = confined(tmp_path)
        with pytest.raises(FileProblem, match=r"^run\.rec is not a recording of Workcell"):
            cell.do("load-recording run.rec")


def test_a_refusal_names_each_folder_once_and_not_the_temporary_one(places):
    inside, outside = places
    private = inside / "private"
    private.mkdir()
    files = FileAccess().confined_to([inside, private, inside, outside, outside], None, private)
    for access in (files, files.with_own()):
        with pytest.raises(FileProblem, match=f"^/etc/x is outside {inside} or {outside}; clients"):
            access.read("/etc/x")
    with pytest.raises(FileProblem, match=r"^/etc/x is outside the private folder of the cell; clients"):
        FileAccess().confined_to([private], None, private).read("/etc/x")


def test_no_way_leads_out(places):
    inside, outside = places
    files = confined(inside)
    before = state_of(outside)
    for path in ways_out(inside, outside, ".txt"):
        assert not files.is_file(path)
        with pytest.raises(FileProblem):
            files.read(path)
        with pytest.raises(FileProblem), files.readable(path, ("-wal",)):
            pytest.fail(f"{path} was read")
        with pytest.raises(FileProblem):
            files.write(path, b"mine", replace=True)
        with pytest.raises(FileProblem), files.written(path, replace=True) as draft:
            draft.write_bytes(b"mine")
        if path != "folder.txt":  # which is there
            with pytest.raises(FileProblem):
                files.make_folder(path)
    assert state_of(outside) == before
    assert state_of(inside)["kept.txt"][2] == b"wait 1\n"


def test_a_link_that_stays_inside_is_followed(places):
    inside, _ = places
    (inside / "sub").mkdir()
    (inside / "sub" / "link.txt").symlink_to("../kept.txt")
    files = confined(inside)
    assert files.read("sub/link.txt") == b"wait 1\n"
    files.write("sub/link.txt", b"new", replace=True)
    assert (inside / "kept.txt").read_bytes() == b"new"
    assert (inside / "sub" / "link.txt").is_symlink()


def test_a_folder_that_is_itself_a_link_is_resolved_once(places):
    inside, outside = places
    shortcut = inside.parent / "shortcut"
    shortcut.symlink_to(inside)
    files = confined(shortcut)
    shortcut.unlink()
    shortcut.symlink_to(outside)
    assert files.read("kept.txt") == b"wait 1\n"
    assert not files.is_file("secret.txt")


def race(places, seconds: float, seed: int) -> tuple[int, int]:
    """Swap a file, a folder and a target for links while they are read and written; (tries, those that got in)."""
    inside, outside = places
    generator = random.Random(seed)
    (inside / "sub").mkdir()
    (inside / "sub" / "secret.txt").write_text("mine")
    (inside / "f").write_text("mine")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for name, real, target in (("sub", ".real-sub", outside), ("f", ".real-f", outside / "secret.txt")):
                (inside / name).rename(inside / real)
                (inside / name).symlink_to(target)
                (inside / name).unlink()
                (inside / real).rename(inside / name)

    files, tries, through = confined(inside), 0, 0
    swapper = threading.Thread(target=swap, daemon=True)
    swapper.start()
    deadline = threading.Event()
    timer = threading.Timer(seconds, deadline.set)
    timer.start()
    try:
        while not deadline.is_set():
            tries += 1
            path = generator.choice(["sub/secret.txt", "f"])
            try:
                if generator.random() < 0.5:
                    assert files.read(path) in (b"mine", b"")
                else:
                    files.write(path if path != "f" else "sub/other", b"mine", replace=True)
                through += 1
            except FileProblem:
                pass
    finally:
        stop.set()
        swapper.join()
        timer.cancel()
    assert {one.name: one.read_text() for one in outside.iterdir()} == {"secret.txt": "wait 2\n"}
    return tries, through


def test_a_link_swapped_in_during_the_check_is_not_followed(places, monkeypatch):
    """Each swap at the worst moment: after the path was resolved and judged, before it is opened."""
    inside, outside = places
    (inside / "sub").mkdir()
    (inside / "sub" / "secret.txt").write_text("mine")
    (inside / "secret.txt").write_text("mine")
    files = confined(inside)
    below = files._below

    def swapped(victim: Path, target: Path):
        def judged(path):
            answer = below(path)
            if not victim.is_symlink():
                victim.rename(inside.parent / "away")
                victim.symlink_to(target)
            return answer

        return judged

    for victim, target, path in (
        (inside / "sub", outside, "sub/secret.txt"),
        (inside / "secret.txt", outside / "secret.txt", "secret.txt"),
    ):
        monkeypatch.setattr(files, "_below", swapped(victim, target))
        for attempt in (files.read, lambda path: files.write(path, b"mine", replace=True)):
            with pytest.raises(FileProblem):
                attempt(path)
            victim.unlink()
            (inside.parent / "away").rename(victim)
    assert (outside / "secret.txt").read_text() == "wait 2\n"


@pytest.mark.soak
def test_links_swapped_at_random_never_let_anybody_out(places):
    tries, through = race(places, 20.0, 14)
    print(f"file access: {tries} reads and writes while links were swapped, {through} got in, none got out")
    assert tries > through > 0


@pytest.mark.parametrize("replace", [None, False])
def test_a_file_that_appears_meanwhile_is_not_replaced(places, replace):
    inside, _ = places
    files = confined(inside)

    def write_beside_another() -> None:
        with files.written("late.txt", replace) as draft:
            draft.write_text("mine")
            (inside / "late.txt").write_text("theirs")

    with pytest.raises(FileProblem, match="already exists"):
        write_beside_another()
    assert (inside / "late.txt").read_text() == "theirs"
    assert sorted(one.name for one in inside.iterdir()) == ["kept.txt", "late.txt"]


def test_a_replaced_file_keeps_its_permissions(places):
    inside, _ = places
    (inside / "kept.txt").chmod(0o600)
    confined(inside).write("kept.txt", b"new", replace=True)
    assert stat.S_IMODE((inside / "kept.txt").stat().st_mode) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another account")
def test_files_of_other_accounts_are_refused_in_one_sentence(places):
    inside, _ = places
    inside.chmod(0o777)
    for folder in inside.parents:
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    (inside / "theirs.txt").write_text("wait 1\n")
    (inside / "theirs.txt").chmod(0o600)
    (inside / "closed").mkdir(mode=0o700)
    os.seteuid(65534)
    try:
        for files in (confined(inside), FileAccess()):
            for name in ("theirs.txt", "closed/x.txt"):
                with pytest.raises(FileProblem, match=r"cannot be read: Permission denied\.$"):
                    files.read(inside / name)
            with pytest.raises(FileProblem, match=r"cannot be written: Permission denied\.$"):
                files.write(inside / "closed" / "x.txt", b"mine")
            files.write(inside / "mine.txt", b"mine", replace=True)
    finally:
        os.seteuid(0)
    assert (inside / "theirs.txt").read_text() == "wait 1\n"
    assert (inside / "mine.txt").stat().st_uid == 65534


def test_completion_shows_nothing_outside(places):
    inside, outside = places
    (inside / "sub").mkdir()
    (inside / "sub" / "table.csv").write_text("")
    (inside / "out").symlink_to(outside)
    (inside / ".hidden").write_text("")
    with wc.Cell() as cell:
        cell.session.files = confined(inside)

        def offered(text: str) -> set[str]:
            return {option.text for option in cell.session.complete(text)}

        assert offered("load-program demo ") == {"kept.txt", "sub/"}
        assert offered("load-program demo sub/") == {"sub/table.csv"}
        for prefix in ("/", "../", "../outside/", f"{outside}/", "out/", "/etc/", "sub/../../outside/", "loop/", "~/"):
            assert offered(f"load-program demo {prefix}") == set()


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal", ".lock", ".cache/x"])
@pytest.mark.parametrize("is_confined", [True, False])
def test_the_files_of_the_open_cell_are_nobodys_output(tmp_path, end, is_confined):
    path = tmp_path / "line.cell"
    with wc.Cell.create(path) as cell:
        if is_confined:
            cell.session.files = cell.session.files.confined_to([tmp_path])
        cell.do("create program demo")
        (tmp_path / "other").symlink_to(f"line.cell{end}")
        for name in (f"{path}{end}", tmp_path / "other"):
            with pytest.raises(FileProblem, match=r"belongs to the open cell|no folder"):
                cell.do(f"save-program demo {name} --replace")
    with wc.Cell.open(path) as cell:
        assert cell.database.find("program", "demo") is not None


def test_a_cell_that_another_program_writes_is_loaded_as_of_one_moment(tmp_path):
    """The acknowledged commands are in the file beside the cell (WAL) while it is open."""
    with wc.Cell.create(tmp_path / "other.cell") as other, wc.Cell() as cell:
        other.do("create block plate box 200 100 20")
        cell.session.files = confined(tmp_path)
        cell.do("load other.cell")
        assert cell.database.find("block", "plate") is not None


def test_the_console_keeps_the_rights_of_its_user(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with wc.Cell() as cell:
        cell.do("create program demo")
        cell.do(f"save-program demo {tmp_path}/.hidden")
        cell.do("save-program demo here.txt")
        assert (tmp_path / "here.txt").exists()
        assert (tmp_path / ".hidden").exists()


def test_a_confined_client_has_no_standard_input(places):
    inside, _ = places
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560")
        cell.session.files = confined(inside)
        with pytest.raises(WorkcellError, match="standard input"):
            cell.do("follow-table Puma -")


def test_a_step_file_cannot_lead_to_other_files(places, monkeypatch):
    """The kernel would open the files that a STEP assembly names, wherever they are."""
    from OCP.BRep import BRep_Builder
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeSphere
    from OCP.STEPCAFControl import STEPCAFControl_Writer
    from OCP.STEPControl import STEPControl_AsIs
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDocStd import TDocStd_Document
    from OCP.TopoDS import TopoDS_Compound
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    inside, outside = places
    monkeypatch.chdir(outside)
    document = TDocStd_Document(TCollection_ExtendedString("XmlOcaf"))
    builder, both = BRep_Builder(), TopoDS_Compound()
    builder.MakeCompound(both)
    builder.Add(both, BRepPrimAPI_MakeBox(10.0, 20.0, 30.0).Shape())
    builder.Add(both, BRepPrimAPI_MakeSphere(5.0).Shape())
    XCAFDoc_DocumentTool.ShapeTool_s(document.Main()).AddShape(both, True)
    writer = STEPCAFControl_Writer()
    writer.Transfer(document, STEPControl_AsIs, "part_")  # each part in a file of its own
    writer.Write("main.step")
    assert len(list(outside.glob("part_*"))) == 2
    text = (outside / "main.step").read_text()
    for prefix in (f"{outside}/", "../outside/", ""):
        (inside / "main.step").write_text(text.replace("'part_", f"'{prefix}part_"))
        with wc.Cell() as cell:
            cell.session.files = confined(inside)
            with pytest.raises(FileProblem, match=r"main.step: The STEP file keeps parts in other files \(.*part_"):
                cell.do("import assembly stolen main.step")
            assert cell.database.entities() == wc.Cell().database.entities()
