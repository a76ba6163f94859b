// Generated from workcell/service/protocol.py by `make docs`; edit that, not this.

export const VERSION = 4;
export const POSES_FRAME = 1;
export const RECORDING_FRAME = 2;
export const MOTION_FRAME = 3;
export const PACKED_FRAME = 4;
export const LENGTHS: Readonly<Record<string, number>> = { mm: 0.001, cm: 0.01, m: 1.0, um: 1e-06, inch: 0.0254, ft: 0.3048 };
export const ANGLES: Readonly<Record<string, number>> = { deg: 0.017453292519943295, rad: 1.0, turn: 6.283185307179586 };

/** Carry out one command line that a person typed; answered by `result` or `error`. */
export interface Command {
  type: "command";
  request: number;
  line: string;
}

/** Carry out several command lines as one step of the history; answered by one `result` or one `error`. */
export interface Lines {
  type: "lines";
  request: number;
  lines: string[];
  each?: boolean;
}

/** Carry out a command by its words, with parameters by name, in SI; answered by `result` or `error`. */
export interface Call {
  type: "call";
  request: number;
  command: string;
  parameters?: Record<string, unknown>;
}

/** Ask for the completions of a line; answered by `completions`. */
export interface Complete {
  type: "complete";
  request: number;
  text: string;
  program?: boolean;
}

/** Ask for body poses along the recording; answered by a binary frame. */
export interface Poses {
  type: "poses";
  request: number;
  start: number;
  step: number;
  count: number;
  bodies?: string[];
}

/** Ask for keyframes of the recording from one instant to another [s]; answered by a binary frame. */
export interface Motion {
  type: "motion";
  request: number;
  start: number;
  end: number;
  bodies?: string[];
  robots?: string[];
}

/** Ask for the recording to play; answered by `recording`. If there is none, the first program runs. */
export interface Play {
  type: "play";
  request: number;
}

/** Ask for everything after a missed difference; answered by `scene` and `recording` without a request. */
export interface FetchScene {
  type: "fetch-scene";
}

/** Ask for the recording itself; answered by a binary frame. */
export interface FetchRecording {
  type: "fetch-recording";
  request: number;
}

/** Ask for the current state; answered by `state`. */
export interface FetchState {
  type: "fetch-state";
  request: number;
}

/** Ask for the status of the server; answered by `status`. `reset` resets the longest pause. */
export interface FetchStatus {
  type: "fetch-status";
  request: number;
  reset?: boolean;
}

/** Cancel a job of any client; its request is answered by an `error` of kind Cancelled. */
export interface Cancel {
  type: "cancel";
  job: string;
}

/** Show all other clients what this client has selected: ids of the scene; none if nothing is selected. */
export interface Select {
  type: "select";
  things: string[];
}

/** Ask which cells are open and which files were open before; answered by `cells`. */
export interface ListCells {
  type: "list-cells";
  request: number;
}

/** Ask for the sample cells; answered by `samples`. */
export interface ListSamples {
  type: "list-samples";
  request: number;
}

/** Ask what can be opened in a folder, by its path; "" is the one where names begin. Answered by `folder`. */
export interface ListFolder {
  type: "list-folder";
  request: number;
  folder?: string;
}

/** Make a cell, in memory or as a new file; answered by `opened`. */
export interface NewCell {
  type: "new-cell";
  request: number;
  file?: string;
}

/** Open a file; answered by `opened`. */
export interface OpenCell {
  type: "open-cell";
  request: number;
  file: string;
}

/** Open a sample as a new cell in memory, ready to play; answered by `opened`. */
export interface OpenSample {
  type: "open-sample";
  request: number;
  name: string;
}

/** Save the cell of this connection as a file and go on with that; answered by `opened`. */
export interface SaveCell {
  type: "save-cell";
  request: number;
  file: string;
  replace?: boolean;
}

/** Close a cell; its clients are disconnected. Answered by `cells`; the first cell cannot be closed. */
export interface CloseCell {
  type: "close-cell";
  request: number;
  cell: string;
}

