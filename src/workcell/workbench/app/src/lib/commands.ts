// Generated from the declared commands by `make docs`; do not edit.

/** Something new: its kind, name and id, and lines on what it broke, if anything. */
export interface Made {
  kind: string;
  name: string;
  id: string;
  broken: string[];
}

/** An answer that is only a text. */
export interface Done {
  text: string;
}

/** What was removed, and what stayed and why. */
export interface Removed {
  text: string;
  removed: string[];
  stayed: string[];
}

/** Everything about an entity or relation. */
export interface Shown {
  kind: string;
  name: string;
  id: string;
  facts: Record<string, unknown>;
  text: string;
}

/** One fact about a thing, and the facts below it. */
export interface Line {
  text: string;
  below: Line[];
}

/** Where something is now: its pose in the world (4×4, SI), its joint values, and what carries it ('' if nothing). */
export interface Whereabouts {
  name: string;
  kind: string;
  matrix: number[][];
  joints: number[];
  carrier: string;
  text: string;
  base: number[][];
  link: number | null;
  on: number[][] | null;
}

/** Rows under headings. */
export interface Table {
  headings: string[];
  rows: unknown[][];
  caption: string;
}

/** A point of a curve or patch [m] and the derivatives there. */
export interface Evaluated {
  name: string;
  parameters: number[];
  point: [number, number, number];
  labels: string[];
  derivatives: [number, number, number][];
  normal: [number, number, number] | null;
  text: string;
}

/** The control points [m] of a curve (one row) or patch, with weights, knots, and the box that they span [m]. */
export interface Net {
  name: string;
  degrees: number[];
  control: [number, number, number][][];
  weights: number[][];
  knots: number[][];
  low: [number, number, number];
  high: [number, number, number];
  text: string;
}

/** A block made of facets: how many surfaces are new, and how many relations point to surfaces. */
export interface Faceted {
  name: string;
  surfaces: string[];
  relations: number;
}

/** A contour or hole of a sketch [m]: a circle with its centre in `points`, or corners in order. */
export interface Boundary {
  hole: boolean;
  kind: "circle" | "polygon";
  points: [number, number][];
  via: ([number, number] | null)[];
  radius: number;
}

/** A block that was extruded or revolved from a flat surface. */
export interface Sketch {
  block: string;
  surface: string;
  made: "extrude" | "revolve";
  boundaries: Boundary[];
  matrix: number[][];
  vector: [number, number, number] | null;
  angle: number;
  point: [number, number, number] | null;
  direction: [number, number, number] | null;
  editable: boolean;
}

/** The sketches that a thing is made of. */
export interface SketchList {
  thing: string;
  sketches: Sketch[];
}

/** A block of a named shape: the names of its sizes in order, and the sizes [m]. */
export interface SizedBlock {
  block: string;
  shape: string;
  names: string[];
  sizes: number[];
  density: number | null;
  others: string[];
  placed: boolean;
}

/** The blocks of named shapes that a thing is made of. */
export interface SizeList {
  thing: string;
  blocks: SizedBlock[];
  text: string;
}

/** The shape of a thing that can be changed by its faces: its word, and the names and values [m] of its sizes. */
export interface SizeGrips {
  thing: string;
  shape: string;
  names: string[];
  sizes: number[];
  pose: number[][];
  inside: number[][];
  refusal: string;
  text: string;
}

/** Something that stands nowhere and is part of nothing. */
export interface LooseThing {
  id: string;
  kind: string;
  name: string;
}

/** What stands nowhere and is part of nothing, in order of creation; none if the digest was given. */
export interface LooseThings {
  things: LooseThing[];
  digest: string;
  text: string;
}

/** A solid of one colour in the frame of its thing; its shape is at `/glb/{glb}`. */
export interface LoosePiece {
  glb: string;
  colour: [number, number, number];
  opacity: number;
}

/** A flat surface: of each region its outline and then its holes, as points of its plane [m]. */
export interface LoosePatch {
  regions: [number, number][][][];
  matrix: number[][];
  colour: [number, number, number];
}

/** The shape of a thing that stands nowhere, in its own frame. */
export interface LooseShapeRow {
  id: string;
  pieces: LoosePiece[];
  patches: LoosePatch[];
  placeable: boolean;
  note: string;
}

/** The shapes of things that stand nowhere, in order of creation; `left_out` is how many are not in the answer. */
export interface LooseShapeRows {
  shapes: LooseShapeRow[];
  left_out: number;
  digest: string;
  text: string;
}

/** Volume [m³], area [m²], centroid [m]; mass [kg] where it is known; inertia about the centroid. */
export interface Measured {
  name: string;
  volume: number;
  area: number;
  centroid: [number, number, number];
  mass: number | null;
  inertia: [[number, number, number], [number, number, number], [number, number, number]];
  principal: [number, number, number];
  axes: [[number, number, number], [number, number, number], [number, number, number]];
  text: string;
}

/** A fault of a solid: what it is, where [m], and the faces concerned. */
export interface FaultFacts {
  block: string;
  kind: string;
  place: [number, number, number];
  faces: string[];
}

/** Whether the solids of a thing are valid, and the faults with their places. */
export interface Checked {
  name: string;
  valid: boolean;
  faults: FaultFacts[];
  text: string;
}

/** A face: its name, kind, area [m²], centre [m] and outward normal, in the frame of its block or object. */
export interface FaceFacts {
  name: string;
  kind: string;
  area: number;
  centre: [number, number, number];
  normal: [number, number, number];
}

/** The faces of a thing. */
export interface FaceList {
  thing: string;
  faces: FaceFacts[];
  text: string;
  prefixes: string[];
}

/** That an object stands on another one: the face of the object, and the face of its base. */
export interface OnFace {
  thing: string;
  face: string;
  base: string;
  base_face: string;
}

/** On which face an object stands, None if on none; and what stands on its own faces. */
export interface FaceTies {
  thing: string;
  stands: OnFace | null;
  carries: OnFace[];
}

/** Where an object would be with a face on a face of another: `X_world_object` as rows. */
export interface FacePose {
  thing: string;
  matrix: number[][];
  text: string;
}

/** A unit of a file that states none, and how large its shape would be. */
export interface UnitChoice {
  unit: string;
  size: string;
}

/** How a file is read: the command and its parameters, for a call. */
export interface ImportWay {
  command: string;
  parameters: Record<string, unknown>;
  makes: string;
  placing: string;
  units: UnitChoice[];
  whole: boolean;
  script: boolean;
  text: string;
}

/** A robot of the library: reach [m] and payload [kg], None if it is not known. */
export interface RobotFacts {
  name: string;
  maker: string;
  model: string;
  joints: number;
  reach: number | null;
  payload: number | null;
  computed: boolean;
}

/** The robots of the library. */
export interface RobotLibrary {
  robots: RobotFacts[];
}

/** The drafts of the cell, by name. */
export interface DraftList {
  names: string[];
}

/** A joint of a draft [rad, m]; None where nothing is chosen yet. `faults` are what it lacks. */
export interface DraftRow {
  theta: number | null;
  alpha: number | null;
  d: number | null;
  a: number | null;
  prismatic: boolean;
  limits: [number, number] | null;
  faults: string[];
}

/** A solid that is assigned to a link: the number of the link, and the solid as `kind:name`. */
export interface LinkSolid {
  link: number;
  solid: string;
  relation: string;
}

/** A draft of a robot. */
export interface DraftTable {
  robot: string;
  base: [number, number];
  rows: DraftRow[];
  frames: number[][][];
  solids: LinkSolid[];
  faults: string[];
  text: string;
}

/** A joint frame of an object: i or i+1, how it moves, its range [rad or m], and its pose in the object (4×4). */
export interface LinkJoint {
  link: string;
  place: string;
  moves: string;
  range: [number, number] | null;
  matrix: number[][];
}

/** The joint frames of all objects. */
export interface LinkJoints {
  joints: LinkJoint[];
}

/** The DH parameters of a link [rad, m] and the faults of its joint frames. */
export interface LinkParameters {
  theta: number;
  d: number;
  a: number;
  alpha: number;
  faults: string[];
  text: string;
}

/** A robot from link files, and remarks about what the files do not state. */
export interface ImportedLinks {
  kind: string;
  name: string;
  id: string;
  broken: string[];
  notes: string[];
}

/** A robot from a file, the robots that stand on it, the links without a known shape, and remarks. */
export interface ImportedRobot {
  kind: string;
  name: string;
  id: string;
  broken: string[];
  others: string[];
  unknown: string[];
  notes: string[];
}

/** What was made from a work cell file, by name; `kept` are frames for objects of unknown classes. */
export interface ImportedWorld {
  robots: string[];
  objects: string[];
  targets: string[];
  kept: string[];
  notes: string[];
  text: string;
}

/** What was made from ROBOSIM source, by name, and remarks. */
export interface ImportedSource {
  robots: string[];
  objects: string[];
  views: string[];
  notes: string[];
  text: string;
}

/** The program that an Agent file became. */
export interface ImportedAgent {
  program: string;
  called: string[];
  edits: number;
  reports: string[];
  text: string;
}

/** Something that refers to the robot, and whether it still fits. */
export interface RobotUsesChecked {
  kind: string;
  name: string;
  fits: boolean;
  before: string;
  now: string;
  problem: string;
}

/** A replaced robot: the new and the old model, what was checked, and how many of these things no longer fit. */
export interface Replaced {
  text: string;
  robot: string;
  model: string;
  was: string;
  checked: RobotUsesChecked[];
  misfits: number;
  run_dependent: string[];
}

/** A path of targets: what they hang on, and their poses there (4×4 matrices, SI). */
export interface Targets {
  path: string;
  object: string;
  poses: number[][][];
  text: string;
}

/** Targets that are not made: `places` are their poses in the world now (x y z [m], quaternion w x y z). */
export interface ShownTargets {
  path: string;
  object: string;
  poses: number[][][];
  text: string;
  places: number[][];
  ring: boolean;
}

/** A target that was learned from a robot. */
export interface Learned {
  target: string;
  robot: string;
  joints: number[];
  branch: string;
  carrier: string;
  moved: number | null;
  turned: number | null;
  text: string;
}

/** Whether one robot reaches one target. */
export interface TargetReach {
  target: string;
  carrier: string;
  robot: string;
  reached: boolean;
  ways: number;
  branch: string;
  problem: string;
}

/** Every pair of target and robot, and the targets that no robot reaches. */
export interface ReachChecked {
  checked: TargetReach[];
  unreached: string[];
  text: string;
}

/** The poses of the tool and of the link frames (4×4, SI). */
export interface Frames {
  robot: string;
  joints: number[];
  tool: number[][];
  links: number[][][];
  text: string;
}

/** One way to reach a pose: joints in SI, Ding's label, words, the Agent's index, and limits that it violates. */
export interface Solution {
  joints: number[];
  label: string;
  words: string;
  index: number;
  within_limits: boolean;
  violations: [number, number][];
  singular: string[];
  free: boolean | null;
  touching: [string, string] | null;
  depth: number | null;
}

/** Every way to reach a pose. */
export interface Solutions {
  robot: string;
  solutions: Solution[];
  text: string;
}

/** The Jacobian (6×n, SI), and figures that follow from it. */
export interface Motion {
  robot: string;
  jacobian: number[][];
  manipulability: number;
  condition: number;
  singularities: Record<string, number>;
  text: string;
}

/** The reach of an arm [m] and the volume that it can reach [m³]. */
export interface Reach {
  robot: string;
  reach: number;
  volume: number;
  text: string;
  outline: [number, number][][];
  first: [number, number];
  slides: boolean;
  frame: number[][];
}

/** Joint values along a path that stay on one branch [rad or m]. */
export interface Branches {
  robot: string;
  path: string;
  joints: number[][];
  words: string[];
  text: string;
}

/** The largest deviation of the results in a file from the kinematics of a robot [m, rad]. */
export interface CheckedKinematics {
  robot: string;
  results: number;
  distance: number;
  angle: number;
  worst: string;
  text: string;
}

/** A move: how long it took [s], the simulated time [s], how far the hand left its curve [m]. */
export interface Moved {
  robot: string;
  duration: number;
  time: number;
  limited: string;
  deviation: number | null;
  rounding: number;
  unknown: string[];
  notes: string[];
}

/** The hand of a robot now. */
export interface HandNow {
  robot: string;
  joints: number[];
  slides: boolean[];
  point: string;
  matrix: number[][];
  opening: number | null;
  holds: string[];
  branch: string;
  text: string;
}

/** The branches of inverse kinematics at the present pose of a robot: the one in use, and those in the limits. */
export interface Standing {
  robot: string;
  index: number;
  valid: number[];
}

