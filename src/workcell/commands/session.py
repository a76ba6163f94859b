"""The session: what commands act on, and how one is carried out."""

from __future__ import annotations

import copy
import hashlib
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.consequences import with_consequences, with_lost_supports
from workcell.commands.file_access import FileAccess
from workcell.commands.language.line_reader import Expectation
from workcell.commands.language.program_blocks import WORD as PROGRAM
from workcell.commands.language.program_blocks import as_command, begins
from workcell.commands.language.references import relation_text
from workcell.commands.language.registry import Command, Registry, registry
from workcell.commands.results import Done, NextWords
from workcell.commands.view import View
from workcell.cost import cancelled_by, current_cancel, go_on
from workcell.errors import Cancelled, InvalidValue, MotionStop, Refused, WorkcellError
from workcell.spatial.units import SI, Units
from workcell.world.database import Database
from workcell.world.entities import Relation
from workcell.world.group import Group
from workcell.world.identity import same
from workcell.world.journal import Entry, Writer
from workcell.world.renaming import renaming

if TYPE_CHECKING:
    from workcell.commands.running import PausedRun
    from workcell.simulation.continuing import Versions
    from workcell.simulation.happenings import Move
    from workcell.simulation.recording import Recording
    from workcell.simulation.simulator import Simulator
    from workcell.simulation.stepping import Breakpoint
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState


_MILLIMETRES = Units()


class Change(msgspec.Struct, frozen=True):
    """Something was done: told to whoever listens."""

    revision: str
    effect: str
    line: str
    who: str