/** One command: its words, syntax, help and effect. */
export interface CommandInfo {
  words: string;
  syntax: string;
  help: string;
  effect: "edits" | "reads" | "simulates" | "view";
}

/** The first message: the server, the cell, and the name of this client. */
export interface Hello {
  type: "hello";
  version: number;
  program: string;
  cell: string;
  client: string;
  commands: CommandInfo[];
  notes: string[];
  id: string;
  identity: string;
}

/** The display units of the cell. */
export interface UnitNames {
  length: string;
  angle: string;
  lengthSize: number;
  angleSize: number;
}

/** Facts about the cell: what undo would revert, what redo would repeat, the units, and how motions are watched. */
export interface Facts {
  revision: string;
  undo: string;
  redo: string;
  units: UnitNames;
  watch: string;
}

/** A shape of one colour, in the frame of its body; the shape is at `/glb/{glb}`. */
export interface PieceInfo {
  glb: string;
  colour: [number, number, number];
  ghost: boolean;
  opacity: number;
}

/** A rigid body; `owner` is the id of its robot or object, `link` is -1 for an object. */
export interface BodyInfo {
  id: string;
  name: string;
  owner: string;
  link: number;
  pieces: PieceInfo[];
  pose: [number, number, number, number, number, number, number];
  movable: boolean;
}

/** A thing of the cell for lists; those of a kind are in the order of `rank`. */
export interface NodeInfo {
  id: string;
  kind: "curve" | "frame" | "light" | "machine" | "object" | "path" | "program" | "robot" | "sensor" | "station" | "surface" | "target" | "view" | "zone";
  name: string;
  note: string;
  rank: string;
}

/** A joint and its range [rad or m]. */
export interface JointInfo {
  name: string;
  lower: number;
  upper: number;
  prismatic: boolean;
}

/** A robot in the scene: its joints and their values [rad or m], the tool on its flange and the bodies of the tool. */
export interface RobotInfo {
  id: string;
  name: string;
  model: string;
  joints: JointInfo[];
  values: number[];
  tool: string;
  hand: string[];
  point: string;
  grips: string;
  mechanism: boolean;
  fitted: string;
  carrier: string;
  belt: boolean;
}

/** A zone: its rule, its pose, and its shape at `/glb/{glb}`. */
export interface ZoneInfo {
  id: string;
  name: string;
  rule: string;
  glb: string;
  pose: [number, number, number, number, number, number, number];
}

/** The whole picture; `number` counts the pictures of the cell that were shown. */
export interface Scene {
  type: "scene";
  number: number;
  facts: Facts;
  bodies: BodyInfo[];
  nodes: NodeInfo[];
  robots: RobotInfo[];
  zones: ZoneInfo[];
}

/** The changed fields of a body; missing fields stay. */
export interface BodyChange {
  id: string;
  name?: string;
  owner?: string;
  link?: number;
  pieces?: PieceInfo[];
  pose?: [number, number, number, number, number, number, number];
  movable?: boolean;
}

/** The bodies that appeared, changed and went. */
export interface BodyDifference {
  appeared?: BodyInfo[];
  changed?: BodyChange[];
  went?: string[];
}

/** The changed fields of a thing. */
export interface NodeChange {
  id: string;
  kind?: "curve" | "frame" | "light" | "machine" | "object" | "path" | "program" | "robot" | "sensor" | "station" | "surface" | "target" | "view" | "zone";
  name?: string;
  note?: string;
  rank?: string;
}

/** The things that appeared, changed and went. */
export interface NodeDifference {
  appeared?: NodeInfo[];
  changed?: NodeChange[];
  went?: string[];
}

/** The changed fields of a robot. */
export interface RobotChange {
  id: string;
  name?: string;
  model?: string;
  joints?: JointInfo[];
  values?: number[];
  tool?: string;
  hand?: string[];
  point?: string;
  grips?: string;
  mechanism?: boolean;
  fitted?: string;
  carrier?: string;
  belt?: boolean;
}