/** Named joint values [rad or m], and which of them slide. */
export interface Position {
  name: string;
  joints: number[];
  slides: boolean[];
}

/** All positions of a cell. */
export interface Positions {
  positions: Position[];
}

/** A path that touches nothing. */
export interface FoundPath {
  robot: string;
  method: string;
  waypoints: number[][];
  duration: number;
  length: number;
  clearance: number | null;
  nearest: [string, string] | null;
  goal: number;
  states: number;
  unknown: string[];
  touching: string;
}

/** A robot moved along a path that was found; `path` says which. */
export interface MovedOnPath {
  robot: string;
  duration: number;
  time: number;
  limited: string;
  deviation: number | null;
  rounding: number;
  unknown: string[];
  notes: string[];
  path: FoundPath | null;
}

/** A hand was guided. */
export interface Guided {
  robot: string;
  duration: number;
  time: number;
  miss: number;
  turn: number;
  clearance: number | null;
  pair: [string, string] | null;
  plans: number;
  unknown: string[];
}

/** A run of a program with other constants of a guided move. */
export interface GuideTry {
  constants: Record<string, number>;
  duration: number | null;
  problem: string;
}

/** What was learned for one guided move of a program. */
export interface LearnedGuide {
  program: string;
  line: number;
  before: number | null;
  after: number | null;
  best: Record<string, number>;
  tries: GuideTry[];
}

/** What was learned for a program, guided move by guided move. */
export interface GuideLearningLearned {
  program: string;
  learned: LearnedGuide[];
  written: boolean;
}

/** Targets in the order of the shortest cycle that was found. */
export interface Ordered {
  program: string;
  targets: string[];
  joints: number[][];
  time: number;
  bound: number;
  neighbour: number;
  around: number;
  certified: boolean;
}

/** A transit of a program. */
export interface PlannedTransit {
  program: string;
  line: number;
  robot: string;
  before: number;
  after: number;
  replaced: boolean;
  problem: string;
}

/** A move that was left as it is. */
export interface LeftMove {
  program: string;
  line: number;
  robot: string;
  why: string;
  problem: string;
}

/** A program whose transits are proved free, with those of the programs that it calls. */
export interface PlannedProgram {
  program: string;
  transits: PlannedTransit[];
  left: LeftMove[];
  before: number;
  after: number;
  difference: string;
  written: boolean;
  shared: [string, string[]][];
}

/** The way of the hand of one robot during a move. */
export interface Way {
  robot: string;
  points: [number, number, number][];
  joints: number[][];
  duration: number;
  free: boolean;
  problem: string;
}

/** A move of a program. */
export interface PlannedStep {
  program: string;
  line: number;
  ways: Way[];
  instead: Way[];
  text: string;
  reason: string;
}

/** A motion along the targets of a path that touches nothing. */
export interface PlannedAlong {
  robot: string;
  path: string;
  length: number;
  duration: number;
  start: number[];
  least_spin: number;
  greatest_spin: number;
  deviation: number;
  held: number | null;
  clearance: number | null;
  nearest: [string, string] | null;
  unknown: string[];
  touching: string;
}

/** Moves that started together, each with its duration, and the simulated time [s]. */
export interface MovedTogether {
  moves: Moved[];
  time: number;
  notes: string[];
}

/** Two bodies that touch for a while, or come nearer than they may. */
export interface Meeting {
  pair: [string, string];
  begin: number;
  end: number;
  depth: number;
  place: [number, number, number] | null;
  lines: [string, number][];
}

/** What programs that run together do to each other. */
export interface CheckedTogether {
  programs: string[];
  duration: number;
  conflicts: Meeting[];
  proved: boolean;
}

/** A stay of a program in a shared zone. */
export interface ZoneVisit {
  program: string;
  zone: string;
  first: number;
  last: number;
  enters: number;
  waits: number;
}

/** Programs that share space without touching. */
export interface Scheduled {
  programs: string[];
  visits: ZoneVisit[];
  duration: number;
  alone: number;
  in_turn: number;
  best: boolean;
  zones: string[];
}

/** One mistake, with its place (the line from 1, the column from 0). */
export interface Problem {
  program: string;
  line: number;
  column: number;
  message: string;
  warning?: boolean;
}

/** What the checker found in a program. */
export interface ProgramsChecked {
  program: string;
  problems: Problem[];
  open: Problem[];
  notes: string[];
}

/** One problem of a task. */
export interface TaskProblem {
  program: string;
  line: number;
  column: number;
  step: string;
  message: string;
}

/** What a rehearsal found. */
export interface Rehearsed {
  task: string;
  problems: TaskProblem[];
  steps: number;
  duration: number;
}

/** A run of a program: how many steps were carried out, the simulated time [s], and the messages. */
export interface Ran {
  program: string;
  commands: number;
  time: number;
  messages: string[];
  loads: string[];
  unknown: string[];
  times: number[];
  notes: string[];
  falls: string[];
  lines: string[];
}

/** A run of programs in parallel: when each ended, and the simulated time [s]. */
export interface RanTogether {
  ended: Record<string, number>;
  time: number;
  loads: string[];
  unknown: string[];
  messages: string[];
  times: number[];
  notes: string[];
  falls: string[];
  lines: string[];
}

/** A paused run: the program, the line and the step that come next, and the simulated time [s]. */
export interface Stood {
  program: string;
  line: number;
  step: string;
  time: number;
  breakpoint: boolean;
  condition: string;
  notes: string[];
  unclear: string;
  awaits: string[];
}

/** One line of a program. */
export interface OutlineRow {
  line: number;
  last: number;
  end: number;
  depth: number;
  role: "blank" | "comment" | "end" | "opens" | "parameter" | "part" | "step";
  code: string;
  kind?: string;
  fields?: Record<string, string>;
  comment?: string;
}

/** A program with its lines as typed rows. */
export interface ProgramOutline {
  program: string;
  text: string;
  mark: string;
  language: string;
  length_unit: string;
  angle_unit: string;
  rows: OutlineRow[];
  problems: Problem[];
  variables: string[];
}

/** A field of a kind of step. */
export interface KindField {
  name: string;
  holds: "any" | "choice" | "entity" | "flag" | "joints" | "number" | "point" | "pose" | "text" | "truth" | "word";
  unit?: string;
  required?: boolean;
  several?: boolean;
  help?: string;
  kinds?: string[];
  choices?: string[];
  choice_help?: string[];
}

/** A kind of step. */
export interface StepKind {
  kind: string;
  group: string;
  help: string;
  syntax: string;
  fields?: KindField[];
  opens?: boolean;
  line?: string;
  lacks?: string;
  planned?: boolean;
}

/** All kinds of steps. */
export interface StepKinds {
  kinds: StepKind[];
  names: Record<string, string[]>;
}

/** An edit of the lines of a program. */
export interface StepsEdited {
  program: string;
  what: string;
  line: number;
  problems: Problem[];
}

/** An answer; `str(answer)` is its text. */
export interface Result {

}

/** A line of a program while it was carried out: from when to when [s], and who called its program. */
export interface RunLine {
  start: number;
  end: number;
  program: string;
  line: number;
  callers?: [string, number][];
}

/** The lines of programs in the recording, by their starts; `left` is how many more there are. */
export interface RunLines {
  lines: RunLine[];
  left: number;
}

/** The values of signals over the recording. */
export interface SignalTimes {
  start: Record<string, number>;
  changes: [number, string, number][];
  left: number;
  units: Record<string, string>;
}

/** A change of a move that is under way. */
export interface Changed {
  device: string;
  what: string;
  delay: number;
  travel: number[];
  slides: boolean[];
  refused: string;
}

/** Changes of moves that are under way; `note` is about later moves. */
export interface Steering {
  changes: Changed[];
  note: string;
}

/** A conveyor was given a speed. */
export interface Runs {
  conveyor: string;
  speed: number;
  asked: number;
  delay: number;
  travel: number;
  time: number;
}

/** The output of a line of an Agent program: its number, the reports and the errors, and why it was refused. */
export interface AgentOutput {
  line: number;
  text: string;
  refused: boolean;
  reason: string;
}

/** A program of Agent lines that was carried out; `outputs` are those of the lines that printed something. */
export interface AgentRan {
  program: string;
  lines: number;
  outputs: AgentOutput[];
}

/** A motion that a real robot made, and how far it was from its model [s, rad or m, m]. */
export interface Driven {
  robot: string;
  duration: number;
  took: number;
  joint: number;
  joint_most: number;
  joint_time: number;
  hand_most: number;
  hand_time: number;
  samples: number;
  end_joint: number;
  end_most: number;
  text: string;
}

/** A weld: how long it took [s], the seam [m], its share at full speed, and the largest deviations [m, rad]. */
export interface Welded {
  robot: string;
  mechanism: string;
  duration: number;
  time: number;
  length: number;
  steady: number;
  deviation: number;
  turn: number;
  downhand: number;
  level: number;
  limited: string;
  rounding: number;
  unknown: string[];
}

/** A grasp of a part, where it is now. */
export interface GraspNow {
  name: string;
  matrix: number[][];
  opening: number | null;
  approach: number | null;
}

/** The grasps of a part. */
export interface GraspsNow {
  part: string;
  grasps: GraspNow[];
  text: string;
}

/** One thing that a robot carries: mass [kg], centre in the frame of the flange [m], and the source of the mass. */
export interface CarriedLoad {
  name: string;
  mass: number | null;
  centre: [number, number, number] | null;
  source: string;
}

/** The largest moment of the load about the axis of a joint, and the moment that the joint allows [N·m]. */
export interface CarriedMoment {
  joint: number;
  moment: number;
  allowed: number;
}

/** What a robot carries and what it may carry [kg, N·m]; what is not known is None or in `unknown`. */
export interface Carried {
  robot: string;
  mass: number;
  payload: number | null;
  excess: number;
  overloaded: boolean;
  unknown: string[];
  loads: CarriedLoad[];
  moments: CarriedMoment[];
  text: string;
}

/** A part that cups or magnets hold: which of them, their force, and the force needed [N]; None if not known. */
export interface Clung {
  part: string;
  taken_from: string;
  by: string;
  pads: number[];
  force: number;
  needed: number | null;
}

/** A part was taken: by which robot, from which, how the hand was placed [rad, m], and what the arm carries now. */
export interface Taken {
  part: string;
  robot: string;
  taken_from: string;
  grasp: string;
  angle: number;
  width: number;
  distance: number;
  load: Carried;
  falls: string[];
  by: string;
  holds: Clung[];
  idle: string;
}

/** A gripper opened: of which robot, which part it released or '', and what is wrong with how that part stands now. */
export interface LetGo {
  robot: string;
  part: string;
  falls: string[];
  open: boolean;
}

/** A robot handled a part. */
export interface Handled {
  part: string;
  robot: string;
  action: string;
  duration: number;
  time: number;
  grasp: string;
  on: string;
  falls: string[];
}

/** A contact: the pair, its kind, a point [m], its depth [m], and the margin that is wanted [m]. */
export interface ContactRow {
  depth: number;
  kind: string;
  margin: number;
  pair: string[];
  point: number[];
}

/** What touches: pairs with a point [m] and a depth [m], and the parts that rest on something. */
export interface Touching {
  contacts: ContactRow[];
  notes: string[];
  text: string;
  rests: [string, string][];
  against: [string, string][];
}

/** The first contact in a recording: its time [s] and the pair; and how many samples were checked. */
export interface Along {
  samples: number;
  time: number | null;
  pair: [string, string] | null;
  touching: number;
  text: string;
  notes: string[];
  proved: boolean;
  undecided: [number, number, [string, string], string][];
  differs: string[];
}

/** How many random states of a robot are free, and which pairs touch most. */
export interface Share {
  states: number;
  free: number;
  pairs: [string, string, number][];
  text: string;
  notes: string[];
}

/** The smallest distance [m], the pair, and the nearest points [m]. */
export interface Nearest {
  distance: number;
  pair: [string, string];
  points: number[][];
  text: string;
  time: number | null;
  own: number | null;
  own_pair: [string, string] | null;
  own_time: number | null;
  notes: string[];
}

/** Whether a motion is free: `free` with a bound [m], `contact` with a time [s], or `undecided`. */
export interface Proved {
  verdict: string;
  bound: number | null;
  time: number | null;
  last_free: number | null;
  pair: [string, string] | null;
  text: string;
  notes: string[];
}

/** A move of a device from begin to end [s], and whether it is `free`, a `contact` or `undecided`. */
export interface CheckedMove {
  device: string;
  kind: string;
  begin: number;
  end: number;
  verdict: string;
  pair: [string, string] | null;
  place: string;
}