class Session:
    """A cell, its state and its simulator, with the units and the name of whoever gives the commands.

    One thread at a time uses a session; commands that only read and say so (``background``) may run beside it.
    """

    def __init__(self, database: Database, who: str = "user", units: Units | None = None) -> None:
        self.database = database
        self.who = who
        self.files = FileAccess(own=database.store.path)
        """Which files commands may read and write, and how they do."""
        self._own_units = units
        self._units, self._sizes, self._units_read_at = _MILLIMETRES, _MILLIMETRES.tables(), -1
        self.selection: tuple[str, ...] = ()
        self.group: Group | None = None
        """The open group of whoever gives the commands."""
        self.progress: Callable[[float, str], None] = lambda _fraction, _label: None
        """Called by long commands with the fraction done and a label."""
        self.cancel: threading.Event | None = None
        """Set by the front end to stop the command that is running."""
        self.scripts: list[str] = []
        """The scripts that are being loaded, the innermost last."""
        self._listeners: list[Callable[[Change], None]] = []
        self._rows: Writer | None = None
        self._resolved: dict[str, Any] = {}
        self._files: list[bytes] = []
        self._when: float | None = None
        self._snapshot: Snapshot | None = None
        self._simulator: Simulator | None = None
        self._versions: Versions | None = None
        self._read_state: tuple[str, CellState] | None = None
        """The state that the cell keeps, as text and read."""
        self._fitted: tuple[tuple[object, ...], CellState] | None = None
        """The state of what exists, and what that follows from."""
        self._in_step: tuple[tuple[int, int], CellState] | None = None
        """The revision and the state that the simulator is at, as they are kept."""
        self._lost = ""
        self.paused: PausedRun | None = None
        """The run that stands before a step, or goes on."""
        self.going: threading.Event | None = None
        """While a run goes on: set from any thread to let it stand before its next step."""
        self.breakpoints: dict[tuple[int, int], Breakpoint] = {}
        """Where runs stand, by the id of the program and the line; they belong to the session and are no edits."""
        self._ended: PausedRun | None = None
        self._editing = False
        self.typed = ""
        """What was typed to have the present command carried out."""
        self._record_to: Path | None = None
        self._written: Recording | None = None
        self._shown: tuple[Recording, Snapshot] | None = None
        """A recording that was loaded to be looked at, and the cell as it was then."""
        self._view: View | None = None
        """The moment that a session beside the cell thread sees."""

    def beside(self) -> Session:
        """A session for one reading command in another thread, with its own progress and cancel.

        It sees the cell, the state and the recording of now, and never the simulator that goes on.
        """
        moved = self._simulator is not None or self.paused is not None
        recorded = self.simulator.recording.copy() if moved else None
        other = copy.copy(self)
        other._view = View(self.snapshot(), self.state, recorded)
        other.paused = self.paused.still() if self.paused is not None else None
        other._simulator = other._versions = other._written = other._record_to = other.group = None
        other._listeners = []
        return other

    # ---- what commands see ------------------------------------------------------------------------------

    @cached_property
    def registry(self) -> Registry:
        """The vocabulary."""
        return registry()

    @property
    def replaying(self) -> bool:
        """Whether the commands of a journal are carried out again."""
        return self._when is not None

    @property
    def units(self) -> Units:
        """What a bare number means: the cell's display units unless this session has its own."""
        self.sizes()
        return self._units

    def sizes(self) -> dict[str, dict[str, float]]:
        """For each quantity the SI value of one of each unit, and without a name that of a bare number."""
        stamp = self.database.history.settings_stamp
        if stamp != self._units_read_at:
            units = self.cell_units if self._own_units is None else self._own_units
            if units != self._units:
                self._units, self._sizes = units, units.tables()
            self._units_read_at = stamp
        return self._sizes

    @property
    def own_units(self) -> Units | None:
        """What a bare number means to this session alone; None where it is as the cell says."""
        return self._own_units

    def answer_in(self, units: Units | None) -> None:
        """Read and answer in units of this session's own from now on, or in those of the cell."""
        self._own_units, self._units_read_at = units, -1

    @property
    def cell_units(self) -> Units:
        """The display units of the cell, whatever this session's own are."""
        text = self.database.setting("units")
        return msgspec.json.decode(text, type=Units) if text else _MILLIMETRES

    @property
    def rows(self) -> Writer:
        """Where an editing command writes."""
        assert self._rows is not None, "only commands with the effect `edits` or `simulates` write"
        return self._rows

    def resolve(self, **values: Any) -> None:
        """What the journal is to keep for a parameter instead of what was typed (a file's hash, a chosen name)."""
        self._resolved.update(values)

    def keep_files(self, parameter: str, files: Mapping[str, bytes]) -> None:
        """Let the journal keep the bytes of several files, and name them for one parameter."""
        self._files += files.values()
        self._resolved[parameter] = {name: "blob:" + hashlib.sha256(data).hexdigest() for name, data in files.items()}

    def keep_file(self, parameter: str, data: bytes) -> None:
        """Let the journal keep the bytes that a simulating command read, and name those for its parameter."""
        self._files.append(data)
        self._resolved[parameter] = "blob:" + hashlib.sha256(data).hexdigest()

    def snapshot(self) -> Snapshot:
        """The cell flattened at its present revision."""
        from workcell.world.flatten import snapshot_of

        if self._view is not None:
            return self._view.snapshot
        if self._snapshot is not None and self._snapshot.revision == self.database.world_revision:
            return self._snapshot
        found = snapshot_of(self.database)
        # What a command has written may be taken back, and the revision does not tell.
        self._snapshot = None if self.database.writing else found
        return found

    @property
    def state(self) -> CellState:
        """Where everything is; while a run is paused, where everything is in it."""
        from workcell.world.state import CellState

        if self._view is not None:
            return self._view.state
        if self.paused is not None and not self._editing:
            return self.paused.state_on(self.snapshot())
        text, snapshot = self.database.state_json(), self.snapshot()
        if not text:
            return snapshot.initial
        if self._read_state is None or self._read_state[0] != text:
            self._read_state = text, CellState.from_json(text)
        made_from = self._read_state[1], snapshot.bodies, snapshot.robots, snapshot.initial
        if self._fitted is None or not same(self._fitted[0], made_from):
            self._fitted = made_from, snapshot.fitted(self._read_state[1])
        return self._fitted[1]

    def forget_in_state(self, names: Collection[str], fields: Sequence[str] = ("joints", "poses", "attached")) -> None:
        """Let things stand where the cell says from now on; for edits that move what has a place in the state."""
        from workcell.world.state import CellState

        text = self.database.state_json()
        if text:
            state = CellState.from_json(text)
            kept = {
                field: {name: value for name, value in getattr(state, field).items() if name not in names}
                for field in fields
            }
            if any(len(of) < len(getattr(state, field)) for field, of in kept.items()):
                self.database.set_state(self.rows, state.with_(**kept).to_json())

    @property
    def simulator(self) -> Simulator:
        """The simulator of this session, in step with the cell's present state.

        Its recording goes on after edits and comes back with undo and redo, as long as that makes sense.
        """
        if self._view is not None:
            self._simulator = self._simulator or self._view.simulator()
            return self._simulator
        if self.paused is not None and not self._editing:
            return self._paused_simulator(self.paused)
        simulator, kept = self._simulator, self._in_step
        revision = self.database.revision
        if simulator is None or kept is None or kept[0] != revision or simulator.state is not kept[1]:
            simulator = self._follow(revision)
        return simulator

    def _paused_simulator(self, paused: PausedRun) -> Simulator:
        """Where a paused run stands, for questions; on the cell as it is now where that was edited."""
        from workcell.simulation.simulator import Simulator

        if paused.simulator.snapshot is self.snapshot():
            return paused.simulator
        return Simulator(self.snapshot(), None, self.state, paused.recording_on(self.snapshot()))

    def _follow(self, revision: tuple[int, int]) -> Simulator:
        """Bring the simulator to where the cell is, with what was recorded until there."""
        from workcell.simulation.continuing import Versions, continued, hindrance
        from workcell.simulation.simulator import Simulator

        if self._versions is None:
            self._versions = Versions()
        before, snapshot, state = self._simulator, self.snapshot(), self.state
        recording, self._lost = self._versions.at(revision), ""
        if recording is None and before is not None and not before.recording.empty:
            self._lost = hindrance(before, snapshot, state)
            recording = None if self._lost else continued(before, snapshot, state)
        self._simulator = simulator = Simulator(snapshot, None, state, recording)
        self._keep_version()
        return simulator

    def _keep_version(self) -> None:
        """Remember what is recorded at the present revision."""
        assert self._simulator is not None
        assert self._versions is not None
        revision = self.database.revision
        self._in_step = revision, self._simulator.state
        self._versions.keep(revision, self._simulator.recording)
        self.write_along(self._simulator)

    @contextmanager
    def recorded_to(self, path: Path) -> Iterator[None]:
        """Write what is recorded to a file as it happens, so that it outlives a kill, and whole in the end."""
        self._record_to = path
        self.write_along(self.simulator)
        try:
            yield
        finally:
            self._record_to = None
            self._end_file()
            self.simulator.recording.save(path)

    def write_along(self, simulator: Simulator) -> None:
        """Write what a simulator records to the file from now on, in place of what is there."""
        if self._record_to is None:
            return
        if simulator.recording.also is not None:
            if self._listeners:  # who may hold the run back for long
                simulator.recording.also.flush()
            return
        from workcell.simulation.recording_file import RecordingWriter

        self._end_file()
        RecordingWriter.beside(simulator.recording, simulator.state, self._record_to)
        self._written = simulator.recording

    def _end_file(self) -> None:
        if self._written is not None and self._written.also is not None:
            self._written.also.close()
            self._written.also = None
        self._written = None

    @property
    def recording(self) -> Recording:
        """What the simulator of this session has recorded, or what was loaded to be looked at."""
        if self._shown is None:
            return self.simulator.recording
        (recording, then), now = self._shown, self.snapshot()
        return recording.renamed(renaming(then, now)).on(now)

    def show_recording(self, recording: Recording) -> None:
        """Look at another recording, of the cell as it is called now, until something is simulated again."""
        self._shown = recording, self.snapshot()

    def forget_shown(self, robot: str) -> None:
        """Look no longer at a loaded recording in which a robot moves: the robot is another one now."""
        if self._shown is not None and robot in self.recording.robots:
            self._shown = None

    @property
    def simulator_time(self) -> float:
        """What the clock of the simulator says [s]; while a command runs it is ahead of the state kept."""
        if self.paused is not None:
            return self.paused.simulator.time
        return self._simulator.time if self._simulator is not None else self.state.shown_time

    @property
    def simulator_now(self) -> float:
        """The instant of the recording that the simulator is at [s]."""
        if self.paused is not None:
            return self.paused.simulator.now
        return self._simulator.now if self._simulator is not None else self.state.time

    @property
    def simulator_moves(self) -> list[Move]:
        """The moves that the simulator of this session has made, while a command runs too."""
        if self.paused is not None:
            return self.paused.recording.moves
        return self._simulator.recording.moves if self._simulator is not None else []

    def restart(self, state: CellState) -> None:
        """Begin a new recording at this state."""
        from workcell.simulation.simulator import Simulator

        self._simulator = Simulator(self.simulator.snapshot, None, state)

    def finish(self, run: PausedRun) -> None:
        """A run is over: its simulator is the session's, and what came of it is kept as one step."""
        self.paused, self._ended = None, run
        self._simulator = run.simulator

    def end_paused(self) -> str:
        """End the paused run, if there is one; nothing of it stays. Returns a sentence, or nothing."""
        if self.paused is None:
            return ""
        run, self.paused = self.paused, None
        run.stepped.run.abandon()
        return f"{run.called[0].upper()}{run.called[1:]} has ended at {run.state.time:.4f} s; nothing of it is kept."

    def again_as_of(self, step: int, line: str) -> Any:
        """Carry out a run on the cell as it was after a step of the history; its simulator becomes the session's."""
        other = Session(self.database.as_of(step), self.who, SI)
        other._when = 0.0 if self._when is None else self._when
        try:
            return other.do_as(line, line)
        finally:
            if other._simulator is not None:
                self._simulator = other._simulator

    def undo(self, count: int = 1) -> tuple[list[Entry], str]:
        """Take the last steps back; returns them, and a sentence when that ended a paused run.

        A paused run is the first of the steps: nothing of it is in the history yet.
        """
        self.outside_group("undo")
        if self.paused is None:
            return self.database.undo(count), ""
        history, left = self.database.history, count - 1
        entries = self.database.undo(left if history.can_undo else 0)
        ended = self.end_paused()
        self.tell_state("undo")
        before = [] if left else history.next_undo()
        return entries, f"{ended} `undo` again takes back `{before[0].label}`." if before else ended

    def leave_in_state(self, carriers: Collection[str]) -> None:
        """Let what objects or robots carry stay where it is, free; for edits that take the carriers away."""
        text = self.database.state_json()
        if not text:
            return
        from workcell.spatial.pose import Pose

        state, snapshot = self.state, self.snapshot()
        owners = {body.name: body.owner for body in snapshot.bodies}
        left = [name for name, held in state.attached.items() if owners.get(held.frame) in carriers]
        if not left:
            return
        poses = dict(zip(owners, snapshot.body_poses(state), strict=True))
        free = {name: Pose(poses[name]) for name in left}
        attached = {name: held for name, held in state.attached.items() if name not in left}
        self.database.set_state(self.rows, state.with_(attached=attached, poses={**state.poses, **free}).to_json())

    # ---- carrying commands out --------------------------------------------------------------------------

    def do(self, line: str) -> Any:
        """Carry out one command line; returns its result, raises a WorkcellError when it is refused.

        A line that ends in ``?`` is answered with what may come next. Lines from ``program NAME`` to its ``end`` are
        one command.
        """
        if not isinstance(line, str):
            raise InvalidValue(f"A command is a line of text, such as 'help'; found {line!r}.")
        if line.endswith("?"):
            return NextWords(tuple(self.expectations(line[:-1])))
        return self.carry_out(*self.parsed(line))

    def parsed(self, line: str) -> tuple[Command, dict[str, Any], str]:
        """A command line as its command, the values of its parameters and the line, for :meth:`carry_out`."""
        if PROGRAM in line and begins(line):
            line = as_command(line)
        command, values = self.registry.tree.parse(line, self)
        return command, values, line.strip()

    def do_as(self, line: str, typed: str) -> Any:
        """Carry out a line for which the history is to show something else, as it was typed."""
        command, values = self.registry.tree.parse(line, self)
        return self.carry_out(command, values, typed)

    def call(self, name: str, arguments: dict[str, Any] | None = None) -> Any:
        """Carry out a command by its full name with parameters by name; numbers are SI."""
        return self.carry_out(*self.called(name, arguments))

    def called(self, name: str, arguments: dict[str, Any] | None = None) -> tuple[Command, dict[str, Any]]:
        """A command by its full name, with the values of its parameters, for :meth:`carry_out`."""
        if not isinstance(name, str):
            raise InvalidValue(f"A command is called by its words, such as 'create robot'; found {name!r}.")
        command = self.registry.named(name)
        given = dict(arguments or {})
        flags = {group.flag for group in command.syntax.groups if group.flag}
        values: dict[str, Any] = {}
        for part in command.syntax.all_parts():
            if part.param and part.param in given:
                value = command.syntax.params[part.param]
                raw = given.pop(part.param)
                try:
                    if part.param in command.syntax.repeated:
                        values[part.param] = [value.from_json(one, self, values) for one in raw]
                    else:
                        values[part.param] = value.from_json(raw, self, values)
                except InvalidValue as error:
                    if type(error) is not InvalidValue:
                        raise
                    told = f"Parameter {part.param!r} of `{command.name}`: {error.message}"
                    raise InvalidValue(told, **error.evidence) from error
        for flag in flags & set(given):
            values[flag] = bool(given.pop(flag))
        missing = [name for name in command.syntax.required_params if name not in values]
        if given or missing:
            problem = f"has no parameter {sorted(given)[0]!r}" if given else f"needs {missing[0]!r}"
            raise Refused(f"{command.name} {problem}: {command.syntax.shown()}.")
        return command, values

    def outside_group(self, what: str) -> None:
        """Refuse what cannot be done inside a group."""
        if self.group is not None:
            raise Refused(f"Cannot {what} while a group is open; `end` or `cancel-group` first.")

    def leave_group(self, keep: bool = True) -> str:
        """End the open group, or give it up; returns what became of it, nothing when none is open."""
        if self.group is None:
            return ""
        told = self.group.end() if keep else self.group.cancel()
        self.group = None
        return told

    def carry_out(self, command: Command, values: dict[str, Any], typed: str = "") -> Any:
        """Carry out a command that was read already."""
        if self.cancel is not None:
            go_on(self.cancel, f"«{typed[:80] + '…' if len(typed) > 80 else typed or command.name}»")
        elif self.group is None and current_cancel() is None:
            return self._run_now(command, values, typed)
        with cancelled_by(self.cancel), self.group.taking() if self.group is not None else nullcontext():
            return self._run_now(command, values, typed)

    def _run_now(self, command: Command, values: dict[str, Any], typed: str) -> Any:
        if self._view is not None and command.effect != "reads":
            raise Refused(f"This session only reads; give `{command.name}` in the session of the cell.")
        if command.effect == "simulates":
            self._shown = None
        if command.effect == "edits" and not command.own_transaction(values):
            self._editing = True
            try:
                return self._edit(command, values, typed)
            finally:
                self._editing = False
        if command.effect == "simulates":
            return self._simulate(command, values, typed)
        result = command.run(self, **values)
        if command.effect != "reads":
            self._tell(command.effect, command.name)
        return self._with_loss(result) if command.effect == "edits" else result

    def _edit(self, command: Command, values: dict[str, Any], typed: str) -> Any:
        """A command that changes the cell: one transaction, one step of the history."""
        self._resolved = {}
        line = ""

        def canonical() -> str:
            nonlocal line
            line = self._canonical(command, {**values, **self._resolved} if self._resolved else values)
            return line

        known = self._snapshot
        before = known if known is not None and known.revision == self.database.world_revision else None
        texts = self._references(command, values) if command.syntax.relations else None
        with self.database.edit(canonical, self.who, self._when, typed) as self._rows:
            if texts:
                self._resolved.update(texts)
            rows = self._rows
            try:
                result = command.run(self, **values)
                if self._when is None:  # a replay has nobody to tell
                    result = with_consequences(self, rows, result)
            finally:
                self._rows = None
        if self._listeners:
            self._tell(command.effect, line)
        if self._when is not None:
            return result
        result = with_lost_supports(self, rows, before, result)
        return result if self._simulator is None else self._with_loss(result)

    def _with_loss(self, result: Any) -> Any:
        """The answer to an edit; where what was recorded cannot go on, it says so."""
        if self._when is not None or self._simulator is None or self._simulator.recording.empty:
            return result
        self._lost = ""
        with suppress(WorkcellError):  # what cannot be simulated any more is told when it is to move
            self.simulator  # noqa: B018
        return self._saying_loss(result)

    def _saying_loss(self, result: Any) -> Any:
        told = f"What was recorded is forgotten: {self._lost}."
        if self._lost and isinstance(result, Done):
            return msgspec.structs.replace(result, text=f"{result.text}\n{told}")
        if self._lost and "notes" in getattr(result, "__struct_fields__", ()):
            return msgspec.structs.replace(result, notes=(*result.notes, told))
        return result

    def _simulate(self, command: Command, values: dict[str, Any], typed: str) -> Any:
        """A command that makes a new state: journalled as the pair (state before, state after).

        A run that comes to stand before a step is journalled when it is over. What is refused changes nothing; what
        began and was stopped stands where it stopped.
        """
        if self.paused is not None and not command.while_paused:
            raise Refused(
                f"`{command.name}` cannot be carried out while {self.paused.called} is paused; `resume` it to its end "
                "or `stop-run` first."
            )
        from workcell.simulation.events import Issued

        simulator = self.simulator
        moment = simulator.moment() if self.paused is None else None
        before = simulator.state
        simulator.cancel = self.cancel
        self._resolved, self._files, self._ended, self.typed = {}, [], None, typed
        line = self._canonical(command, values)
        made = False
        try:
            result = command.run(self, **values)
            made = True
        except (MotionStop, Cancelled):
            raise
        except WorkcellError:
            if moment is not None and self.paused is None and simulator.state is not before:
                simulator.take_back(moment)
                self._simulator = simulator
                self._keep_version()
                before = simulator.state
            raise
        finally:
            # Also when it was stopped half way: the state is where the robot stopped.
            if self.paused is not None:
                self._tell(command.effect, line)
            elif self._simulator is not None and (made or self._simulator.state is not before):
                if self._simulator is simulator and self._ended is None:  # the steps of a run come from programs
                    simulator.recorder.source(Issued(before.time, who=self.who))
                self._simulated(self._simulator, command, values, typed)
        return self._saying_loss(result) if self._ended is not None else result

    def _simulated(self, simulator: Simulator, command: Command, values: dict[str, Any], typed: str) -> None:
        """Keep the state that a command or a run came to, as one step."""
        line = self._canonical(command, {**values, **self._resolved})
        if self._ended is not None:
            line, typed = self._ended.entry(self.database.history.revision), self._ended.typed
            self._files = list(self._ended.files)
        self._keep_state(simulator, line, typed)
        self._tell(command.effect, line)

    def _keep_state(self, simulator: Simulator, line: str, typed: str) -> None:
        """Keep the state that a simulator came to, on the cell as it is now."""
        if simulator.snapshot.sensors:
            simulator.reached()
        state, edited = simulator.state, simulator.snapshot is not self.snapshot()
        if edited:  # a run that began before the last edits
            state = self.snapshot().fitted(state.renamed(renaming(simulator.snapshot, self.snapshot())))
        with self.database.edit(lambda: line, self.who, self._when, typed, always=True) as rows:
            for data in self._files:
                self.database.keep_blob(data)
            text = state.to_json()
            self.database.set_state(rows, text)
        self._read_state = text, state
        simulator.end_faults()
        if self._when is None:
            self.database.bound_states()
        self._lost = ""
        if edited:
            self._follow(self.database.revision)
        else:
            self._keep_version()

    @property
    def files_read(self) -> tuple[bytes, ...]:
        """The bytes of files that the journal is to keep with the command that is carried out."""
        return tuple(self._files)

    def written(self, name: str, values: dict[str, Any]) -> str:
        """A command as the journal keeps it, with what was resolved while it is carried out."""
        command = self.registry.named(name)
        return self._canonical(command, {**values, **self._resolved})

    def _references(self, command: Command, values: dict[str, Any]) -> dict[str, Any]:
        """Relations are named before the command runs, since it may rename or remove them."""
        given = {name: values.get(name) for name in command.syntax.relations}
        return {name: _Written(relation_text(self, one)) for name, one in given.items() if isinstance(one, Relation)}

    def _canonical(self, command: Command, values: dict[str, Any]) -> str:
        params = command.syntax.params
        if not command.syntax.relations:
            return command.syntax.canonical(values)

        def text_of(name: str, value: Any) -> str:
            if type(value) is _Written:
                return value.text
            if type(value) is Relation:
                return relation_text(self, value)
            return params[name].text(value)

        return command.syntax.canonical(values, text_of)

    def preview(self, line: str) -> Any:
        """What a command would answer; nothing of it stays."""
        command, values = self.registry.tree.parse(line, self)
        if command.effect != "edits" or command.own_transaction(values):
            raise Refused(f"Only commands that edit can be previewed; `{command.name}` does not.")
        with self.database.preview() as self._rows:
            try:
                return command.run(self, **values)
            finally:
                self._rows = None

    def replay(self, entry: Entry) -> None:
        """Carry out a journal entry again, with the ids that it recorded."""
        self.database.ids.replay(entry.new_ids)
        self.database.history.continue_at(entry.seq)
        lines = entry.command.split("\n")
        before, self.who, self._when = self.who, entry.who, entry.time
        try:
            if len(lines) > 1:
                self.database.begin_step(entry.who, entry.time)
            for line, typed in zip(lines, entry.typed.split("\n"), strict=True):
                with suppress(MotionStop):  # what stopped before a contact, at a limit or after a fall does so again
                    self.do_as(line, typed)
            if len(lines) > 1:
                self.database.end_step()
        except BaseException:
            self.database.cancel_step()
            raise
        finally:
            self.who, self._when = before, None

    # ---- helping whoever types --------------------------------------------------------------------------

    def expectations(self, text: str) -> list[Expectation]:
        """What may come next at the end of the text."""
        return self.registry.tree.expectations(text, self)

    def complete(self, text: str) -> list[Expectation]:
        """How the last word of the text can go on."""
        return self.registry.tree.complete(text, self)

    # ---- telling ----------------------------------------------------------------------------------------

    def on_change(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call ``listener`` after every command that changed something; returns how to stop it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @property
    def revision(self) -> str:
        """The revision as text."""
        number, group = self.database.revision
        return f"{number}.{group}" if group else str(number)

    def tell_state(self, line: str) -> None:
        """Let everybody know that what is seen has changed, though nothing was kept."""
        self._tell("simulates", line)

    def _tell(self, effect: str, line: str) -> None:
        if self._listeners:
            change = Change(self.revision, effect, line, self.who)
            for listener in list(self._listeners):
                listener(change)


class _Written(msgspec.Struct, frozen=True):
    """The canonical text of a value, made before the command ran."""

    text: str