/** The robots that appeared, changed and went. */
export interface RobotDifference {
  appeared?: RobotInfo[];
  changed?: RobotChange[];
  went?: string[];
}

/** The changed fields of a zone. */
export interface ZoneChange {
  id: string;
  name?: string;
  rule?: string;
  glb?: string;
  pose?: [number, number, number, number, number, number, number];
}

/** The zones that appeared, changed and went. */
export interface ZoneDifference {
  appeared?: ZoneInfo[];
  changed?: ZoneChange[];
  went?: string[];
}

/** The change from the picture `before` to the picture `after`; tables without changes are left out. */
export interface Difference {
  type: "difference";
  before: number;
  after: number;
  facts: Facts;
  bodies?: BodyDifference;
  nodes?: NodeDifference;
  robots?: RobotDifference;
  zones?: ZoneDifference;
}

/** This client reads too slowly: it gets no differences until it asks for the whole with `fetch-scene`. */
export interface Behind {
  type: "behind";
  number: number;
}

/** An event of the recording. */
export interface EventInfo {
  time: number;
  kind: string;
  text: string;
  robot: string;
  lines: number[][];
}

/** The recording, from `start` on [s]; `number` counts the recordings that were shown. */
export interface RecordingInfo {
  type: "recording";
  request: number;
  number: number;
  start: number;
  duration: number;
  robots: string[];
  moving: string[];
  events: EventInfo[];
  loaded: boolean;
}

/** The change from the recording `before` to the recording `after`. */
export interface Recorded {
  type: "recorded";
  before: number;
  after: number;
  duration: number;
  kept: number;
  eventsKept: number;
  events?: EventInfo[];
  moving?: string[];
  still?: string[];
  robots?: string[];
}

/** A parameter of a program. */
export interface ParameterInfo {
  name: string;
  type: string;
  unit?: string;
  required?: boolean;
  default?: string;
  kinds?: string[];
}

/** A program of the cell. */
export interface ProgramInfo {
  id: string;
  name: string;
  mark: string;
  language: string;
  parameters?: ParameterInfo[];
}

/** A breakpoint; `when` is its condition. */
export interface BreakpointInfo {
  program: string;
  line: number;
  when?: string;
}

/** A signal and its present value; `fixed` if it belongs to a device or a sensor and is not set by hand. */
export interface SignalInfo {
  name: string;
  value: number;
  fixed?: boolean;
  unit?: string;
}

/** A line of a program, counted from 1. */
export interface PlaceInfo {
  program: string;
  line: number;
}

/** A program or a branch of a run: where it is, what it does, who called it, and its variables as texts. */
export interface ThreadInfo {
  name: string;
  program: string;
  line: number;
  doing: string;
  stands?: boolean;
  callers?: PlaceInfo[];
  variables?: Record<string, string>;
}

/** The programs of the cell, the run that is paused or in progress, and the signals. */
export interface RunInfo {
  type: "run";
  state: string;
  programs: ProgramInfo[];
  breakpoints: BreakpointInfo[];
  signals: SignalInfo[];
  threads: ThreadInfo[];
  time: number;
  started: string[];
  hit: boolean;
  unclear: string;
  edited: boolean;
  elsewhere: string[];
  awaits: string[];
  again: boolean;
  ran: string[];
  back: boolean;
  override: number;
}

/** The answer to a command: a text, and a typed value. */
export interface Result {
  type: "result";
  request: number;
  kind: string;
  text: string;
  value: unknown;
  revision: string;
}

/** A request was refused: the class of the error, its sentence, its facts, and the place in the line. */
export interface Failure {
  type: "error";
  request: number;
  kind: string;
  message: string;
  evidence: Record<string, unknown>;
  line: string | null;
  column: number | null;
}

/** A step of the history: what it was, and who made it. */
export interface StepInfo {
  label: string;
  who: string;
}

/** Somebody changed something; a `difference` or `recorded` follows if it is visible. */
export interface Change {
  type: "change";
  revision: string;
  effect: string;
  line: string;
  who: string;
  label: string;
  undone: StepInfo | null;
  redone: StepInfo | null;
  ended: StepInfo | null;
}

