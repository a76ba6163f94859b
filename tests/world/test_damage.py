"""Files that are damaged, linked, locked, unwritable or on a full drive: the truth or one sentence, nothing half done."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from workcell.commands.cell import Cell
from workcell.errors import CellLocked, DamagedCell, DiskFull, FileProblem, NotACell, WorkcellError
from workcell.geometry.kernel.cache import MeshCache
from workcell.world.store import Store

AS_NOBODY = """
import os, sys
sys.path[:0] = {paths!r}
import workcell.commands.cell, workcell.cli
os.setgid(65534); os.setuid(65534)
{body}
"""


def as_nobody(body: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run code as a user who may not write."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    code = AS_NOBODY.format(paths=[p for p in sys.path if p], body=body)
    environment = {**os.environ, "TMPDIR": "/tmp", "HOME": "/tmp", "XDG_CACHE_HOME": "/tmp/nobody"}
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False, env=environment
    )


def killed_cell(path: Path, blocks: int) -> None:
    """A cell whose rows are in its log only, as a killed process leaves it."""
    code = (
        f"import os; from workcell.commands.cell import Cell; c = Cell.create({str(path)!r})\n"
        f"for n in range({blocks}): c.do(f'create block b{{n}}')\n"
        "os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert path.with_name(path.name + "-wal").stat().st_size > 0


@pytest.fixture
def open_folder(tmp_path):
    """A folder that another user may read and not write, with its parents open."""
    folder = Path("/tmp") / f"workcell-test-{os.getpid()}-{tmp_path.name}"
    folder.mkdir()
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


# ---- folders that cannot be written ---------------------------------------------------------------------


@pytest.mark.parametrize("shared", [False, True])
def test_a_folder_that_cannot_be_written_is_read_with_its_log(open_folder, shared):
    path = open_folder / "a.cell"
    killed_cell(path, 5)
    if not shared:
        path.with_name("a.cell-shm").unlink()
    path.with_name("a.cell.lock").unlink()
    open_folder.chmod(0o555)
    before = {p.name: p.read_bytes() for p in open_folder.iterdir()}
    done = as_nobody(
        "from workcell.commands.cell import Cell\n"
        "with Cell.open(sys.argv[1], read_only=True) as cell:\n"
        "    print(cell.database.names('block'), len(cell.journal), cell.database.store.note)",
        path,
    )
    assert done.stdout.startswith("['b0', 'b1', 'b2', 'b3', 'b4'] 5"), done.stderr
    if not shared:
        assert "cannot be written; a copy is read, including its log" in done.stdout
    done = as_nobody("import tempfile; from workcell.cli import main; main(['convert', sys.argv[1], sys.argv[2]])",
                     path, f"/tmp/{open_folder.name}.celltext")  # fmt: skip
    text = Path(f"/tmp/{open_folder.name}.celltext")
    try:
        assert text.read_text().count("\n[block ") == 5
    finally:
        text.unlink()
    assert {p.name: p.read_bytes() for p in open_folder.iterdir()} == before
    assert [p for p in Path("/tmp").glob("workcell-*/a.cell") if "workcell-test-" not in str(p)] == []


def test_a_rollback_journal_beside_an_unwritable_file_is_rolled_back(open_folder):
    path = open_folder / "a.cell"
    code = (
        "import os, sqlite3, sys; from workcell.commands.cell import Cell\n"
        "with Cell.create(sys.argv[1]) as c: c.do('create block one')\n"
        "d = sqlite3.connect(sys.argv[1], isolation_level=None); d.execute('PRAGMA journal_mode = DELETE')\n"
        "d.execute('PRAGMA cache_size = 1'); d.execute('BEGIN'); d.execute('DELETE FROM entity')\n"
        "d.execute('CREATE TABLE big(x)')\n"
        "for n in range(200): d.execute('INSERT INTO big VALUES (?)', (os.urandom(4000),))\n"
        "os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert path.with_name("a.cell-journal").stat().st_size > 0
    open_folder.chmod(0o555)
    done = as_nobody(
        "from workcell.commands.cell import Cell\n"
        "with Cell.open(sys.argv[1], read_only=True) as cell: print(cell.database.names('block'))",
        path,
    )
    assert done.stdout == "['one']\n", done.stderr


# ---- links ----------------------------------------------------------------------------------------------


def test_a_link_to_a_cell_has_the_lock_of_the_cell(tmp_path, monkeypatch):
    folder = tmp_path / "there"
    folder.mkdir()
    path = folder / "a.cell"
    (tmp_path / "link.cell").symlink_to(path)
    (tmp_path / "chain.cell").symlink_to(tmp_path / "link.cell")
    (tmp_path / "other").symlink_to(folder)
    monkeypatch.chdir(folder)
    ways = [tmp_path / "link.cell", tmp_path / "chain.cell", tmp_path / "other" / "a.cell", Path("../there/a.cell")]
    with Cell.create(path) as first:
        first.do("create block one")
        for way in ways:
            with pytest.raises(CellLocked, match="being written by"):
                Cell.open(way)
            with Cell.open(way, read_only=True) as reader:
                assert reader.database.names("block") == ["one"]
        first.do("create block two")
    for way in ways:
        with Cell.open(way) as writer:
            assert len(writer.journal) == 2
            with pytest.raises(CellLocked):
                Cell.open(path)
    assert sorted(p.name for p in folder.iterdir() if p.is_file()) == ["a.cell"]


def test_a_hard_link_is_not_written(tmp_path):
    path, other = tmp_path / "a.cell", tmp_path / "b.cell"
    with Cell.create(path) as first:
        first.do("create block one")
        os.link(path, other)
        with pytest.raises(FileProblem, match=r"b\.cell has 2 names \(hard links\).*copy it"):
            Cell.open(other)
        first.do("create block two")
    with pytest.raises(FileProblem, match="2 names"):
        Cell.open(path)
    other.unlink()
    with Cell.open(path) as cell:
        assert len(cell.journal) == 2


# ---- full drives ----------------------------------------------------------------------------------------


def test_a_full_drive_refuses_the_command_and_the_next_one_works(tmp_path):
    with Cell.create(tmp_path / "a.cell") as cell:
        cell.do("create block one")
        execute = cell.database.store.connection.execute
        (pages,) = execute("PRAGMA page_count").fetchone()
        execute(f"PRAGMA max_page_count = {pages}")
        rows = cell.database.rows()
        with pytest.raises(DiskFull, match=r"no room on the drive of a\.cell; nothing was changed"):
            cell.do(f'modify one description "{"x" * 200_000}"')
        assert cell.database.rows() == rows
        assert len(cell.journal) == 1
        execute("PRAGMA max_page_count = 1073741823")
        cell.do(f'modify one description "{"x" * 200_000}"')
        cell.undo()
        assert cell.database.rows() == rows


@pytest.fixture
def small_drive(tmp_path):
    """A drive of 300 kB."""
    folder = tmp_path / "small"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", folder], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no drive can be mounted here")
    yield folder
    # A process that the machine started meanwhile may look at the drive for a moment: let go of it at once all the same.
    subprocess.run(["umount", "--lazy", folder], check=True)


def test_a_drive_without_room_keeps_what_was_acknowledged(small_drive):
    with Cell.create(small_drive / "a.cell") as cell:
        refused, done = "", 0
        while not refused:
            try:
                cell.do(f'create block b{done} description "{"x" * 9000}"')
                done += 1
            except FileProblem as error:
                refused = str(error)
        assert "nothing was changed" in refused
        assert len(cell.database.names("block")) == done == len(cell.journal)
    with Cell.open(small_drive / "a.cell") as cell:
        assert len(cell.database.names("block")) == done


def test_a_copy_that_does_not_fit_leaves_nothing_behind(tmp_path, small_drive):
    with Cell() as cell:
        cell.do("create block one")
        for n in range(40):
            cell.do(f'modify one description "{n}{"x" * 20_000}"')
        cell.do(f'modify one description "{"x" * 400_000}"')
        for name in ("copy.cell", "copy.celltext"):
            with pytest.raises(FileProblem, match=rf"{name.replace('.', '[.]')} cannot be written"):
                cell.do(f"save {small_drive / name}")
            assert list(small_drive.iterdir()) == []
        cell.do(f"save {tmp_path / 'copy.cell'}")
    run = [sys.executable, "-m", "workcell", "convert", tmp_path / "copy.cell"]
    for name in ("b.celltext", "b.cell"):
        done = subprocess.run([*run, small_drive / name], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert list(small_drive.iterdir()) == []


def test_a_cell_that_cannot_be_made_leaves_nothing_behind(small_drive):
    (small_drive / "fill").write_bytes(bytes(280_000))
    with pytest.raises(FileProblem):
        Cell.create(small_drive / "a.cell")
    assert [p.name for p in small_drive.iterdir()] == ["fill"]


# ---- headers, schemas and pages -------------------------------------------------------------------------


def made(path: Path, blocks: int = 30) -> Path:
    with Cell.create(path) as cell:
        for n in range(blocks):
            cell.do(f'create block b{n} description "{n * "d"}"')
        cell.do("create object thing")
        for n in range(min(blocks, 5)):
            cell.do(f"attach b{n} to thing as r{n}")
    return path


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("schema", [0, -3])
def test_a_schema_that_nobody_writes_is_damage(tmp_path, schema, read_only):
    path = made(tmp_path / "a.cell", 1)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {schema}")
    connection.close()
    with pytest.raises(DamagedCell, match=rf"a\.cell is damaged: it has schema {schema}.*`workcell recover a\.cell`"):
        Cell.open(path, read_only=read_only)


@pytest.mark.parametrize(
    "spoil",
    [
        "DROP INDEX entity_name",
        "DROP TABLE blob",
        "ALTER TABLE setting RENAME COLUMN value TO worth",
        "CREATE TRIGGER t AFTER INSERT ON entity BEGIN DELETE FROM relation; END",
        "CREATE VIEW v AS SELECT 1",
    ],
)
def test_tables_that_are_not_those_of_a_cell_are_damage(tmp_path, spoil):
    path = made(tmp_path / "a.cell", 1)
    with sqlite3.connect(path) as connection:
        connection.execute(spoil)
    connection.close()
    for read_only in (True, False):
        with pytest.raises(DamagedCell, match=r"its description of .* is not that of a cell"):
            Cell.open(path, read_only=read_only)


def test_an_index_that_does_not_fit_its_table_is_damage(tmp_path):
    path = made(tmp_path / "a.cell")
    with sqlite3.connect(path) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'entity_name'").fetchone()
    connection.close()
    data = bytearray(path.read_bytes())
    at = data.index(b"b17", (page - 1) * 4096, page * 4096)
    data[at : at + 3] = b"b99"
    path.write_bytes(data)
    with pytest.raises(DamagedCell, match=r"entity_name.*`workcell recover a\.cell`"):
        Cell.open(path)


def test_a_log_that_is_broken_before_its_end_is_not_forgotten(tmp_path):
    path = tmp_path / "a.cell"
    killed_cell(path, 10)
    wal = path.with_name("a.cell-wal")
    data = bytearray(wal.read_bytes())
    data[32 + 24 + 100] ^= 1
    wal.write_bytes(data)
    for read_only in (True, False):
        with pytest.raises(DamagedCell, match=r"its log is broken, and \d+ later steps would be lost"):
            Cell.open(path, read_only=read_only)
    assert wal.read_bytes() == bytes(data)


def test_a_text_with_half_a_character_is_refused(tmp_path):
    with Cell() as cell:
        cell.do("create block one")
        rows = cell.database.rows()
        for line in ('modify one description "a\ud800b"', 'modify one material "a\ud800b"', "create block a\udfffb"):
            with pytest.raises(WorkcellError, match=r"half a character|cannot be used"):
                cell.do(line)
        assert cell.database.rows() == rows


def test_an_unreadable_file_is_one_sentence(open_folder):
    path = made(open_folder / "a.cell", 1)
    path.chmod(0o000)
    for read_only in (True, False):
        done = as_nobody(f"from workcell.commands.cell import Cell; Cell.open(sys.argv[1], {read_only})", path)
        assert done.stderr.endswith("FileProblem: a.cell cannot be read: Permission denied.\n")


def test_a_history_that_does_not_fit_its_rows_is_not_undone(tmp_path):
    path = made(tmp_path / "a.cell", 2)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM relation WHERE name = 'r1'")
    connection.close()
    with Cell.open(path) as cell:
        rows = cell.database.rows()
        with pytest.raises(DamagedCell, match=r"step \d+ of its history does not fit its rows"):
            cell.undo()
        cell.do("create block new")
        cell.undo()
        assert len(cell.database.rows()["relation"]) <= len(rows["relation"])


def test_stores_in_memory_name_no_file():
    store = Store.memory()
    with pytest.raises(NotACell, match=r"^The cell is damaged: no such table: missing\.$"):
        store.connection.execute("SELECT * FROM missing")


def test_a_recording_that_does_not_fit_leaves_nothing_behind(small_drive):
    with Cell() as cell:
        cell.do("create robot R puma560")
        for _ in range(3):
            cell.do("move-joints-relative R 20,0,0,0,0,0")
        (small_drive / "fill").write_bytes(bytes(307_200))
        with pytest.raises(FileProblem, match=r"run\.rec cannot be written"):
            cell.session.recording.save(small_drive / "run.rec")
    assert [p.name for p in small_drive.iterdir()] == ["fill"]


@pytest.mark.parametrize("depth", [300, 30_000])
def test_deep_nesting_is_refused_by_every_reader(depth):
    from workcell.geometry import recipe
    from workcell.geometry.formats.files import from_bytes
    from workcell.robots.formats import urdf, wld
    from workcell.robots.robot_file import parse
    from workcell.service.protocol import decode_client
    from workcell.world.state import CellState

    nested = "[" * depth + "]" * depth
    readers = [
        lambda: parse(f"a = {nested}"),
        lambda: wld.parse("C6RRobot { " * depth),
        lambda: urdf.parse('<robot name="a">' + '<link name="x">' * depth + "</link>" * depth + "</robot>"),
        lambda: recipe.decode(b'{"kind":"placed","part":' * depth),
        lambda: from_bytes(f'{{"asset":{nested}}}'.encode(), ".gltf"),
        lambda: decode_client(f'{{"type":"command","request":{nested}}}'),
        lambda: CellState.from_json(nested),
    ]
    for read in readers:
        with pytest.raises(WorkcellError):
            read()
    with Cell() as cell:
        cell.do("create robot R puma560")
        for line in (
            f'follow-function R joint 1 by "{"(" * depth}t{")" * depth}" for 1s',
            f"create block {'(' * depth}",
            f"modify R speed {nested}",
            "show " * depth,
        ):
            with pytest.raises(WorkcellError):
                cell.do(line)


def test_a_damaged_mesh_of_the_cache_is_made_again(tmp_path):
    chance, data = random.Random(3), bytes(range(256)) * 8
    for seed in range(100):
        cache = MeshCache(tmp_path)
        cache.put("ab12", "mesh", data)
        (file,) = (tmp_path / "ab").iterdir()
        spoilt = bytearray(file.read_bytes())
        if seed % 2:
            spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
        else:
            del spoilt[chance.randrange(len(spoilt)) :]
        file.write_bytes(spoilt)
        assert MeshCache(tmp_path).get("ab12", "mesh") is None
        cache.put("ab12", "mesh", data)
        assert MeshCache(tmp_path).get("ab12", "mesh") == data