/** A time in which a pair touches (`contact`), or in which nothing could be proved (`undecided`) [s]. */
export interface CheckedSpan {
  begin: number;
  end: number;
  verdict: string;
  pair: [string, string];
  reason: string;
}

/** The verdict on every move of the recording, and the times at which something touches or is undecided. */
export interface MovesChecked {
  moves: CheckedMove[];
  spans: CheckedSpan[];
  proved: boolean;
  text: string;
}

/** Whether pairs of bodies are tested, and why. */
export interface Why {
  pairs: [string, string, boolean, string][];
  text: string;
}

/** A move, in SI. */
export interface MoveLine {
  robot: string;
  kind: string;
  start: number;
  duration: number;
  profile: string;
  limited: string;
  travel: number[];
  peak_speed: number[];
  hand_path: number;
  singularity: number | null;
  deviation: number | null;
  bound: [number, string, number, number][];
  clearance: number | null;
  nearest: [string, string] | null;
  nearest_at: number | null;
  own: number | null;
  place: string;
}

/** What a robot carries from a time on: kind `load`, `overload` or `load unknown`; figures in kg and N·m. */
export interface LoadLine {
  robot: string;
  time: number;
  kind: string;
  figures: Record<string, number>;
  text: string;
}

/** A program in a shared zone: how often it entered and waited, how long it waited and was inside [s]. */
export interface ZoneLine {
  zone: string;
  program: string;
  entries: number;
  waits: number;
  waited: number;
  longest: number;
  inside: number;
}

/** A fault in a run: what failed, how often it began, and how long it lasted in all [s]. */
export interface FaultLine {
  fault: string;
  of: string;
  does: string;
  times: number;
  lasted: number;
}

/** A cause that took time of a robot [s]: the limit of a joint, other motion, the gripper, a wait or nothing. */
export interface CauseLine {
  kind: string;
  what: string;
  seconds: number;
  joint: number;
  limit: string;
  program: string;
  line: number;
}

/** How a robot spent its time: the causes add up to the duration [s]. */
export interface CycleLine {
  robot: string;
  duration: number;
  causes: CauseLine[];
}

/** A run: its cycle time [s], its moves, the time that each robot was busy [s], and what the robots carried. */
export interface RunReport {
  cycle_time: number;
  moves: MoveLine[];
  busy: Record<string, number>;
  text: string;
  loads: LoadLine[];
  falls: string[];
  zones: ZoneLine[];
  conveyors: string[];
  tracking: string[];
  faults: FaultLine[];
  cycles: CycleLine[];
}

/** The first difference of two recordings, if there is one: its time [s], its kind, and what differs. */
export interface Compared {
  same: boolean;
  text: string;
  time: number | null;
  kind: string;
  device: string;
  joint: number;
  most: number[];
  most_time: number;
}

/** One curve: its name, its unit, and a value for each time; None where there is none. */
export interface SeriesLine {
  name: string;
  unit: string;
  values: (number | null)[];
}

/** Values of a robot over time: times [s], and curves in SI units; for clearance also the nearest pairs. */
export interface Series {
  robot: string;
  quantity: string;
  times: number[];
  lines: SeriesLine[];
  text: string;
  pairs: ([string, string] | null)[];
  start: number;
  end: number;
  sampled: boolean;
}

/** A bar of a Gantt chart: begin and end [s], colour and text; `waits` if it is a wait. */
export interface ChartBar {
  begin: number;
  end: number;
  colour: string;
  text: string;
  waits: boolean;
}

/** A row of a Gantt chart; `curve` has times and values of a sensor that is not only 0 and 1. */
export interface ChartRow {
  label: string;
  robot: boolean;
  bars: ChartBar[];
  curve: [number, number][];
}

/** The rows of the Gantt chart of a recording, what its colours mean, and the stops that concern all rows. */
export interface Chart {
  start: number;
  end: number;
  rows: ChartRow[];
  legend: [string, string][];
  text: string;
  stops: ChartBar[];
}

/** Where bodies would be if a robot had other joint values: names, and x y z [m] with quaternion w x y z of each. */
export interface BodyPoses {
  robot: string;
  joints: number[];
  bodies: string[];
  poses: number[][];
  within_limits: boolean;
  text: string;
  contacts: ContactRow[] | null;
}

/** A body that moves with a link of a robot: the number of its frame, 0 for the base, and its pose in the world. */
export interface Rider {
  body: string;
  frame: number;
  pose: number[];
}

/** The frames of the links of a robot, the base first: position [m] and quaternion wxyz in the world. */
export interface JointFrames {
  robot: string;
  joints: number[];
  poses: number[][];
  riders: Rider[];
  text: string;
}

/** A target or frame: its pose in the world (x y z [m], quaternion w x y z), and the body that carries it. */
export interface PlacePose {
  kind: string;
  name: string;
  pose: number[];
  carrier: string;
  link: number;
}

/** A path: its targets and their positions in the world [m], whether it is a ring, and what carries it. */
export interface PathLine {
  name: string;
  targets: string[];
  points: number[][];
  ring: boolean;
  carrier: string;
  link: number;
}

/** Where targets, frames and paths are now; those that are in no scene are left out. */
export interface PlacePoses {
  places: PlacePose[];
  paths: PathLine[];
  text: string;
}

/** What moves if a thing is placed elsewhere: the thing, its pose as rows, and the bodies and places that follow it. */
export interface MovedWith {
  thing: string;
  kind: string;
  pose: number[][];
  bodies: string[];
  places: string[];
  carrier: string;
  refusal: string;
  text: string;
}

/** What was removed from a cell, with its text. */
export interface Compact {
  steps: number;
  states: number;
  undone: number;
  files: number;
  before: number;
  after: number;
  undoable: number;
  recording: boolean;
}

/** A view of the cell; what it does not say is None: points [m], angles [rad], names. */
export interface ViewRow {
  name: string;
  eye: [number, number, number] | null;
  target: [number, number, number];
  side: string;
  projection: string;
  zoom: number;
  surfaces: string;
  edges: string;
  shadows: boolean;
  grid: boolean;
  axes: boolean;
  cut: [number, number, number] | null;
  along: [number, number, number] | null;
  shows: string[] | null;
  hides: string[];
  views: string[];
  twist: number;
  near: number;
}

/** The views of the cell. */
export interface ViewRows {
  views: ViewRow[];
  text: string;
}

/** A lamp in the scene: its brightness (1 is normal), whether it has no direction, its colour, where it is [m]. */
export interface LampRow {
  name: string;
  brightness: number;
  ambient: boolean;
  colour: [number, number, number];
  position: [number, number, number];
  aim: [number, number, number] | null;
}

/** The lamps in the scene. */
export interface Lamps {
  lamps: LampRow[];
  text: string;
}

/** A parameter or flag of a command: as its syntax shows it, its type, and what it is. */
export interface ParameterFacts {
  shown: string;
  label: string;
  meaning: string;
}

/** A command as the reference has it; `family` is a title, `prepared` are lines before the examples. */
export interface CommandFacts {
  name: string;
  syntax: string;
  family: string;
  effect: string;
  help: string;
  details: string;
  parameters: ParameterFacts[];
  prepared: string[];
  examples: string[];
}

/** Commands with their declarations. */
export interface Reference {
  commands: CommandFacts[];
}

