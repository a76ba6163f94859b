// Generated from workcell/service/protocol.py by `make docs`; edit that, not this.

export const VERSION = 2;
export const POSES_FRAME = 1;
export const RECORDING_FRAME = 2;
export const MOTION_FRAME = 3;
export const PACKED_FRAME = 4;

/** Do one command line that a person typed; answered by `result` or `error`. */
export interface Command {
  type: "command";
  request: number;
  line: string;
}

/** Do a command by its words, with parameters by name, in SI units; answered by `result` or `error`. */
export interface Call {
  type: "call";
  request: number;
  command: string;
  parameters?: Record<string, unknown>;
}

/** Ask how a line can go on; answered by `completions`. */
export interface Complete {
  type: "complete";
  request: number;
  text: string;
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

/** Ask for something to play; answered by `recording`. With nothing recorded, the first program is run. */
export interface Play {
  type: "play";
  request: number;
}

/** Ask for everything, when a difference was missed; answered by `scene` and `recording`, of no request. */
export interface FetchScene {
  type: "fetch-scene";
}

/** Ask for the recording itself; answered by a binary frame. */
export interface FetchRecording {
  type: "fetch-recording";
  request: number;
}

/** Ask where everything is now; answered by `state`. */
export interface FetchState {
  type: "fetch-state";
  request: number;
}

/** Ask how the server is doing; answered by `status`. `reset` starts the longest pause anew. */
export interface FetchStatus {
  type: "fetch-status";
  request: number;
  reset?: boolean;
}

/** Stop a job, whoever began it; its request is answered by an `error` of kind Cancelled. */
export interface Cancel {
  type: "cancel";
  job: string;
}

/** One command of the vocabulary, in short. */
export interface CommandInfo {
  words: string;
  syntax: string;
  help: string;
  effect: "edits" | "reads" | "simulates" | "view";
}

/** The first message: who is there, and what the server calls this client. */
export interface Hello {
  type: "hello";
  version: number;
  program: string;
  cell: string;
  client: string;
  commands: CommandInfo[];
  notes: string[];
}

/** The display units of the cell. */
export interface UnitNames {
  length: string;
  angle: string;
  lengthSize: number;
  angleSize: number;
}

/** What is known of the cell beside its things: what undo would take back, what redo would do again, the units. */
export interface Facts {
  revision: string;
  undo: string;
  redo: string;
  units: UnitNames;
}

/** A shape of one colour, in the frame of its body; the shape is at `/glb/{glb}`. A ghost is not touched. */
export interface PieceInfo {
  glb: string;
  colour: [number, number, number];
  ghost: boolean;
  opacity: number;
}

/** A rigid body; `owner` is the id of the robot or object that it belongs to, `link` -1 for an object. */
export interface BodyInfo {
  id: string;
  name: string;
  owner: string;
  link: number;
  pieces: PieceInfo[];
  pose: [number, number, number, number, number, number, number];
  movable: boolean;
}

/** A thing of the cell as lists name it; those of a kind stand in the order of `rank`. */
export interface NodeInfo {
  id: string;
  kind: "machine" | "object" | "program" | "robot" | "sensor" | "station" | "view" | "zone";
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

/** A robot in the scene: its joints and where they stand [rad or m]; what is on its flange, and the bodies of that. */
export interface RobotInfo {
  id: string;
  name: string;
  model: string;
  joints: JointInfo[];
  values: number[];
  tool: string;
  hand: string[];
}

/** A volume that robots keep out of, slow down in or share; its shape is at `/glb/{glb}`, its pose as a body's. */
export interface ZoneInfo {
  id: string;
  name: string;
  rule: string;
  glb: string;
  pose: [number, number, number, number, number, number, number];
}

/** Everything that can be seen; `number` counts the pictures of the cell that were shown. */
export interface Scene {
  type: "scene";
  number: number;
  facts: Facts;
  bodies: BodyInfo[];
  nodes: NodeInfo[];
  robots: RobotInfo[];
  zones: ZoneInfo[];
}

/** What is another of a body; fields that are not there stay. */
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

/** What is another of a thing. */
export interface NodeChange {
  id: string;
  kind?: "machine" | "object" | "program" | "robot" | "sensor" | "station" | "view" | "zone";
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

/** What is another of a robot. */
export interface RobotChange {
  id: string;
  name?: string;
  model?: string;
  joints?: JointInfo[];
  values?: number[];
  tool?: string;
  hand?: string[];
}

/** The robots that appeared, changed and went. */
export interface RobotDifference {
  appeared?: RobotInfo[];
  changed?: RobotChange[];
  went?: string[];
}

/** What is another of a zone. */
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

/** What makes the picture `after` of the picture `before`; tables in which nothing changed are not there. */
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

/** This client reads too slowly for differences: it gets none until it asks for the whole with `fetch-scene`. */
export interface Behind {
  type: "behind";
  number: number;
}

/** Something that happened at a moment of the recording. */
export interface EventInfo {
  time: number;
  kind: string;
  text: string;
}

/** What there is to play, from `start` on [s]; `number` counts the recordings that were shown. */
export interface RecordingInfo {
  type: "recording";
  request: number;
  number: number;
  start: number;
  duration: number;
  robots: string[];
  moving: string[];
  events: EventInfo[];
}

/** What makes the recording `after` of the recording `before`. */
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

/** A command was done: text for people, and a value of a type for programs. */
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

/** Somebody changed something; a `difference` or `recorded` follows where that can be seen. */
export interface Change {
  type: "change";
  revision: string;
  effect: string;
  line: string;
  who: string;
  undone: StepInfo | null;
  redone: StepInfo | null;
}

/** How far a job is: `fraction` 0..1, none when it cannot be known; `done` ends it. */
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

/** One way to go on: the text that replaces the last word, and what it means. */
export interface Completion {
  text: string;
  help: string;
}

/** How a line can go on. */
export interface Completions {
  type: "completions";
  request: number;
  options: Completion[];
}

/** Where everything is now: joints [rad or m] by robot, poses (x y z, w x y z) by free body. */
export interface State {
  type: "state";
  request: number;
  time: number;
  joints: Record<string, number[]>;
  poses: Record<string, [number, number, number, number, number, number, number]>;
  attached: Record<string, string>;
  signals: Record<string, unknown>;
}

/** How the server is: the event loop's longest pause since the reset and in the last seconds [s]. */
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

export type ClientMessage =
  | Command
  | Call
  | Complete
  | Poses
  | Motion
  | Play
  | FetchScene
  | FetchRecording
  | FetchState
  | FetchStatus
  | Cancel;

export type ServerMessage =
  | Hello
  | Scene
  | Difference
  | Behind
  | RecordingInfo
  | Recorded
  | Result
  | Failure
  | Change
  | Progress
  | Completions
  | State
  | Status;