/** What another client has selected: ids of the scene; none if nothing is selected, or if the client left. */
export interface Selected {
  type: "selected";
  who: string;
  things: string[];
}

/** A line of a program was refused; all other clients are shown the class of the error and its sentence. */
export interface Notice {
  type: "notice";
  who: string;
  line: string;
  kind: string;
  message: string;
}

/** The progress of a job: `fraction` 0..1, null if unknown; `done` ends it. */
export interface Progress {
  type: "progress";
  job: string;
  request: number;
  who: string;
  title: string;
  fraction: number | null;
  label: string;
  done: boolean;
}

/** One completion: the text that replaces the last word, and its help. */
export interface Completion {
  text: string;
  help: string;
}

/** The completions of a line. */
export interface Completions {
  type: "completions";
  request: number;
  options: Completion[];
}

/** What a body moves with, and its pose there: the first three rows of its matrix. */
export interface AttachedInfo {
  frame: string;
  pose: number[];
}

/** The current state: joints [rad or m] by robot, poses (the first three rows of the matrix) by free body. */
export interface State {
  type: "state";
  request: number;
  time: number;
  joints: Record<string, number[]>;
  poses: Record<string, number[]>;
  attached: Record<string, AttachedInfo>;
  signals: Record<string, number>;
  clock: number | null;
}

/** The status of the server: the longest pause of its event loop since the reset and recently [s]. */
export interface Status {
  type: "status";
  request: number;
  longestPause: number;
  recentPause: number;
  clients: number;
  jobs: number;
  uptime: number;
  warm: boolean;
}

/** An open cell. Its wire is at `address` followed by `ws`, its page at `/?cell=` followed by its id. */
export interface CellInfo {
  id: string;
  name: string;
  address: string;
  file: string;
  sample: string;
  clients: number;
  first: boolean;
  folder: string;
  paused: boolean;
}

/** The open cells; also sent to everybody, with request 0, when this list changes. */
export interface CellList {
  type: "cells";
  request: number;
  cells: CellInfo[];
  recent: string[];
}

/** A sample cell: how it is called, what it shows and what it holds. */
export interface SampleInfo {
  name: string;
  title: string;
  text: string;
  picture: string;
  duration: number;
  robots: string[];
  programs: string[];
  source: string;
}

/** The sample cells, in the order of the gallery. */
export interface SampleList {
  type: "samples";
  request: number;
  samples: SampleInfo[];
}

/** The folders in a folder, and the files that can be opened as cells, by name. */
export interface FolderList {
  type: "folder";
  request: number;
  folder: string;
  above: string;
  roots: string[];
  folders: string[];
  files: string[];
}

/** A cell that was opened; connect to its address to see it. */
export interface CellOpened {
  type: "opened";
  request: number;
  cell: CellInfo;
}

/** The cell of this connection was saved under another name and goes on there. */
export interface CellMoved {
  type: "moved";
  cell: CellInfo;
}

/** The JSON answer to an upload: the path of the file for commands, and its size [bytes]. */
export interface Uploaded {
  file: string;
  size: number;
}

export type ClientMessage =
  | Command
  | Lines
  | Call
  | Complete
  | Poses
  | Motion
  | Play
  | FetchScene
  | FetchRecording
  | FetchState
  | FetchStatus
  | Cancel
  | Select
  | ListCells
  | ListSamples
  | ListFolder
  | NewCell
  | OpenCell
  | OpenSample
  | SaveCell
  | CloseCell;

export type ServerMessage =
  | Hello
  | Scene
  | Difference
  | Behind
  | RecordingInfo
  | Recorded
  | RunInfo
  | Result
  | Failure
  | Change
  | Selected
  | Notice
  | Progress
  | Completions
  | State
  | Status
  | CellList
  | SampleList
  | FolderList
  | CellOpened
  | CellMoved;

export type UploadAnswer =
  | Uploaded;
