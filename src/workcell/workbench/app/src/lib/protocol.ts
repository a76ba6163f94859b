// Generated from workcell/service/protocol.py by `make docs`; edit that, not this.

export const VERSION = 1;
export const POSES_FRAME = 1;
export const RECORDING_FRAME = 2;
export const JOINTS_FRAME = 3;

/** Do one command line; answered by `result` or `error`. */
export interface Command {
  type: "command";
  request: number;
  line: string;
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
  bodies?: number[];
}

/** Ask for joint values along the recording, at the times of `Poses`; answered by a binary frame. */
export interface Joints {
  type: "joints";
  request: number;
  start: number;
  step: number;
  count: number;
}

/** Ask for something to play; answered by `recording`. With nothing recorded, the first program is run. */
export interface Play {
  type: "play";
  request: number;
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

/** Stop a job; its request is answered by an `error` of kind Cancelled. */
export interface Cancel {
  type: "cancel";
  job: string;
}

/** The display units of the cell. */
export interface UnitNames {
  length: string;
  angle: string;
  lengthSize: number;
  angleSize: number;
}

/** One command of the vocabulary, in short. */
export interface CommandInfo {
  words: string;
  syntax: string;
  help: string;
  effect: "edits" | "reads" | "simulates" | "view";
}

/** The first message: who is there. */
export interface Hello {
  type: "hello";
  version: number;
  program: string;
  cell: string;
  revision: string;
  units: UnitNames;
  commands: CommandInfo[];
  notes: string[];
}

/** A shape of one colour, in the frame of its body; the shape is at `/glb/{glb}`. A ghost is not touched. */
export interface PieceInfo {
  glb: string;
  colour: [number, number, number];
  ghost: boolean;
  opacity: number;
}

/** A rigid body; its pose is x y z [m], quaternion w x y z. */
export interface BodyInfo {
  name: string;
  owner: string;
  link: number;
  pieces: PieceInfo[];
  pose: [number, number, number, number, number, number, number];
  movable: boolean;
}

/** A line of the tree; `bodies` are the places in the scene's list that selecting it lights up. */
export interface TreeNode {
  id: string;
  name: string;
  kind: string;
  note: string;
  bodies: number[];
  children: TreeNode[];
}

/** A joint and its range [rad or m]. */
export interface JointInfo {
  name: string;
  lower: number;
  upper: number;
  prismatic: boolean;
}

/** A robot in the scene: its joints and where they stand [rad or m]. */
export interface RobotInfo {
  name: string;
  model: string;
  joints: JointInfo[];
  values: number[];
}

/** A volume that robots keep out of, slow down in or share; its shape is at `/glb/{glb}`, its pose as a body's. */
export interface ZoneInfo {
  name: string;
  rule: string;
  glb: string;
  pose: [number, number, number, number, number, number, number];
}

/** Everything that can be seen, at one revision. */
export interface Scene {
  type: "scene";
  revision: string;
  bodies: BodyInfo[];
  tree: TreeNode[];
  robots: RobotInfo[];
  undo: string;
  redo: string;
  zones: ZoneInfo[];
}

/** Something that happened at a moment of the recording. */
export interface EventInfo {
  time: number;
  kind: string;
  text: string;
}

/** What there is to play, from `start` on [s]; poses of another `epoch` are stale. */
export interface RecordingInfo {
  type: "recording";
  request: number;
  epoch: string;
  start: number;
  duration: number;
  robots: string[];
  events: EventInfo[];
  moving: number[];
}

/** A command was done: text for people, value for programs. */
export interface Result {
  type: "result";
  request: number;
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

/** Somebody changed something; a `scene` or `recording` follows where needed. */
export interface Change {
  type: "change";
  revision: string;
  effect: string;
  line: string;
  who: string;
}

/** How far a job is: `fraction` 0..1, none when it cannot be known; `done` ends it. */
export interface Progress {
  type: "progress";
  job: string;
  request: number;
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
  | Complete
  | Poses
  | Joints
  | Play
  | FetchRecording
  | FetchState
  | FetchStatus
  | Cancel;

export type ServerMessage =
  | Hello
  | Scene
  | RecordingInfo
  | Result
  | Failure
  | Change
  | Progress
  | Completions
  | State
  | Status;