/** The parameters and the result of each command; they type `call`. */
export interface Commands {
  /** make a block, empty or with a shape */
  "create block": {
    parameters: {
      name: string;
      shape?: string;
      colour?: string;
      description?: string;
    };
    result: Made;
  };
  /** make an object: a rigid thing made of blocks and of other objects */
  "create object": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a scene: what stands in the cell, and where */
  "create scene": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a mechanism: a rail, positioner, conveyor or other device with joints */
  "create mechanism": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a gripper: a hand that opens and closes */
  "create gripper": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a frame: a named coordinate frame */
  "create frame": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a grasp: how an object is held */
  "create grasp": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a target: a pose that a program goes to */
  "create target": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a path: targets in order */
  "create path": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a program: commands that robots carry out */
  "create program": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a task: programs that run one after the other */
  "create task": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a zone: a volume that robots keep out of, in which they slow down, or that programs share */
  "create zone": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a signal: a value that programs share */
  "create signal": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a fault: something that goes wrong in a run */
  "create fault": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a sensor: a signal that the cell itself sets, by what it senses */
  "create sensor": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a material: what a part is made of */
  "create material": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a view: a camera and what it shows */
  "create view": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a light: a lamp */
  "create light": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a colour: a named colour */
  "create colour": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a block and an object of a shape, and place the object in the scene */
  "add solid": {
    parameters: {
      name: string;
      shape: string;
      pose?: string;
      colour?: string;
      movable?: boolean;
      ghost?: boolean;
    };
    result: Made;
  };
  /** make a relation: the parent gets the child as a part */
  "attach": {
    parameters: {
      child: string;
      parent: string;
      name?: string;
      link?: number;
      transform?: string;
    };
    result: Made;
  };
  /** remove a relation; both entities stay */
  "detach": {
    parameters: {
      relation: string;
    };
    result: Done;
  };
  /** copy an entity and its relations */
  "copy": {
    parameters: {
      entity: string;
      name: string;
      transform?: string;
      deep?: boolean;
      targets?: boolean;
      tools?: boolean;
      pairs?: boolean;
    };
    result: Made;
  };
  /** put something into the scene, or move it to another place there */
  "place": {
    parameters: {
      thing: string;
      pose: string;
      scene?: string;
      others?: (string)[];
      leave_targets?: boolean;
      hanging?: boolean;
    };
    result: Done;
  };
  /** shift and turn something in the scene from where it is */
  "offset": {
    parameters: {
      thing: string;
      by: string;
      frame?: "own" | "world";
    };
    result: Done;
  };
  /** return objects to where they were attached, or to their initial places */
  "send-home": {
    parameters: {
      thing: string;
      others?: (string)[];
    };
    result: Done;
  };
  /** make one rigid object of several objects, as they stand now */
  "compose": {
    parameters: {
      name: string;
      parts?: (string)[];
      remove_parts?: boolean;
    };
    result: Made;
  };
  /** make one solid object as the union, difference or intersection of objects, as they stand now */
  "merge": {
    parameters: {
      name: string;
      operation: "union" | "difference" | "intersection";
      things?: (string)[];
      keep_parts?: boolean;
    };
    result: Made;
  };
  /** remove entities that nothing uses */
  "remove": {
    parameters: {
      entity: string;
      others?: (string)[];
      deep?: boolean;
      keep_children?: boolean;
    };
    result: Removed;
  };
  /** change a field of an entity or relation */
  "modify": {
    parameters: {
      thing: string;
      field: string;
      value: string;
    };
    result: Done;
  };
  /** give an entity or relation a property of its own */
  "add property": {
    parameters: {
      property: string;
      thing: string;
      value?: string;
    };
    result: Done;
  };
  /** remove a property of an entity or relation */
  "drop property": {
    parameters: {
      property: string;
      thing: string;
    };
    result: Done;
  };
  /** show an entity or relation: in one line, with all its facts, or as a tree of its parts */
  "show": {
    parameters: {
      thing: string;
      detail?: "brief" | "full" | "tree";
    };
    result: Shown | Line;
  };
  /** show where something is now, and what carries it */
  "where": {
    parameters: {
      thing: string;
    };
    result: Whereabouts;
  };
  /** list the entities of one kind, or of all kinds */
  "list": {
    parameters: {
      kind?: "surface" | "curve" | "block" | "object" | "scene" | "robot" | "mechanism" | "tool" | "gripper" | "frame" | "grasp" | "target" | "path" | "program" | "task" | "zone" | "signal" | "fault" | "sensor" | "machine" | "station" | "material" | "view" | "light" | "colour";
    };
    result: Table;
  };
  /** list the entities for which a condition is true */
  "query": {
    parameters: {
      condition: string;
    };
    result: Table;
  };
  /** list the relations for which a condition is true */
  "query-relations": {
    parameters: {
      condition: string;
    };
    result: Table;
  };
  /** make a flat surface from outer contours and holes */
  "create surface": {
    parameters: {
      name: string;
      contour?: (number[][])[];
      hole?: (number[][])[];
      disc?: (string)[];
      bore?: (string)[];
      description?: string;
    };
    result: Made;
  };
  /** give a surface other contours; solids that use it change with it */
  "reshape surface": {
    parameters: {
      surface: string;
      contour?: (number[][])[];
      hole?: (number[][])[];
      disc?: (string)[];
      bore?: (string)[];
    };
    result: Done;
  };
  /** make a free-form (NURBS) surface from rows of points */
  "create patch": {
    parameters: {
      name: string;
      rows: number[][];
      row?: (number[][])[];
      degrees?: number[];
      weights?: (number[])[];
      through?: boolean;
    };
    result: Made;
  };
  /** move a control point of a free-form surface, or change its weight */
  "reshape patch": {
    parameters: {
      surface: string;
      row: number;
      column: number;
      point?: number[];
      weight?: number;
    };
    result: Done;
  };
  /** make a free-form (NURBS) curve: through points, by control points, or as a line, an arc or a circle */
  "create curve": {
    parameters: {
      name: string;
      points?: number[][];
      control?: number[][];
      line?: number[][];
      arc?: number[][];
      radius?: number;
      centre?: number[];
      axis?: number[];
      start?: number;
      run?: number;
      degree?: number;
      weights?: number[];
      knots?: number[];
      description?: string;
    };
    result: Made;
  };
  /** move a control point of a curve, or change its weight */
  "reshape curve": {
    parameters: {
      curve: string;
      number: number;
      point?: number[];
      weight?: number;
    };
    result: Done;
  };
  /** reverse the direction of a curve */
  "reverse curve": {
    parameters: {
      curve: string;
    };
    result: Done;
  };
  /** connect the end of a curve or patch with the start of another, tangent to both */
  "blend": {
    parameters: {
      name: string;
      first: string;
      second: string;
      tension?: number;
    };
    result: Made;
  };
  /** make a free-form surface from the straight lines between two curves */
  "create ruled": {
    parameters: {
      name: string;
      first: string;
      second: string;
    };
    result: Made;
  };
  /** join curves that lie end to end into one new curve */
  "join curves": {
    parameters: {
      name: string;
      first: string;
      second: string;
      more?: (string)[];
    };
    result: Made;
  };
  /** show the point of a curve or patch at parameters, with the derivatives there */
  "evaluate": {
    parameters: {
      thing: string;
      parameters: number[];
      order?: number;
    };
    result: Evaluated;
  };
  /** show the control points of a curve or patch, its knots, and the box that bounds it */
  "control-points": {
    parameters: {
      thing: string;
    };
    result: Net;
  };
  /** insert a knot into a curve or patch; its shape stays, and it gets more control points */
  "insert knot": {
    parameters: {
      thing: string;
      at: number;
      along?: "u" | "v";
      times?: number;
    };
    result: Done;
  };
  /** raise the degree of a curve or patch; its shape stays, and it gets more control points */
  "elevate degree": {
    parameters: {
      thing: string;
      times?: number;
      along?: "u" | "v";
    };
    result: Done;
  };
  /** insert a knot in the middle of every span; the shape stays */
  "subdivide": {
    parameters: {
      thing: string;
      along?: "u" | "v";
    };
    result: Done;
  };
  /** make two curves or patches from one, before and after a parameter */
  "split": {
    parameters: {
      thing: string;
      first: string;
      second: string;
      at?: number;
      along?: "u" | "v";
    };
    result: Done;
  };
  /** make a curve on a patch at a constant u or v */
  "create isocurve": {
    parameters: {
      name: string;
      surface: string;
      u?: number;
      v?: number;
    };
    result: Made;
  };
  /** keep a part of a patch, bounded by contours in its parameters u and v */
  "trim patch": {
    parameters: {
      surface: string;
      contour?: (number[][])[];
      hole?: (number[][])[];
      disc?: (string)[];
      bore?: (string)[];
    };
    result: Done;
  };
  /** make a faceted cylinder */
  "facet cylinder": {
    parameters: {
      name: string;
      prefix?: string;
      colour?: string;
      radius: number;
      height: number;
      facets: number;
      patch?: string;
    };
    result: Faceted;
  };
  /** make a faceted cone */
  "facet cone": {
    parameters: {
      name: string;
      prefix?: string;
      colour?: string;
      radius: number;
      height: number;
      facets: number;
    };
    result: Faceted;
  };
  /** make a faceted truncated cone */
  "facet truncated-cone": {
    parameters: {
      name: string;
      prefix?: string;
      colour?: string;
      top: number;
      bottom: number;
      height: number;
      facets: number;
    };
    result: Faceted;
  };
  /** make a faceted sphere */
  "facet sphere": {
    parameters: {
      name: string;
      prefix?: string;
      colour?: string;
      radius: number;
      faces: number;
      slices: number;
    };
    result: Faceted;
  };
  /** make a faceted ellipsoid */
  "facet ellipsoid": {
    parameters: {
      name: string;
      prefix?: string;
      colour?: string;
      a: number;
      b: number;
      c: number;
      faces: number;
      slices: number;
    };
    result: Faceted;
  };
  /** make a faceted torus */
  "facet torus": {
    parameters: {
      name: string;
      prefix?: string;
      colour?: string;
      ring: number;
      tube: number;
      segments: number;
      sides: number;
    };
    result: Faceted;
  };
  /** make a faceted block by moving a surface with straight edges along z */
  "facet extrusion": {
    parameters: {
      name: string;
      surface: string;
      height: number;
      prefix?: string;
      patch?: string;
      colour?: string;
    };
    result: Faceted;
  };
  /** make a faceted block by turning a profile with straight edges about the z axis */
  "facet revolution": {
    parameters: {
      name: string;
      surface: string;
      facets: number;
      prefix?: string;
      colour?: string;
    };
    result: Faceted;
  };
  /** make a block as the union, difference or intersection of blocks */
  "combine": {
    parameters: {
      name: string;
      operation: "union" | "difference" | "intersection";
      first: string;
      second: string;
      more?: (string)[];
      colour?: string;
      fast?: boolean;
    };
    result: Made;
  };
  /** make a block by moving a surface along z or along a vector */
  "extrude": {
    parameters: {
      name: string;
      surface: string;
      height?: number;
      vector?: number[];
      transform?: string;
      colour?: string;
    };
    result: Made;
  };
  /** make a block by turning a surface about an axis */
  "revolve": {
    parameters: {
      name: string;
      surface: string;
      angle?: number;
      point?: number[];
      direction?: number[];
      transform?: string;
      colour?: string;
    };
    result: Made;
  };
  /** make a block by moving a surface along a curve */
  "sweep": {
    parameters: {
      name: string;
      surface: string;
      points?: number[][];
      control?: number[][];
      path?: number[][];
      curve?: string;
      bend?: number;
      direction?: number[];
      twist?: number;
      scales?: number[];
      directions?: number[][];
      factors?: number[][];
      transform?: string;
      colour?: string;
    };
    result: Made;
  };
  /** change the parameters of a block that was combined, extruded, revolved or swept */
  "reshape block": {
    parameters: {
      block: string;
      operation?: "union" | "difference" | "intersection";
      height?: number;
      vector?: number[];
      angle?: number;
      point?: number[];
      direction?: number[];
      points?: number[][];
      control?: number[][];
      path?: number[][];
      bend?: number;
      twist?: number;
      scales?: number[];
      way?: number[];
      directions?: number[][];
      factors?: number[][];
    };
    result: Done;
  };
  /** check contours and holes without making a surface of them */
  "check sketch": {
    parameters: {
      contour?: (number[][])[];
      hole?: (number[][])[];
      disc?: (string)[];
      bore?: (string)[];
    };
    result: Done;
  };
  /** list the sketches that a block or object is made of, with their contours */
  "sketches": {
    parameters: {
      thing: string;
    };
    result: SketchList;
  };
  /** list the named shapes that a block or object is made of, with their sizes */
  "sizes": {
    parameters: {
      thing: string;
    };
    result: SizeList;
  };
  /** give the shape of an object or zone that `resize` can change, and where it is */
  "size-grips": {
    parameters: {
      thing: string;
    };
    result: SizeGrips;
  };
  /** give an object or zone of one named shape other sizes, and another place */
  "resize": {
    parameters: {
      thing: string;
      shape: string;
      pose?: string;
    };
    result: Done;
  };
  /** list surfaces, blocks, objects, tools and robots that stand nowhere and are part of nothing */
  "loose": {
    parameters: {
      known?: string;
    };
    result: LooseThings;
  };
  /** give the shapes of what stands nowhere and is part of nothing, for drawing */
  "loose-shapes": {
    parameters: {
      thing?: string;
      known?: string;
    };
    result: LooseShapeRows;
  };
  /** show volume, area, centroid, mass and inertia of a block, object or scene */
  "measure": {
    parameters: {
      thing: string;
    };
    result: Measured;
  };
  /** check whether solids are closed, oriented and free of self-intersections */
  "check solid": {
    parameters: {
      thing: string;
    };
    result: Checked;
  };
  /** keep the CAD kernel busy for some time, to test that other commands do not wait for it */
  "exercise-kernel": {
    parameters: {
      seconds: number;
    };
    result: Done;
  };
  /** list the faces of a block or object with name, kind, centre and normal */
  "faces": {
    parameters: {
      thing: string;
    };
    result: FaceList;
  };
  /** put a face of an object on a face of another object, which then carries it */
  "face attach": {
    parameters: {
      child: string;
      face: string;
      base: string;
      base_face: string;
      transform?: string;
    };
    result: Done;
  };
  /** detach an object from the face that it stands on; it stays where it is */
  "face detach": {
    parameters: {
      child: string;
    };
    result: Done;
  };
  /** show on which face an object stands, and what stands on its faces */
  "face show": {
    parameters: {
      thing: string;
    };
    result: FaceTies;
  };
  /** give where `face attach` would put an object; nothing moves */
  "face-pose": {
    parameters: {
      child: string;
      face: string;
      base: string;
      base_face: string;
    };
    result: FacePose;
  };
  /** list what stands on which face, and report faces that no longer exist */
  "check faces": {
    parameters: {
    };
    result: Done;
  };
  /** make a block from a STEP, STL, OBJ, glTF or COLLADA file, and an object in the scene if a place is given */
  "import solid": {
    parameters: {
      name: string;
      file: string;
      unit?: "mm" | "cm" | "m" | "um" | "inch" | "ft";
      pose?: string;
      point?: number[];
      colour?: string;
      beside?: boolean;
      repair?: boolean;
    };
    result: Done;
  };
  /** repair a mesh: close its holes, remove duplicate triangles, and turn those that face inwards */
  "repair": {
    parameters: {
      block: string;
    };
    result: Done;
  };
  /** write a block, an object or the objects of a scene to a STEP, STL, OBJ or glTF file */
  "export solid": {
    parameters: {
      thing: string;
      file: string;
      unit?: "mm" | "cm" | "m" | "um" | "inch" | "ft";
      tolerance?: number;
      ascii?: boolean;
      inexact?: boolean;
      replace?: boolean;
    };
    result: Done;
  };
  /** make an object from a STEP, glTF or COLLADA file, with the tree, names, colours and places of its parts */
  "import assembly": {
    parameters: {
      name: string;
      file: string;
      pose?: string;
      point?: number[];
      beside?: boolean;
      repair?: boolean;
    };
    result: Done;
  };
  /** show which command reads a file into the cell */
  "import-way": {
    parameters: {
      file: string;
    };
    result: ImportWay;
  };
  /** put a robot of the library, or one from a descriptor, into the scene */
  "create robot": {
    parameters: {
      name: string;
      model: string;
      lengths?: (number | [number, number])[];
      pose?: string;
      joints?: number[];
    };
    result: Made;
  };
  /** list the robots of the library */
  "robots": {
    parameters: {
    };
    result: RobotLibrary;
  };
  /** begin a robot from nothing, with a number of joints */
  "draft robot": {
    parameters: {
      name: string;
      joints: number;
    };
    result: Made;
  };
  /** choose the frame of a joint from the orientation table */
  "draft frame": {
    parameters: {
      robot: string;
      code: number;
    };
    result: Done;
  };
  /** list the joint frames that `draft frame` can choose */
  "orientation-table": {
    parameters: {
    };
    result: Done;
  };
  /** give the frame of a joint by its home angle and twist, instead of a code */
  "draft turn": {
    parameters: {
      robot: string;
      joint: number;
      theta: number;
      alpha: number;
    };
    result: Done;
  };
  /** give the offset of a joint and the length of its link */
  "draft lengths": {
    parameters: {
      robot: string;
      joint: number;
      d: number;
      a: number;
    };
    result: Done;
  };
  /** give the range of a revolute joint */
  "draft limits": {
    parameters: {
      robot: string;
      joint: number;
      low: number;
      high: number;
    };
    result: Done;
  };
  /** make a joint prismatic, and give its range */
  "draft slide": {
    parameters: {
      robot: string;
      joint: number;
      low: number;
      high: number;
    };
    result: Done;
  };
  /** list what a draft lacks, or show the DH table of a finished robot */
  "check robot": {
    parameters: {
      robot: string;
    };
    result: Done;
  };
  /** make a robot from a complete draft and put it into the scene */
  "finish robot": {
    parameters: {
      robot: string;
      pose?: string;
    };
    result: Done;
  };
  /** give a link of a robot a block or object of the cell as its shape, instead of its own shape */
  "assign link": {
    parameters: {
      robot: string;
      number: number;
      solid: string;
      transform?: string;
    };
    result: Done;
  };
  /** mount a robot on a link of another robot or mechanism */
  "mount": {
    parameters: {
      robot: string;
      carrier: string;
      number?: number;
      pose?: string;
    };
    result: Done;
  };
  /** take a robot off its carrier and put it into the scene */
  "unmount": {
    parameters: {
      robot: string;
      pose?: string;
    };
    result: Done;
  };
  /** list the robots that are not finished */
  "drafts": {
    parameters: {
    };
    result: DraftList;
  };
  /** show the rows of a draft, with what each lacks */
  "draft-table": {
    parameters: {
      robot: string;
    };
    result: DraftTable;
  };
  /** begin a draft with the rows and limits of a finished robot */
  "draft copy": {
    parameters: {
      name: string;
      robot: string;
    };
    result: Made;
  };
  /** put a joint frame on an object that will be a link of a robot; z is the axis of the joint */
  "add joint": {
    parameters: {
      place: "i" | "i+1";
      kind: "revolute" | "prismatic" | "fixed";
      link: string;
      pose?: string;
      face?: string;
      turns?: number[];
      travel?: number[];
    };
    result: Made;
  };
  /** list the joint frames of all objects, which `assemble robot` can join */
  "link-joints": {
    parameters: {
    };
    result: LinkJoints;
  };
  /** show the DH parameters of a link from its two joint frames, and check the frames */
  "check joints": {
    parameters: {
      link: string;
    };
    result: LinkParameters;
  };
  /** make a robot from objects with joint frames: joint i of each object sits on joint i+1 of the one before */
  "assemble robot": {
    parameters: {
      name: string;
      links?: (string)[];
      pose?: string;
      take_out?: boolean;
    };
    result: Done;
  };
  /** make a robot from link files of ROBOSIM, the base first */
  "import links": {
    parameters: {
      name: string;
      files?: (string)[];
      unit?: "mm" | "cm" | "m" | "um" | "inch" | "ft";
      pose?: string;
    };
    result: ImportedLinks;
  };
  /** write a robot as ROBOSIM link files: FILE.0 is the base, FILE.1 the first link, and so on */
  "export links": {
    parameters: {
      robot: string;
      file: string;
      unit?: "mm" | "cm" | "m" | "um" | "inch" | "ft";
      replace?: boolean;
    };
    result: Done;
  };
  /** write an object with its joint frames as a link file of ROBOSIM */
  "export link": {
    parameters: {
      link: string;
      file: string;
      unit?: "mm" | "cm" | "m" | "um" | "inch" | "ft";
      replace?: boolean;
    };
    result: Done;
  };
  /** read a robot from a file: URDF with its meshes, Ding's WLD, or a Workcell robot file */
  "import robot": {
    parameters: {
      name: string;
      file: string;
      pose?: string;
      beside?: boolean;
      unknown_shapes?: boolean;
    };
    result: ImportedRobot;
  };
  /** write a robot to a file: .urdf with its meshes beside it, .zip of both, .wld or .toml */
  "export robot": {
    parameters: {
      robot: string;
      file: string;
      replace?: boolean;
    };
    result: Done;
  };
  /** read one of Ding's work cell files: its robots, objects and target points */
  "import world": {
    parameters: {
      file: string;
      prefix?: string;
      pose?: string;
    };
    result: ImportedWorld;
  };
  /** write robots, objects and targets to one of Ding's work cell files (.wld) */
  "export world": {
    parameters: {
      file: string;
      scene?: string;
      replace?: boolean;
    };
    result: Done;
  };
  /** run ROBOSIM source, and make objects and robots of what it stores */
  "import robosim": {
    parameters: {
      file: string;
      prefix?: string;
      unit?: "mm" | "cm" | "m" | "um" | "inch" | "ft";
      pose?: string;
    };
    result: ImportedSource;
  };
  /** write a block, object, robot or scene as ROBOSIM source */
  "export robosim": {
    parameters: {
      thing: string;
      file: string;
      unit?: "mm" | "cm" | "m" | "um" | "inch" | "ft";
      tolerance?: number;
      links?: boolean;
      replace?: boolean;
    };
    result: Done;
  };
  /** make a program of a file in the Agent language */
  "import agent": {
    parameters: {
      name: string;
      file: string;
    };
    result: ImportedAgent;
  };
  /** make a program of steps from a program of Agent lines */
  "agent-steps": {
    parameters: {
      program: string;
      name: string;
    };
    result: ImportedAgent;
  };
  /** replace a robot by another arm, and list the targets, moves, pairs and loads that no longer fit */
  "replace robot": {
    parameters: {
      robot: string;
      model: string;
    };
    result: Replaced;
  };
  /** put a rail into the scene; robots can be mounted on its carriage */
  "add rail": {
    parameters: {
      name: string;
      length: number;
      pose?: string;
    };
    result: Made;
  };
  /** put a tilting turntable into the scene; parts can be attached to its plate */
  "add positioner": {
    parameters: {
      name: string;
      pose?: string;
    };
    result: Made;
  };
  /** put a gantry with three sliding axes into the scene; an arm can hang from its column */
  "add gantry": {
    parameters: {
      name: string;
      length: number;
      width: number;
      height: number;
      drop?: number;
      pose?: string;
    };
    result: Made;
  };
  /** put a conveyor belt into the scene; parts that lie on it can ride along */
  "add conveyor": {
    parameters: {
      name: string;
      length: number;
      pose?: string;
    };
    result: Made;
  };
  /** put a slide into the scene, on which parts move down from a belt */
  "add slide": {
    parameters: {
      name: string;
      length: number;
      drop: number;
      speed?: number;
      pose?: string;
    };
    result: Made;
  };
  /** fit a tool to the flange of a robot; its TCP becomes the tool frame of the robot */
  "fit tool": {
    parameters: {
      tool: string;
      robot: string;
      pose?: string;
    };
    result: Done;
  };
  /** remove the tool or gripper from the flange of a robot */
  "take-off": {
    parameters: {
      robot: string;
    };
    result: Done;
  };
  /** mount the gripper that belongs to a robot again, after `take-off` */
  "put-back": {
    parameters: {
      robot: string;
    };
    result: Done;
  };
  /** make a tool from the library, or an empty one */
  "create tool": {
    parameters: {
      name: string;
      model?: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** list the tools of the library */
  "tools": {
    parameters: {
    };
    result: Table;
  };
  /** make a path of targets along the edge where two faces of an object meet */
  "targets along-edge": {
    parameters: {
      thing: string;
      first: string;
      second: string;
      path: string;
      spacing?: number;
      places?: number[];
      start?: number;
      end?: number;
      piece?: number;
      approach?: "between" | "first" | "second";
      tilt?: number;
      side?: number;
      roll?: number;
      gap?: number;
      gaps?: number[];
      even?: boolean;
      backward?: boolean;
    };
    result: Targets;
  };
  /** make a path of targets along a curve */
  "targets along-curve": {
    parameters: {
      path: string;
      normal: number[];
      curve?: string;
      points?: number[][];
      control?: number[][];
      thing?: string;
      spacing?: number;
      places?: number[];
      start?: number;
      end?: number;
      tilt?: number;
      side?: number;
      roll?: number;
      gap?: number;
      even?: boolean;
      backward?: boolean;
    };
    result: Targets;
  };
  /** make a path of targets in rows over a face */
  "targets over-face": {
    parameters: {
      thing: string;
      face: string;
      path: string;
      row: number;
      spacing: number;
      margin?: number;
      angle?: number;
      along?: "u" | "v";
      retract?: number;
      tilt?: number;
      side?: number;
      roll?: number;
      gap?: number;
      one_way?: boolean;
    };
    result: Targets;
  };
  /** list the targets of a path, with their current positions in the world */
  "targets of": {
    parameters: {
      path: string;
    };
    result: Table;
  };
  /** make a grid of targets, in one or several layers */
  "targets grid": {
    parameters: {
      size: string;
      path: string;
      pitch: number[];
      thing?: string;
      link?: number;
      pose?: string;
      stagger?: number;
      turn?: number;
      zigzag?: boolean;
    };
    result: Targets;
  };
  /** make a path of targets as the mirror image of another */
  "targets mirror": {
    parameters: {
      path: string;
      name: string;
      normal: number[];
      point?: number[];
    };
    result: Targets;
  };
  /** show where the targets of a command would be, without making them */
  "targets preview": {
    parameters: {
      line: string;
    };
    result: ShownTargets;
  };
  /** make a target; append it to a path, or hang it on a thing */
  "add target": {
    parameters: {
      name: string;
      pose: string;
      path?: string;
      thing?: string;
      link?: number;
    };
    result: Made;
  };
  /** make a frame, in the world or on a thing */
  "add frame": {
    parameters: {
      name: string;
      pose: string;
      thing?: string;
      link?: number;
    };
    result: Made;
  };
  /** move a target to another place in the order of its path */
  "targets reorder": {
    parameters: {
      path: string;
      number: number;
      place: number;
    };
    result: Done;
  };
  /** make a target the last of a path, where it is */
  "targets append": {
    parameters: {
      target: string;
      path: string;
    };
    result: Done;
  };
  /** take a target out of a path; it stays where it is */
  "targets leave": {
    parameters: {
      path: string;
      number: number;
    };
    result: Done;
  };
  /** make a target where the hand of a robot is, with its joint values and its branch */
  "learn target": {
    parameters: {
      name: string;
      robot?: string;
      point?: "tool" | "grip";
      path?: string;
      thing?: string;
      link?: number;
      joints?: number[];
      pose?: string;
    };
    result: Learned;
  };
  /** move a target to where the hand of a robot is, and store the joint values and the branch */
  "touch-up": {
    parameters: {
      target: string;
      robot?: string;
      point?: "tool" | "grip";
      joints?: number[];
      pose?: string;
    };
    result: Learned;
  };
  /** list which robots reach which targets now and, if not, why */
  "check targets": {
    parameters: {
      path?: string;
      robot?: string;
      point?: "tool" | "grip";
    };
    result: ReachChecked;
  };
  /** show where the tool and every link frame are, now or at given joint values */
  "fk": {
    parameters: {
      robot: string;
      joints?: number[];
      frame?: "world" | "base";
    };
    result: Frames;
  };
  /** list every way to bring the tool to a pose; if there is none, explain why */
  "ik": {
    parameters: {
      robot: string;
      pose: string;
      frame?: "world" | "base";
      contacts?: boolean;
    };
    result: Solutions;
  };
  /** show the geometric Jacobian, the manipulability, the condition number and the distance to each singularity */
  "jacobian": {
    parameters: {
      robot: string;
      joints?: number[];
    };
    result: Motion;
  };
  /** show how far the tool reaches within the joint limits, and the volume of the work envelope */
  "reach": {
    parameters: {
      robot: string;
    };
    result: Reach;
  };
  /** put the work envelope of a robot into the scene, as a ghost or as a zone */
  "add envelope": {
    parameters: {
      name: string;
      robot: string;
      kind?: "ghost" | "zone";
    };
    result: Made;
  };
  /** show the DH parameters of a link from its two joint frames, and check the frames */
  "dh-between": {
    parameters: {
      first: string;
      second: string;
    };
    result: LinkParameters;
  };
  /** list the joint values along a path that stay on one branch, without a jump */
  "branches": {
    parameters: {
      robot: string;
      path: string;
      step?: number;
    };
    result: Branches;
  };
  /** write the DH parameters, the matrix of each joint and the pose of the hand to a file, in Ding's format */
  "export direct-kinematics": {
    parameters: {
      robot: string;
      file: string;
      joints?: number[];
      replace?: boolean;
    };
    result: Done;
  };
  /** write every way to reach a pose, or each target of a path, to a file, in Ding's format */
  "export inverse-kinematics": {
    parameters: {
      robot: string;
      file: string;
      pose?: string;
      path?: string;
      frame?: "world" | "base";
      replace?: boolean;
    };
    result: Done;
  };
  /** compare a result file with the kinematics of a robot */
  "check kinematics": {
    parameters: {
      file: string;
      robot: string;
    };
    result: CheckedKinematics;
  };
  /** move all joints of a robot by given amounts */
  "move-joints-relative": {
    parameters: {
      robot: string;
      joints: number[];
      profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
    };
    result: Moved;
  };
  /** move all joints of a robot to given values */
  "move-joints-absolute": {
    parameters: {
      robot: string;
      joints: number[];
      profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
    };
    result: Moved;
  };
  /** set the joints of a robot to given values at once, without a motion */
  "set joints": {
    parameters: {
      robot: string;
      joints: number[];
    };
    result: Done;
  };
  /** set the speed of later moves, as the speed of the joint that moves most */
  "speed": {
    parameters: {
      robot: string;
      speed: number;
    };
    result: Done;
  };
  /** choose the speed profile of later moves */
  "profile": {
    parameters: {
      robot: string;
      profile: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
    };
    result: Done;
  };
  /** choose the branch of inverse kinematics for moves of the hand */
  "branch": {
    parameters: {
      robot: string;
      branch: string;
    };
    result: Done;
  };
  /** set the value of a signal */
  "set-signal": {
    parameters: {
      signal: string;
      value: number;
    };
    result: Done;
  };
  /** wait until a signal has a value */
  "wait-for": {
    parameters: {
      signal: string;
      value?: number;
    };
    result: Done;
  };
  /** let simulated time pass */
  "wait": {
    parameters: {
      seconds: number;
    };
    result: Done;
  };
  /** choose how motions are simulated */
  "mode": {
    parameters: {
      mode: "joint-by-joint" | "path" | "playback";
    };
    result: Done;
  };
  /** set how far the joint that moves most goes between two recorded samples */
  "step": {
    parameters: {
      angle: number;
    };
    result: Done;
  };
  /** test for collisions while something moves, and stop before one */
  "watch": {
    parameters: {
      how: "yes" | "no" | "certified";
      allow_undecided?: boolean;
    };
    result: Done;
  };
  /** return everything to the initial state, and the clock to zero */
  "reset": {
    parameters: {
    };
    result: Done;
  };
  /** make the current state the initial state */
  "keep state": {
    parameters: {
    };
    result: Done;
  };
  /** move the hand to a pose; the joints go directly there */
  "move-end-effector": {
    parameters: {
      robot: string;
      pose: string;
      branch?: string;
      near?: number[];
      profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
      point?: "tool" | "grip";
      on?: string;
      when?: number;
      axes?: string;
      work?: string;
    };
    result: Moved;
  };
  /** move the hand to a pose in a straight line */
  "move-straight-line": {
    parameters: {
      robot: string;
      pose: string;
      orientation?: "interpolate" | "keep";
      tolerance?: number;
      step?: number;
      speed?: number;
      profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
      point?: "tool" | "grip";
      on?: string;
      when?: number;
      axes?: string;
      work?: string;
    };
    result: Moved;
  };
  /** move the hand to a pose on the circle through a point */
  "move-circular": {
    parameters: {
      robot: string;
      via: string;
      pose: string;
      orientation?: "interpolate" | "keep" | "via";
      speed?: number;
      profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
      point?: "tool" | "grip";
      axes?: string;
      work?: string;
    };
    result: Moved;
  };
  /** move the hand straight from pose to pose, with rounded corners */
  "move-path": {
    parameters: {
      robot: string;
      poses?: (string)[];
      radius?: number;
      orientation?: "interpolate" | "keep";
      speed?: number;
      profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
      point?: "tool" | "grip";
      axes?: string;
      work?: string;
    };
    result: Moved;
  };
  /** shift and turn the hand from where it is, in a straight line */
  "move-hand": {
    parameters: {
      robot: string;
      by: string;
      frame?: "hand" | "world";
      speed?: number;
      profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
      point?: "tool" | "grip";
      axes?: string;
      work?: string;
    };
    result: Moved;
  };
  /** show the hand of a robot: its grip point, its opening, what it holds and its branch */
  "hand": {
    parameters: {
      robot: string;
    };
    result: HandNow;
  };
  /** set the joints of a robot at once so that its hand is at a pose, without a motion */
  "set hand": {
    parameters: {
      robot: string;
      pose: string;
      branch?: string;
      point?: "tool" | "grip";
      untested?: boolean;
    };
    result: Done;
  };
  /** show the branch of inverse kinematics that a robot is in, and those that it could be in here */
  "solutions": {
    parameters: {
      robot: string;
    };
    result: Standing;
  };
  /** set the change of a joint above which the rule `agent` takes the roomiest branch */
  "large-move-limit": {
    parameters: {
      angle: number;
    };
    result: Done;
  };
  /** store the joint values of a robot under a name */
  "record-position": {
    parameters: {
      name: string;
      robot: string;
      joints?: number[];
    };
    result: Done;
  };
  /** remove a position */
  "forget-position": {
    parameters: {
      name: string;
    };
    result: Done;
  };
  /** list the positions of the cell */
  "positions": {
    parameters: {
    };
    result: Positions;
  };
  /** write all positions to a text file */
  "save-positions": {
    parameters: {
      file: string;
      replace?: boolean;
    };
    result: Done;
  };
  /** read positions from a text file; those of the same names are replaced */
  "load-positions": {
    parameters: {
      file: string;
    };
    result: Done;
  };
  /** bring a robot to a goal by a path that touches nothing */
  "find-path": {
    parameters: {
      robot: string;
      joints?: number[];
      poses?: (string)[];
      free?: "x" | "y" | "z" | "rx" | "ry" | "rz" | "turn";
      tolerance?: number;
      low?: string;
      high?: string;
      seed?: number;
      budget?: number;
      planner?: string;
      touching?: string;
      upright?: number;
      plane?: string;
      line?: string;
      surface?: string;
      point?: "tool" | "grip";
      branch?: string;
      priority?: number;
      one_part?: boolean;
      beside?: boolean;
      display_tries?: boolean;
    };
    result: MovedOnPath;
  };
  /** show a path to a goal that touches nothing, without moving */
  "plan-path": {
    parameters: {
      robot: string;
      joints?: number[];
      poses?: (string)[];
      free?: "x" | "y" | "z" | "rx" | "ry" | "rz" | "turn";
      tolerance?: number;
      low?: string;
      high?: string;
      seed?: number;
      budget?: number;
      planner?: string;
      touching?: string;
      upright?: number;
      plane?: string;
      line?: string;
      surface?: string;
      point?: "tool" | "grip";
      branch?: string;
      one_part?: boolean;
      beside?: boolean;
    };
    result: FoundPath;
  };
  /** bring the hand to a pose between obstacles, deciding at every period where to go next */
  "guide": {
    parameters: {
      robot: string;
      pose: string;
      on?: string;
      speed?: number;
      keep?: number;
      tolerance?: number;
      within?: number;
      period?: number;
      ignoring?: string;
      method?: "jacobian" | "thesis";
      resolution?: number;
      gain?: number;
      caution?: number;
      damping?: number;
      point?: "tool" | "grip";
      position?: boolean;
      plan?: boolean;
    };
    result: Guided;
  };
  /** run a program again with other constants of its guided moves, and keep the best ones */
  "learn guide": {
    parameters: {
      program: string;
      tries?: number;
      seed?: number;
      speed?: boolean;
      keep?: boolean;
      dry?: boolean;
    };
    result: GuideLearningLearned;
  };
  /** find the order and the configurations in which a robot visits the targets of a path soonest */
  "plan order": {
    parameters: {
      path: string;
      robot: string;
      program: string;
      approach?: number;
      spin?: number;
      tilt?: number;
      step?: number;
      touching?: string;
      seed?: number;
      one_way?: boolean;
      unproved?: boolean;
    };
    result: Ordered;
  };
  /** replace the transits of a program that touch something by paths that touch nothing */
  "plan program": {
    parameters: {
      program: string;
      dry?: boolean;
    };
    result: PlannedProgram;
  };
  /** show the way of a move of a program, prove that it touches nothing, or find another that does not */
  "plan-step": {
    parameters: {
      program: string;
      line: number;
    };
    result: PlannedStep;
  };
  /** show how a robot can follow a path without touching anything, without moving */
  "plan-along": {
    parameters: {
      path: string;
      robot: string;
      speed?: number;
      spin?: number;
      tilt?: number;
      touching?: string;
    };
    result: PlannedAlong;
  };
  /** start moves or found paths of several robots at the same time, and wait for the slowest */
  "together": {
    parameters: {
      moves: string;
    };
    result: MovedTogether;
  };
  /** find every conflict of programs that run in parallel: what touches, from when to when, on which lines */
  "check together": {
    parameters: {
      programs: string | readonly string[];
    };
    result: CheckedTogether;
  };
  /** let programs take turns where their robots would touch, so that the run that ends soonest is proved free */
  "schedule": {
    parameters: {
      programs: string | readonly string[];
      zone?: string;
    };
    result: Scheduled;
  };
  /** move the joints of a robot along a table of values over time */
  "follow-table": {
    parameters: {
      robot: string;
      file: string;
      joint?: number;
      units?: "radians" | "degrees";
      between?: "cubic" | "linear";
      until_limit?: boolean;
      any_acceleration?: boolean;
    };
    result: Moved;
  };
  /** move a joint of a robot as a function of time */
  "follow-function": {
    parameters: {
      robot: string;
      joint: number;
      function: string;
      duration: number;
      units?: "radians" | "degrees";
      until_limit?: boolean;
      any_acceleration?: boolean;
    };
    result: Moved;
  };
  /** move a free solid in straight lines from pose to pose, or along a path of targets */
  "move-solid": {
    parameters: {
      solid: string;
      poses?: (string)[];
      path?: string;
      radius?: number;
      speed?: number;
      duration?: number;
      acceleration?: number;
    };
    result: Moved;
  };
  /** make a program from its lines, or replace the lines of a program */
  "write program": {
    parameters: {
      name: string;
      text: string;
    };
    result: Done;
  };
  /** find the mistakes of a program or task without running it */
  "check program": {
    parameters: {
      program: string;
      from_present?: boolean;
    };
    result: ProgramsChecked;
  };
  /** rehearse a program or task and list every problem at once */
  "check task": {
    parameters: {
      program: string;
      arguments?: string | readonly string[];
      from_present?: boolean;
    };
    result: Rehearsed;
  };
  /** list the lines of a program with their numbers, or the programs of a task */
  "steps": {
    parameters: {
      program: string;
    };
    result: Table;
  };
  /** write all words of a program in full, and indent its blocks */
  "tidy program": {
    parameters: {
      program: string;
    };
    result: Done;
  };
  /** run a program or task from the initial state, or from the present one */
  "run": {
    parameters: {
      program: string;
      arguments?: string | readonly string[];
      line?: number;
      tables?: string;
      inputs?: string;
      from_present?: boolean;
    };
    result: Ran | RanTogether | Stood;
  };
  /** run programs in parallel from the initial state, or from the present one */
  "run-together": {
    parameters: {
      programs: string | readonly string[];
      arguments?: string | readonly string[];
      line?: number;
      tables?: string;
      inputs?: string;
      from_present?: boolean;
    };
    result: Ran | RanTogether | Stood;
  };
  /** list the lines of a program as typed rows: their blocks, kinds and fields */
  "outline": {
    parameters: {
      program: string;
    };
    result: ProgramOutline;
  };
  /** list the kinds of steps with their fields, and a first line of each for this cell */
  "step-kinds": {
    parameters: {
      program?: string;
      line?: number;
    };
    result: StepKinds;
  };
  /** find the mistakes of lines for a program, without keeping the lines */
  "check draft": {
    parameters: {
      name: string;
      text: string;
    };
    result: ProgramsChecked;
  };
  /** replace the lines of a program, and keep the units of its numbers */
  "edit program": {
    parameters: {
      program: string;
      text: string;
      mark?: string;
    };
    result: StepsEdited;
  };
  /** insert a step before a line of a program */
  "insert-step": {
    parameters: {
      program: string;
      line: number;
      text: string;
      mark?: string;
    };
    result: StepsEdited;
  };
  /** write a line of a program anew */
  "change-step": {
    parameters: {
      program: string;
      line: number;
      text: string;
      mark?: string;
    };
    result: StepsEdited;
  };
  /** set one field of a step of a program */
  "set-step": {
    parameters: {
      program: string;
      line: number;
      field: string;
      value: string;
      mark?: string;
    };
    result: StepsEdited;
  };
  /** move steps of a program, with everything inside them */
  "move-step": {
    parameters: {
      program: string;
      line: number;
      more?: (number)[];
      place: number;
      mark?: string;
    };
    result: StepsEdited;
  };
  /** remove steps of a program, with everything inside them */
  "remove-step": {
    parameters: {
      program: string;
      line: number;
      more?: (number)[];
      mark?: string;
    };
    result: StepsEdited;
  };
  /** put a block, such as a loop or a condition, around steps of a program */
  "enclose-steps": {
    parameters: {
      program: string;
      first: number;
      last: number;
      text: string;
      mark?: string;
    };
    result: StepsEdited;
  };
  /** start a run and pause before its first step */
  "debug": {
    parameters: {
      programs: string | readonly string[];
      arguments?: string | readonly string[];
      line?: number;
      from_present?: boolean;
    };
    result: Stood | Ran | RanTogether;
  };
  /** continue the paused run to the next breakpoint or its end */
  "resume": {
    parameters: {
    };
    result: Stood | Ran | RanTogether;
  };
  /** run one step of the paused run, and pause before the next step of any program */
  "step-into": {
    parameters: {
    };
    result: Stood | Ran | RanTogether;
  };
  /** run one step of the paused run with everything that it calls, and pause before the next step of the same program */
  "step-over": {
    parameters: {
    };
    result: Stood | Ran | RanTogether;
  };
  /** run the rest of the innermost program, and pause before the next step of its caller */
  "step-out": {
    parameters: {
    };
    result: Stood | Ran | RanTogether;
  };
  /** return the paused run to an earlier pause */
  "step-back": {
    parameters: {
      count?: number;
      line?: number;
    };
    result: Stood;
  };
  /** pause a run before its next step */
  "pause": {
    parameters: {
    };
    result: Stood;
  };
  /** return the last run to a time, and pause before the step that was carried out then */
  "pause-at": {
    parameters: {
      time: number;
    };
    result: Stood | Ran | RanTogether;
  };
  /** end the paused run and discard it */
  "stop-run": {
    parameters: {
    };
    result: Done;
  };
  /** list the programs of the paused run: where each one is, who called it, and its variables */
  "run-status": {
    parameters: {
    };
    result: Table;
  };
  /** repeat a run on the cell as it was after a step of the history; for the journal */
  "as-of": {
    parameters: {
      step: number;
      line: string;
    };
    result: Result;
  };
  /** set a breakpoint: runs pause before a line of a program */
  "break": {
    parameters: {
      program: string;
      line: number;
      condition?: string;
    };
    result: Done;
  };
  /** list the breakpoints */
  "breakpoints": {
    parameters: {
    };
    result: Table;
  };
  /** remove breakpoints: one, those of a program, or all */
  "unbreak": {
    parameters: {
      program?: string;
      line?: number;
    };
    result: Done;
  };
  /** save the paused run to a file, to continue it later or in another process */
  "save-run": {
    parameters: {
      file: string;
      replace?: boolean;
    };
    result: Done;
  };
  /** restore a saved run; it is paused where it was */
  "load-run": {
    parameters: {
      file: string;
    };
    result: Stood;
  };
  /** list which lines of programs were carried out when, in the recording */
  "line-times": {
    parameters: {
      program?: string;
    };
    result: RunLines;
  };
  /** list when signals changed in the recording, and their values */
  "signal-times": {
    parameters: {
    };
    result: SignalTimes;
  };
  /** run the current move and later ones at a percentage of their speed, in a run */
  "override": {
    parameters: {
      percent: number;
      device?: string;
    };
    result: Steering;
  };
  /** stop a device on its path as soon as its limits allow, in a run */
  "hold-motion": {
    parameters: {
      device: string;
    };
    result: Steering;
  };
  /** continue a move that is held, in a run */
  "resume-motion": {
    parameters: {
      device: string;
    };
    result: Steering;
  };
  /** stop a device on its path as soon as its limits allow, and abandon its move, in a run */
  "stop-motion": {
    parameters: {
      device: string;
    };
    result: Steering;
  };
  /** stop a device, or everything, as fast as its limits allow, and abandon its move, in a run */
  "emergency-stop": {
    parameters: {
      device?: string;
    };
    result: Steering;
  };
  /** send a robot to other joint values in the middle of a move, in a run */
  "supersede-joints": {
    parameters: {
      robot: string;
      joints: number[];
    };
    result: Steering;
  };
  /** run a conveyor at a speed */
  "run-conveyor": {
    parameters: {
      conveyor: string;
      speed: number;
      reached?: boolean;
    };
    result: Runs;
  };
  /** stop a conveyor as soon as its limits allow */
  "stop-conveyor": {
    parameters: {
      conveyor: string;
      reached?: boolean;
    };
    result: Runs;
  };
  /** put a stop on a belt: parts wait at it while the belt runs on below them */
  "add stop": {
    parameters: {
      name: string;
      conveyor: string;
      place: number;
      signal?: string;
    };
    result: Made;
  };
  /** add a source, which puts copies of an object on a belt one after the other */
  "add source": {
    parameters: {
      name: string;
      part: string;
      conveyor: string;
      place?: number;
      interval?: number;
      spacing?: number;
      count?: number;
      most?: number;
      first?: number;
      seed?: number;
    };
    result: Made;
  };
  /** add a sink, which removes parts at the end of a belt or at a place on it */
  "add sink": {
    parameters: {
      name: string;
      conveyor: string;
      place?: number;
    };
    result: Made;
  };
  /** list the stops, sources and sinks, and what they have done */
  "stations": {
    parameters: {
    };
    result: Table;
  };
  /** run the next program that connects, in a mode of simulation */
  "interpret": {
    parameters: {
      mode: "joint-by-joint" | "path" | "playback";
      scene?: string;
    };
    result: Done;
  };
  /** stop waiting for a program */
  "stop-interpreting": {
    parameters: {
    };
    result: Done;
  };
  /** carry out the Agent lines of a program */
  "run-agent": {
    parameters: {
      program: string;
    };
    result: AgentRan;
  };
  /** find the mistakes of Agent lines without carrying them out */
  "check agent": {
    parameters: {
      text: string;
    };
    result: ProgramsChecked;
  };
  /** list the commands of the Agent language */
  "agent-words": {
    parameters: {
    };
    result: Table;
  };
  /** wait until a shared zone has room, and enter it, in a program */
  "enter-zone": {
    parameters: {
      zone: string;
    };
    result: Done;
  };
  /** leave a shared zone, so that the program that has waited longest can enter, in a program */
  "leave-zone": {
    parameters: {
      zone: string;
    };
    result: Done;
  };
  /** add a fault that occurs in runs: at a time, after some uses, or by chance */
  "add fault": {
    parameters: {
      name: string;
      thing: string;
      does: "stops" | "slow" | "drifts" | "sticks" | "lies" | "slips" | "keeps-open";
      part?: number;
      by?: number[];
      lie?: "constant" | "offset" | "inverse" | "noise";
      value?: number;
      slip?: string;
      at?: number;
      uses?: number;
      chance?: number;
      per_hour?: number;
      lasts?: number;
      seed?: number;
    };
    result: Made;
  };
  /** list the faults of the cell: what fails, when it begins, and its state in the paused run */
  "faults": {
    parameters: {
    };
    result: Table;
  };
  /** begin a fault now, in a run */
  "inject-fault": {
    parameters: {
      fault: string;
    };
    result: Done;
  };
  /** end a fault, in a run */
  "clear-fault": {
    parameters: {
      fault: string;
    };
    result: Done;
  };
  /** connect a robot of the cell to a real one, or to a stand-in */
  "connect robot": {
    parameters: {
      robot: string;
      address: string;
      timeout?: number;
      live?: boolean;
    };
    result: Done;
  };
  /** end the connection to a real robot */
  "disconnect robot": {
    parameters: {
      robot: string;
    };
    result: Done;
  };
  /** bring the model to the joint values of its real robot */
  "read robot": {
    parameters: {
      robot: string;
      joints?: number[];
    };
    result: Done;
  };
  /** let the real robot make the motions that its model made since they last agreed */
  "drive robot": {
    parameters: {
      robot: string;
    };
    result: Driven;
  };
  /** stop the real robot where it is */
  "halt robot": {
    parameters: {
      robot: string;
    };
    result: Done;
  };
  /** move all joints of a robot to their values in the initial state */
  "home": {
    parameters: {
      robot: string;
      profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
    };
    result: Moved;
  };
  /** move the hand to a point before a pose, back along the z axis of the hand */
  "approach": {
    parameters: {
      robot: string;
      pose: string;
      distance: number;
      branch?: string;
      near?: number[];
      profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
      point?: "tool" | "grip";
      axes?: string;
      work?: string;
    };
    result: Moved;
  };
  /** move the hand straight back along its own z axis */
  "retract": {
    parameters: {
      robot: string;
      distance: number;
      speed?: number;
      profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
      point?: "tool" | "grip";
    };
    result: Moved;
  };
  /** record that a process such as welding or gluing is switched on or off */
  "process": {
    parameters: {
      robot: string;
      on: "on" | "off";
      process?: string;
    };
    result: Done;
  };
  /** record a message */
  "message": {
    parameters: {
      text: string;
    };
    result: Done;
  };
  /** round the corners of the paths that follow, in a program */
  "rounding": {
    parameters: {
      robot: string;
      radius: number;
    };
    result: Done;
  };
  /** choose the TCP for the moves that follow, in a program */
  "tool": {
    parameters: {
      robot: string;
      tcp?: string;
    };
    result: Done;
  };
  /** combine robots and mechanisms into a machine, whose joints move in one timing */
  "create machine": {
    parameters: {
      name: string;
      members?: (string)[];
    };
    result: Made;
  };
  /** list the machines, their members, and their current joint values */
  "machines": {
    parameters: {
    };
    result: Table;
  };
  /** let an object move with the last link of a mechanism, from where it is */
  "ride": {
    parameters: {
      part: string;
      mechanism: string;
    };
    result: Done;
  };
  /** weld along a seam with a robot while a positioner keeps the seam level */
  "weld": {
    parameters: {
      robot: string;
      mechanism: string;
      path: string;
      speed: number;
      tolerance?: number;
      approach?: number;
      downhand?: number;
    };
    result: Welded;
  };
  /** move the hand along the targets of a path on a smooth curve */
  "move-along": {
    parameters: {
      robot: string;
      path: string;
      speed: number;
      tolerance?: number;
      approach?: number;
      axes?: string;
      spin?: number;
      tilt?: number;
      touching?: string;
      proved?: boolean;
    };
    result: Moved;
  };
  /** say where and how far open a hand holds a part; the place moves with the part */
  "set grasp": {
    parameters: {
      part: string;
      name?: string;
      pose?: string;
      opening?: number;
      approach?: number;
    };
    result: Done;
  };
  /** list where a part can be held, and how far open the hand is there */
  "grasps": {
    parameters: {
      part: string;
    };
    result: GraspsNow;
  };
  /** set how much farther than needed a hand opens when it moves in to grasp */
  "grasp-gap": {
    parameters: {
      distance: number;
    };
    result: Done;
  };
  /** grip the part between the fingers, or the parts that cups or magnets are on */
  "close-gripper": {
    parameters: {
      robot: string;
      part?: string;
      distance?: number;
      angle?: number;
    };
    result: Taken;
  };
  /** set how far a part may fall when a gripper releases it */
  "allowed-fall": {
    parameters: {
      height: number;
    };
    result: Done;
  };
  /** open the gripper and release what it holds */
  "open-gripper": {
    parameters: {
      robot: string;
      opening?: number;
      on?: string;
      settle?: boolean;
    };
    result: LetGo;
  };
  /** attach a part to a robot as it is */
  "grip": {
    parameters: {
      part: string;
      robot?: string;
      distance?: number;
      angle?: number;
    };
    result: Taken;
  };
  /** release one part that a robot holds */
  "release": {
    parameters: {
      part: string;
      on?: string;
      settle?: boolean;
    };
    result: LetGo;
  };
  /** let a robot pick a part up: it finds a grasp and a free way to it */
  "pick": {
    parameters: {
      part: string;
      robot?: string;
    };
    result: Handled;
  };
  /** let a robot put a part on something, or at a pose */
  "put": {
    parameters: {
      part: string;
      on?: string;
      pose?: string;
      robot?: string;
    };
    result: Handled;
  };
  /** let the robot that holds a part hand it to another robot */
  "hand-over": {
    parameters: {
      part: string;
      robot: string;
    };
    result: Handled;
  };
  /** bring a hand above a part by a path that touches nothing */
  "move": {
    parameters: {
      robot: string;
      part: string;
      distance?: number;
    };
    result: Handled;
  };
  /** compare what a robot carries now with its payload */
  "payload": {
    parameters: {
      robot: string;
    };
    result: Carried;
  };
  /** list what touches now, or at a time of the recording, where and how deep */
  "contacts": {
    parameters: {
      time?: number;
    };
    result: Touching;
  };
  /** prove that nothing touched in the recording, or show where something touches first */
  "check recording": {
    parameters: {
      here?: boolean;
    };
    result: Along;
  };
  /** estimate the share of a robot's joint space that is free of contacts, from random joint values */
  "free-share": {
    parameters: {
      robot: string;
      count: number;
      seed?: number;
    };
    result: Share;
  };
  /** show the smallest distance now, or at a time of the recording: of everything, of a robot, or of two bodies */
  "clearance": {
    parameters: {
      robot?: string;
      first?: string;
      second?: string;
      time?: number;
    };
    result: Nearest;
  };
  /** show the smallest distance in the recording, and when it occurred */
  "least-clearance": {
    parameters: {
      robot?: string;
      first?: string;
      second?: string;
    };
    result: Nearest;
  };
  /** prove that a move of a robot's joints to given values touches nothing, or show when it does */
  "certify": {
    parameters: {
      robot: string;
      joints: number[];
    };
    result: Proved;
  };
  /** prove which moves of the recording are free of contacts, and list what touches, and when */
  "check moves": {
    parameters: {
      here?: boolean;
    };
    result: MovesChecked;
  };
  /** list the pair table: bodies that are not used, pairs that may touch, margins, and proposals */
  "pairs": {
    parameters: {
    };
    result: Table;
  };
  /** explain whether two bodies are tested against each other now */
  "why": {
    parameters: {
      first: string;
      second: string;
    };
    result: Why;
  };
  /** let two bodies touch, and record why */
  "allow": {
    parameters: {
      first: string;
      second: string;
      reason: string;
    };
    result: Done;
  };
  /** test two bodies against each other, even if the rules or an earlier decision exclude them */
  "test": {
    parameters: {
      first: string;
      second: string;
    };
    result: Done;
  };
  /** remove the decision about two bodies and the margin between them, so that the rules apply again */
  "forget": {
    parameters: {
      first: string;
      second: string;
    };
    result: Done;
  };
  /** include a body or robot in collision tests again, after `ignore body` */
  "use body": {
    parameters: {
      name: string;
    };
    result: Done;
  };
  /** exclude a body or robot from collision tests */
  "ignore body": {
    parameters: {
      name: string;
    };
    result: Done;
  };
  /** choose whether the links of a robot are tested against each other */
  "test-self": {
    parameters: {
      robot: string;
      on: boolean;
    };
    result: Done;
  };
  /** require a clearance between all bodies, or between two; less counts as a contact */
  "margin": {
    parameters: {
      distance: number;
      first?: string;
      second?: string;
    };
    result: Done;
  };
  /** add a zone that robots keep out of, in which they slow down, or that programs share */
  "add zone": {
    parameters: {
      name: string;
      shape: string;
      pose?: string;
      rule?: "keep-out" | "slow-down" | "shared";
      speed?: number;
      capacity?: number;
      robot?: string;
    };
    result: Made;
  };
  /** list the zones with their rules, and what is in them now */
  "zones": {
    parameters: {
    };
    result: Table;
  };
  /** list when bodies were in each zone, and which, over the recording */
  "zone-times": {
    parameters: {
    };
    result: Table;
  };
  /** add the volume that a robot sweeps on the way to given joint values, as a zone, a ghost or a block */
  "add swept": {
    parameters: {
      name: string;
      robot: string;
      joints: number[];
      tolerance?: number;
      kind?: "zone" | "ghost" | "block";
    };
    result: Made;
  };
  /** add the volume that a robot swept in the recording, as a zone, a ghost or a block */
  "add swept-run": {
    parameters: {
      name: string;
      robot: string;
      begin?: number;
      end?: number;
      tolerance?: number;
      kind?: "zone" | "ghost" | "block";
    };
    result: Made;
  };
  /** add a light barrier, which is 1 while something breaks its beam */
  "add light-barrier": {
    parameters: {
      name: string;
      pose?: string;
      thing?: string;
      link?: number;
      sees?: (string)[];
      ignores?: (string)[];
      length?: number;
      start?: number[];
      end?: number[];
      radius?: number;
    };
    result: Made;
  };
  /** add a sensor that measures the distance to the first body along its z axis */
  "add distance-sensor": {
    parameters: {
      name: string;
      pose?: string;
      thing?: string;
      link?: number;
      sees?: (string)[];
      ignores?: (string)[];
      range: number;
      thresholds?: number[];
    };
    result: Made;
  };
  /** add a sensor that is 1 while a body is near its point, or in its box */
  "add proximity-sensor": {
    parameters: {
      name: string;
      pose?: string;
      thing?: string;
      link?: number;
      sees?: (string)[];
      ignores?: (string)[];
      distance?: number;
      size?: number[];
    };
    result: Made;
  };
  /** add a sensor that is 1 while its body touches another */
  "add contact-sensor": {
    parameters: {
      name: string;
      thing: string;
      link?: number;
      sees?: (string)[];
      ignores?: (string)[];
      distance?: number;
    };
    result: Made;
  };
  /** add a sensor that weighs what rests on its body */
  "add weight-sensor": {
    parameters: {
      name: string;
      thing: string;
      link?: number;
      sees?: (string)[];
      ignores?: (string)[];
    };
    result: Made;
  };
  /** add a sensor that reads a joint in whole steps */
  "add encoder": {
    parameters: {
      name: string;
      robot: string;
      joint: number;
      resolution: number;
    };
    result: Made;
  };
  /** add a sensor that counts and lists the bodies that it sees */
  "add camera": {
    parameters: {
      name: string;
      pose?: string;
      thing?: string;
      link?: number;
      sees?: (string)[];
      ignores?: (string)[];
      view: number;
      range: number;
      height?: number;
    };
    result: Made;
  };
  /** list the sensors: where they are, what they sense, and their current readings */
  "sensors": {
    parameters: {
    };
    result: Table;
  };
  /** report every move since the last reset: its time, what limited it, loads, and waits for zones */
  "report": {
    parameters: {
      clearance?: boolean;
      limits?: boolean;
    };
    result: RunReport;
  };
  /** draw the joint values of a robot over simulated time, as .svg or .png */
  "plot": {
    parameters: {
      robot: string;
      file: string;
    };
    result: Done;
  };
  /** draw a Gantt chart of the recording, as .svg or .png */
  "gantt": {
    parameters: {
      file: string;
    };
    result: Done;
  };
  /** write joint values, signals and parts over time to a .csv or .parquet file */
  "export-recording": {
    parameters: {
      file: string;
      step?: number;
      replace?: boolean;
    };
    result: Done;
  };
  /** show where two recordings first differ */
  "compare-recordings": {
    parameters: {
      first: string;
      second?: string;
      tolerance?: number;
    };
    result: Compared;
  };
  /** give values of a robot over time, from the exact motions of the recording */
  "series": {
    parameters: {
      robot: string;
      quantity: "position" | "speed" | "acceleration" | "tool-speed" | "clearance";
      count?: number;
      begin?: number;
      end?: number;
      time?: number;
      file?: string;
      peaks?: boolean;
    };
    result: Series;
  };
  /** give the rows of the Gantt chart of the recording, as `gantt` draws them */
  "gantt-rows": {
    parameters: {
    };
    result: Chart;
  };
  /** give where the bodies of a robot would be at other joint values, with what it carries */
  "body-poses": {
    parameters: {
      robot: string;
      joints: number[];
      contacts?: boolean;
    };
    result: BodyPoses;
  };
  /** give where the frames of the links of a robot are now, the base first, and the bodies that move with each */
  "joint-frames": {
    parameters: {
      robot: string;
    };
    result: JointFrames;
  };
  /** give where all targets, frames and paths are now */
  "place-poses": {
    parameters: {
    };
    result: PlacePoses;
  };
  /** give what moves along if something is placed elsewhere, and where it is now */
  "moves-with": {
    parameters: {
      thing: string;
      others?: (string)[];
    };
    result: MovedWith;
  };
  /** write the recording as an animated .glb or .gltf file */
  "export-animation": {
    parameters: {
      file: string;
      rate?: number;
    };
    result: Done;
  };
  /** make a film of the recording, as .gif, or as .mp4 if ffmpeg is installed */
  "film": {
    parameters: {
      file: string;
      view?: string;
      eye?: number[];
      target?: number[];
      field?: number;
      rate?: number;
      factor?: number;
      width?: number;
      height?: number;
      parallel?: boolean;
      clock?: boolean;
    };
    result: Done;
  };
  /** undo the last steps; while others work on the same cell, your own last steps */
  "undo": {
    parameters: {
      count?: number;
      any?: boolean;
    };
    result: Done;
  };
  /** redo the steps that were undone last */
  "redo": {
    parameters: {
      count?: number;
    };
    result: Done;
  };
  /** list the last steps: when, who, what */
  "history": {
    parameters: {
      count?: number;
    };
    result: Table;
  };
  /** begin a group: all commands until `end` become one step of the history */
  "group": {
    parameters: {
    };
    result: Done;
  };
  /** end the group; all its commands become one step of the history */
  "end": {
    parameters: {
    };
    result: Done;
  };
  /** cancel the group and discard its commands */
  "cancel-group": {
    parameters: {
    };
    result: Done;
  };
  /** make the cell file smaller: discard the states of old runs and moves, and undone steps */
  "compact": {
    parameters: {
      keep?: number;
      recording?: boolean;
    };
    result: Compact;
  };
  /** show what a command would answer, without carrying it out */
  "preview": {
    parameters: {
      command: string;
    };
    result: Done;
  };
  /** save a copy of the cell: as a .cell file, in the text form that git can merge, or as one of Ding's work cell files; without a name, write the recording to the file of the cell */
  "save": {
    parameters: {
      file?: string;
      journal?: string;
      replace?: boolean;
    };
    result: Done;
  };
  /** merge another cell into this one, or run a script: a text file with one command per line */
  "load": {
    parameters: {
      file: string;
      base?: string;
      take?: "ours" | "theirs";
      prefix?: string;
      here?: boolean;
    };
    result: Done;
  };
  /** read a program from a text file; a program of that name is replaced */
  "load-program": {
    parameters: {
      name: string;
      file: string;
    };
    result: Done;
  };
  /** write the text of a program to a file */
  "save-program": {
    parameters: {
      program: string;
      file: string;
      replace?: boolean;
    };
    result: Done;
  };
  /** save the recording since the last reset to a file */
  "save-recording": {
    parameters: {
      file: string;
      replace?: boolean;
    };
    result: Done;
  };
  /** load a saved recording, to play, report, plot, film, check or export it */
  "load-recording": {
    parameters: {
      file: string;
    };
    result: Done;
  };
  /** make a picture of the scene as it is now */
  "render": {
    parameters: {
      file: string;
      view?: string;
      surfaces?: "shaded" | "solid" | "hidden-line" | "wireframe";
      edges?: "feature" | "all" | "none";
      axes?: boolean;
      width?: number;
      height?: number;
    };
    result: Done;
  };
  /** make or change a named view: where it looks from, and at what */
  "look": {
    parameters: {
      view: string;
      side?: "iso" | "front" | "back" | "left" | "right" | "top" | "bottom" | "xz" | "yz" | "xy";
      eye?: number[];
      target?: number[];
      twist?: number;
      turn?: number;
      projection?: "perspective" | "parallel";
      zoom?: number;
      near?: number;
      surfaces?: "shaded" | "solid" | "hidden-line" | "wireframe";
      edges?: "feature" | "all" | "none";
      shadows?: boolean;
      grid?: boolean;
      axes?: boolean;
      cut?: number[];
      along?: number[];
      hidden?: string;
      views?: string;
      whole?: boolean;
    };
    result: Done;
  };
  /** list the named views of the cell */
  "views": {
    parameters: {
    };
    result: ViewRows;
  };
  /** show an object, robot, zone or sensor in a named view */
  "display": {
    parameters: {
      thing: string;
      view: string;
    };
    result: Done;
  };
  /** remove something from a named view, empty a view, or with `all` empty the whole cell */
  "clear": {
    parameters: {
      thing: string;
      view?: string;
    };
    result: Done;
  };
  /** list the lamps in the scene, which light pictures and the page */
  "lamps": {
    parameters: {
    };
    result: Lamps;
  };
  /** choose the units of numbers without a unit */
  "units": {
    parameters: {
      length: "mm" | "cm" | "m" | "um" | "inch" | "ft";
      angle: "deg" | "rad" | "turn";
    };
    result: Done;
  };
  /** choose the scene that is shown and simulated */
  "use scene": {
    parameters: {
      scene: string;
    };
    result: Done;
  };
  /** choose the speed profile of robots that have none of their own */
  "default-profile": {
    parameters: {
      profile: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
    };
    result: Done;
  };
  /** list the commands, or explain a command, a family of commands or a statement of programs */
  "help": {
    parameters: {
      topic?: string;
    };
    result: Done | Table;
  };
  /** give the declarations of commands: family, syntax, parameters and examples */
  "command-reference": {
    parameters: {
      topic?: string;
    };
    result: Reference;
  };
}
