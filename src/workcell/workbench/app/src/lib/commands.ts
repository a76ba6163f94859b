// Generated from the declared commands by `make docs`; a test compares.

/** Something new: its kind, name and id, and what it broke, if anything. */
export interface Made {
  kind: string;
  name: string;
  id: string;
  broken: string[];
}

/** It is done, and this is what there is to say. */
export interface Done {
  text: string;
}

/** What was removed, and what stayed and why. */
export interface Removed {
  text: string;
  removed: string[];
  stayed: string[];
}

/** An answer; `str(answer)` is for people. */
export interface Result {

}

/** Where something is now: its pose in the world (4×4, SI), the joints it has, and what carries it ('' if nothing). */
export interface Whereabouts {
  name: string;
  kind: string;
  matrix: number[][];
  joints: number[];
  carrier: string;
  text: string;
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

/** Something that keeps a shape from being a valid solid: what, where [m], and the faces concerned. */
export interface FaultFacts {
  block: string;
  kind: string;
  place: [number, number, number];
  faces: string[];
}

/** Whether the solids of a thing are valid, and what is wrong where. */
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
}

/** The DH row of a link [rad, m] and what is wrong with its joint frames. */
export interface LinkParameters {
  theta: number;
  d: number;
  a: number;
  alpha: number;
  faults: string[];
  text: string;
}

/** A robot out of link files, and what they leave open. */
export interface ImportedLinks {
  kind: string;
  name: string;
  id: string;
  broken: string[];
  notes: string[];
}

/** A robot out of a file, the robots that stand on it, and what the file has that is not read. */
export interface ImportedRobot {
  kind: string;
  name: string;
  id: string;
  broken: string[];
  others: string[];
  unknown: string[];
  notes: string[];
}

/** What came out of a work cell file, by name; what is kept and not understood; what was changed. */
export interface ImportedWorld {
  robots: string[];
  objects: string[];
  targets: string[];
  kept: string[];
  notes: string[];
  text: string;
}

/** Something that names the robot, and whether it still fits. */
export interface RobotUsesChecked {
  kind: string;
  name: string;
  fits: boolean;
  before: string;
  now: string;
  problem: string;
}

/** A robot was replaced: by what, what was checked, how many of these things fit no longer, and what was not judged. */
export interface Replaced {
  text: string;
  robot: string;
  model: string;
  was: string;
  checked: RobotUsesChecked[];
  misfits: number;
  run_dependent: string[];
}

/** A path of targets: on what they hang, and their poses there (4×4 matrices, SI). */
export interface Targets {
  path: string;
  object: string;
  poses: number[][][];
  text: string;
}

/** A target that was taken from where a robot is. */
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

/** Every target with every robot, and the targets that no robot reaches. */
export interface ReachChecked {
  checked: TargetReach[];
  unreached: string[];
  text: string;
}

/** Where the tool and the link frames are (4×4, SI). */
export interface Frames {
  robot: string;
  joints: number[];
  tool: number[][];
  links: number[][][];
  text: string;
}

/** One way to reach a pose: joints in SI, Ding's label, words, the Agent's index, and what it breaks. */
export interface Solution {
  joints: number[];
  label: string;
  words: string;
  index: number;
  within_limits: boolean;
  violations: [number, number][];
  singular: string[];
}

/** Every way to reach a pose. */
export interface Solutions {
  robot: string;
  solutions: Solution[];
  text: string;
}

/** The Jacobian (6×n, SI) and what it says. */
export interface Motion {
  robot: string;
  jacobian: number[][];
  manipulability: number;
  condition: number;
  singularities: Record<string, number>;
  text: string;
}

/** How far an arm reaches [m] and the volume it can get to [m³]. */
export interface Reach {
  robot: string;
  reach: number;
  volume: number;
  text: string;
}

/** Joint values that stay on one branch along a path [rad or m]. */
export interface Branches {
  robot: string;
  path: string;
  joints: number[][];
  words: string[];
  text: string;
}

/** How far the results in a file are from what a robot does, at most [m, rad]. */
export interface CheckedKinematics {
  robot: string;
  results: number;
  distance: number;
  angle: number;
  worst: string;
  text: string;
}

/** A robot moved: how long it took, what the clock says [s], how far the hand left its curve [m]. */
export interface Moved {
  robot: string;
  duration: number;
  time: number;
  limited: string;
  deviation: number | null;
  rounding: number;
  unknown: string[];
}

/** Robots moved together: each with its duration, and what the clock says [s]. */
export interface MovedTogether {
  moves: Moved[];
  time: number;
}

/** One mistake: where it stands (the line from 1, the column from 0) and what it is. */
export interface Problem {
  program: string;
  line: number;
  column: number;
  message: string;
  warning?: boolean;
}

/** What the checker found in a program; `open` lists the steps whose reach only the run decides. */
export interface ProgramsChecked {
  program: string;
  problems: Problem[];
  open: Problem[];
}

/** A run stands before a step: the program and its line, the step, and what the clock says [s]. */
export interface Stood {
  program: string;
  line: number;
  step: string;
  time: number;
  breakpoint: boolean;
  condition: string;
  notes: string[];
  unclear: string;
}

/** What became of a change of a move. */
export interface Changed {
  device: string;
  what: string;
  delay: number;
  travel: number[];
  slides: boolean[];
  refused: string;
}

/** Moves were changed on their way; `note` says what holds for those to come. */
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

/** A weld: how long it took, the seam and the steady share of it, and the worst at any instant [s, m, rad]. */
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

/** One thing that a robot carries: mass [kg], centre in the frame of the flange [m], what the mass follows from. */
export interface CarriedLoad {
  name: string;
  mass: number | null;
  centre: [number, number, number] | null;
  source: string;
}

/** The greatest moment of the load about a joint's axis, and what the joint may take [N·m]. */
export interface CarriedMoment {
  joint: number;
  moment: number;
  allowed: number;
}

/** What a robot carries against what it may carry [kg, N·m]; what is not known is None or in `unknown`. */
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

/** A part that cups or magnets hold: by which, with what force, and what it needs [N]; None when not known. */
export interface Clung {
  part: string;
  taken_from: string;
  by: string;
  pads: number[];
  force: number;
  needed: number | null;
}

/** A part was taken: by whom, from whom, how well the hand was around it [rad, m], and what the arm carries now. */
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

/** A gripper opened: whose, which part it let go or '', and what is wrong with how that stands now. */
export interface LetGo {
  robot: string;
  part: string;
  falls: string[];
  open: boolean;
}

/** What touches now: pairs with a point [m] and how deep [m]; and the parts that only rest on something. */
export interface Touching {
  contacts: Record<string, unknown>[];
  notes: string[];
  text: string;
  rests: [string, string][];
  against: [string, string][];
}

/** The first contact of what was recorded: at which time [s], between what; and how many samples were looked at. */
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

/** The least distance [m], between what, and the nearest points [m]. */
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

/** Whether pairs of bodies are tested, and why or why not; the margin [m] where they are. */
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
}

/** What a robot carries from an instant on: kind `load`, `overload` or `load unknown`; figures in kg and N·m. */
export interface LoadLine {
  robot: string;
  time: number;
  kind: string;
  figures: Record<string, number>;
  text: string;
}

/** What a program did in a shared zone: how often it entered and waited, how long it waited and was inside [s]. */
export interface ZoneLine {
  zone: string;
  program: string;
  entries: number;
  waits: number;
  waited: number;
  longest: number;
  inside: number;
}

/** A fault over a run: of what, how often it began, and for how long in all [s]. */
export interface FaultLine {
  fault: string;
  of: string;
  does: string;
  times: number;
  lasted: number;
}

/** Something that a robot's time went to [s]: a joint's limit, its motion otherwise, the gripper, a wait or nothing. */
export interface CauseLine {
  kind: string;
  what: string;
  seconds: number;
  joint: number;
  limit: string;
  program: string;
  line: number;
}

/** Where the time of a robot went: its causes add up to the duration [s]. */
export interface CycleLine {
  robot: string;
  duration: number;
  causes: CauseLine[];
}

/** A run: its cycle time [s], its moves, the time each robot was busy [s], and what robots carried from when on. */
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

/** What a cell let go of, for people too. */
export interface Compact {
  steps: number;
  states: number;
  undone: number;
  files: number;
  before: number;
  after: number;
  undoable: number;
}

/** What each command takes and what it answers; `call` is typed by it. */
export interface Commands {
  /** make a block: empty, to attach surfaces to, or from a shape */
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
  /** make a task: programs that are carried out one after the other */
  "create task": {
    parameters: {
      name: string;
      description?: string;
      colour?: string;
      movable?: boolean;
    };
    result: Made;
  };
  /** make a zone: a volume that is kept out of, where robots slow down, or that programs share */
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
  /** make a sensor: a signal that the cell itself gives, by what it senses */
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
  /** make a block and an object of that shape and place it in the scene */
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
  /** put something into the scene, or move it to another place there */
  "place": {
    parameters: {
      thing: string;
      pose: string;
      scene?: string;
      leave_targets?: boolean;
    };
    result: Done;
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
  /** take a relation away; both entities stay */
  "detach": {
    parameters: {
      relation: string;
    };
    result: Done;
  };
  /** copy an entity and its relations; the parts are shared unless --deep */
  "copy": {
    parameters: {
      entity: string;
      name: string;
      transform?: string;
      deep?: boolean;
      targets?: boolean;
      tools?: boolean;
    };
    result: Made;
  };
  /** remove an entity that nothing uses; with --deep out of its place, with its parts that nothing else uses */
  "remove": {
    parameters: {
      entity: string;
      deep?: boolean;
      keep_children?: boolean;
    };
    result: Removed;
  };
  /** change a name, kind, description, colour, shape, transformation or property */
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
  /** take a property away */
  "drop property": {
    parameters: {
      property: string;
      thing: string;
    };
    result: Done;
  };
  /** tell about an entity or relation: brief, full, or as a tree of its parts */
  "show": {
    parameters: {
      thing: string;
      detail?: "brief" | "full" | "tree";
    };
    result: Result;
  };
  /** tell where a robot, mechanism, object, target, frame or sensor is now, and what carries it */
  "where": {
    parameters: {
      thing: string;
    };
    result: Whereabouts;
  };
  /** list the entities of a kind, or of all kinds */
  "list": {
    parameters: {
      kind?: "surface" | "curve" | "block" | "object" | "scene" | "robot" | "mechanism" | "tool" | "gripper" | "frame" | "grasp" | "target" | "path" | "program" | "task" | "zone" | "signal" | "fault" | "sensor" | "machine" | "station" | "material" | "view" | "light" | "colour";
    };
    result: Table;
  };
  /** list the entities that a condition holds for */
  "query": {
    parameters: {
      condition: string;
    };
    result: Table;
  };
  /** list the relations that a condition holds for */
  "query-relations": {
    parameters: {
      condition: string;
    };
    result: Table;
  };
  /** make a flat surface from main contours and holes */
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
  /** give a surface other contours; every solid that uses it follows */
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
  /** make a free-form (NURBS) curve: through points, by control points, a line, an arc or a circle */
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
  /** run a curve the other way */
  "reverse curve": {
    parameters: {
      curve: string;
    };
    result: Done;
  };
  /** lead from the end of a curve or patch to the start of another, tangent to both */
  "blend": {
    parameters: {
      name: string;
      first: string;
      second: string;
      tension?: number;
    };
    result: Made;
  };
  /** make a free-form surface of straight lines between two curves */
  "create ruled": {
    parameters: {
      name: string;
      first: string;
      second: string;
    };
    result: Made;
  };
  /** make one curve of several that lie end to end */
  "join curves": {
    parameters: {
      name: string;
      first: string;
      second: string;
      more?: (string)[];
    };
    result: Made;
  };
  /** give the point of a curve or patch at parameters, and the derivatives there */
  "evaluate": {
    parameters: {
      thing: string;
      parameters: number[];
      order?: number;
    };
    result: Evaluated;
  };
  /** show the control net of a curve or patch, its knots, and the box that bounds it */
  "control-points": {
    parameters: {
      thing: string;
    };
    result: Net;
  };
  /** give a curve or patch a knot more: the same form with more control points */
  "insert knot": {
    parameters: {
      thing: string;
      at: number;
      along?: "u" | "v";
      times?: number;
    };
    result: Done;
  };
  /** raise the degree of a curve or patch: the same form with more control points */
  "elevate degree": {
    parameters: {
      thing: string;
      times?: number;
      along?: "u" | "v";
    };
    result: Done;
  };
  /** insert a knot in the middle of every span: the same form, its control points closer to it */
  "subdivide": {
    parameters: {
      thing: string;
      along?: "u" | "v";
    };
    result: Done;
  };
  /** make two curves or patches of one, before and after a parameter */
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
  /** make the curve of a patch at a constant u or v */
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
  /** make a faceted cylinder of shared surfaces and named relations */
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
  /** make a faceted cone of shared surfaces and named relations */
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
  /** make a faceted truncated-cone of shared surfaces and named relations */
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
  /** make a faceted sphere of shared surfaces and named relations */
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
  /** make a faceted ellipsoid of shared surfaces and named relations */
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
  /** make a faceted torus of shared surfaces and named relations */
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
  /** make a faceted block by moving a surface with straight edges up */
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
  /** make a block by uniting, cutting or intersecting blocks */
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
  /** make a block by moving a surface up, or along a vector */
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
  /** make a block by carrying a surface along a curve */
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
  /** volume, area, centroid, mass and inertia of a block, object or scene */
  "measure": {
    parameters: {
      thing: string;
    };
    result: Measured;
  };
  /** tell whether solids are closed, oriented and free of self-crossings, and where not */
  "check solid": {
    parameters: {
      thing: string;
    };
    result: Checked;
  };
  /** keep the CAD kernel at work for so long, to see that nothing else waits for it */
  "exercise-kernel": {
    parameters: {
      seconds: number;
    };
    result: Done;
  };
  /** list the faces of a block or object: name, kind, centre, normal */
  "faces": {
    parameters: {
      thing: string;
    };
    result: FaceList;
  };
  /** put an object's face on a face of another object, which then carries it */
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
  /** let an object stand on its own again, where it is */
  "face detach": {
    parameters: {
      child: string;
    };
    result: Done;
  };
  /** tell what stands on which face, and which faces are gone */
  "check faces": {
    parameters: {
    };
    result: Done;
  };
  /** make a block from a STEP, STL, OBJ, glTF or COLLADA file */
  "import solid": {
    parameters: {
      name: string;
      file: string;
      unit?: "mm" | "cm" | "m" | "um" | "inch" | "ft";
      colour?: string;
      repair?: boolean;
    };
    result: Done;
  };
  /** close the holes of a block that is a mesh, take away what is there twice, and turn what looks inward */
  "repair": {
    parameters: {
      block: string;
    };
    result: Done;
  };
  /** write a block, an object or the objects of a scene to a file: .step, .stl, .obj, .glb, .gltf */
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
  /** make an object from the parts of a STEP, glTF or COLLADA file, with their tree, names, colours and places */
  "import assembly": {
    parameters: {
      name: string;
      file: string;
      repair?: boolean;
    };
    result: Done;
  };
  /** put a robot of the library into the scene */
  "create robot": {
    parameters: {
      name: string;
      model: string;
      pose?: string;
      joints?: number[];
    };
    result: Made;
  };
  /** list the robots of the library */
  "robots": {
    parameters: {
    };
    result: Table;
  };
  /** begin a robot from nothing: then frames, lengths, link solids, check, finish */
  "draft robot": {
    parameters: {
      name: string;
      joints: number;
    };
    result: Made;
  };
  /** choose a joint frame from the orientation table: joint frame × 10 + type, 1 the base, 7 the hand */
  "draft frame": {
    parameters: {
      robot: string;
      code: number;
    };
    result: Done;
  };
  /** list the joint frames to choose from */
  "orientation-table": {
    parameters: {
    };
    result: Done;
  };
  /** give a joint frame by its home angle and twist instead of a code */
  "draft turn": {
    parameters: {
      robot: string;
      joint: number;
      theta: number;
      alpha: number;
    };
    result: Done;
  };
  /** give a joint's offset along its axis and the length of its link */
  "draft lengths": {
    parameters: {
      robot: string;
      joint: number;
      d: number;
      a: number;
    };
    result: Done;
  };
  /** give the range of a turning joint */
  "draft limits": {
    parameters: {
      robot: string;
      joint: number;
      low: number;
      high: number;
    };
    result: Done;
  };
  /** make a joint slide, and give its travel */
  "draft slide": {
    parameters: {
      robot: string;
      joint: number;
      low: number;
      high: number;
    };
    result: Done;
  };
  /** tell what a draft lacks, or the DH table of a finished robot */
  "check robot": {
    parameters: {
      robot: string;
    };
    result: Done;
  };
  /** turn a complete draft into a robot and put it into the scene */
  "finish robot": {
    parameters: {
      robot: string;
      pose?: string;
    };
    result: Done;
  };
  /** give a link a block or object of the cell as its shape, in place of its own */
  "assign link": {
    parameters: {
      robot: string;
      number: number;
      solid: string;
      transform?: string;
    };
    result: Done;
  };
  /** put a robot onto a link of another robot or mechanism */
  "mount": {
    parameters: {
      robot: string;
      carrier: string;
      number?: number;
      pose?: string;
    };
    result: Done;
  };
  /** take a robot off its carrier and stand it in the scene */
  "unmount": {
    parameters: {
      robot: string;
      pose?: string;
    };
    result: Done;
  };
  /** put a joint frame on an object that is to be a link of a robot; z is the axis of the joint */
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
  /** the DH parameters of a link from its two joint frames, and whether these follow the convention */
  "check joints": {
    parameters: {
      link: string;
    };
    result: LinkParameters;
  };
  /** make a robot of objects with joint frames, the base first: joint i sits on joint i+1 of the object before */
  "assemble robot": {
    parameters: {
      name: string;
      links?: (string)[];
      pose?: string;
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
  /** write a robot as link files of ROBOSIM: FILE.0 the base, FILE.1 the first link … */
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
      unknown_shapes?: boolean;
    };
    result: ImportedRobot;
  };
  /** write a robot with the shapes of its links to a file: .urdf with meshes beside it, .wld or .toml */
  "export robot": {
    parameters: {
      robot: string;
      file: string;
      replace?: boolean;
    };
    result: Done;
  };
  /** take in a whole work cell file of Ding's: its robots, objects and target points */
  "import world": {
    parameters: {
      file: string;
      prefix?: string;
      pose?: string;
    };
    result: ImportedWorld;
  };
  /** write robots, objects and targets as a work cell file of Ding's (.wld) */
  "export world": {
    parameters: {
      file: string;
      scene?: string;
      replace?: boolean;
    };
    result: Done;
  };
  /** put another arm in the place of a robot; says which targets, moves, pairs and loads fit no longer */
  "replace robot": {
    parameters: {
      robot: string;
      model: string;
    };
    result: Replaced;
  };
  /** put a linear track into the scene; robots can be mounted on its carriage */
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
  /** put a portal of three sliding axes into the scene; an arm hangs from its column */
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
  /** put a belt into the scene; what lies on it can ride along */
  "add conveyor": {
    parameters: {
      name: string;
      length: number;
      pose?: string;
    };
    result: Made;
  };
  /** put a slide into the scene, down which parts go from a belt */
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
  /** bolt a tool to a robot's flange; its tip becomes the robot's tool frame */
  "fit tool": {
    parameters: {
      tool: string;
      robot: string;
      pose?: string;
    };
    result: Done;
  };
  /** take the tool or the gripper off a robot's flange */
  "take-off": {
    parameters: {
      robot: string;
    };
    result: Done;
  };
  /** mount the gripper that a robot comes with again */
  "put-back": {
    parameters: {
      robot: string;
    };
    result: Done;
  };
  /** make a tool: one of the library, or what an arm carries */
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
  /** list the targets of a path: where they are in the world now */
  "targets of": {
    parameters: {
      path: string;
    };
    result: Table;
  };
  /** make a grid of targets, in layers if there are several */
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
  /** make a path of targets that mirrors another at a plane */
  "targets mirror": {
    parameters: {
      path: string;
      name: string;
      normal: number[];
      point?: number[];
    };
    result: Targets;
  };
  /** make a target pose, and put it at the end of a path or hang it on a thing */
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
  /** make a frame, in the world or hung on a thing */
  "add frame": {
    parameters: {
      name: string;
      pose: string;
      thing?: string;
      link?: number;
    };
    result: Made;
  };
  /** make a target where the hand of a robot is, with its joints and its branch */
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
  /** move a target to where the hand of a robot is, on what it hangs on, with its joints and its branch */
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
  /** which robots reach which targets where everything is now, and why not */
  "check targets": {
    parameters: {
      path?: string;
      robot?: string;
      point?: "tool" | "grip";
    };
    result: ReachChecked;
  };
  /** where the tool and every link frame are, now or at given joint values */
  "fk": {
    parameters: {
      robot: string;
      joints?: number[];
      frame?: "world" | "base";
    };
    result: Frames;
  };
  /** every way to bring the tool to a pose, labelled; or why there is none */
  "ik": {
    parameters: {
      robot: string;
      pose: string;
      frame?: "world" | "base";
    };
    result: Solutions;
  };
  /** the geometric Jacobian, manipulability, condition number and the distance to each singularity */
  "jacobian": {
    parameters: {
      robot: string;
      joints?: number[];
    };
    result: Motion;
  };
  /** how far the tool reaches within the joint limits, and the volume of the work envelope */
  "reach": {
    parameters: {
      robot: string;
    };
    result: Reach;
  };
  /** put the work envelope of a robot into the scene, to be looked at or as a zone */
  "add envelope": {
    parameters: {
      name: string;
      robot: string;
      kind?: "ghost" | "zone";
    };
    result: Made;
  };
  /** the DH parameters of a link from its two joint frames, and whether they are valid */
  "dh-between": {
    parameters: {
      first: string;
      second: string;
    };
    result: LinkParameters;
  };
  /** the inverse solutions that stay continuous along a path, found over the whole of it */
  "branches": {
    parameters: {
      robot: string;
      path: string;
      step?: number;
    };
    result: Branches;
  };
  /** write the DH rows, the matrix of each joint and the hand to a result file, as Ding's program does */
  "export direct-kinematics": {
    parameters: {
      robot: string;
      file: string;
      joints?: number[];
      replace?: boolean;
    };
    result: Done;
  };
  /** write every way to reach a pose, or each target of a path, to a result file, as Ding's program does */
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
  /** read a result file and compare it with what a robot does */
  "check kinematics": {
    parameters: {
      file: string;
      robot: string;
    };
    result: CheckedKinematics;
  };
  /** move all joints of a robot by these amounts */
  "move-joints-relative": {
    parameters: {
      robot: string;
      joints: number[];
      profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
    };
    result: Moved;
  };
  /** move all joints of a robot to these values */
  "move-joints-absolute": {
    parameters: {
      robot: string;
      joints: number[];
      profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
    };
    result: Moved;
  };
  /** put a robot there at once: no motion, no time */
  "set joints": {
    parameters: {
      robot: string;
      joints: number[];
    };
    result: Done;
  };
  /** set the speed of the joint that moves most, for the moves to come */
  "speed": {
    parameters: {
      robot: string;
      speed: number;
    };
    result: Done;
  };
  /** choose how position grows with time, for the moves to come */
  "profile": {
    parameters: {
      robot: string;
      profile: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
    };
    result: Done;
  };
  /** choose which inverse solution the moves of the hand take */
  "branch": {
    parameters: {
      robot: string;
      branch: string;
    };
    result: Done;
  };
  /** start moves of several robots at once; the next command waits for the slowest */
  "together": {
    parameters: {
      moves: string;
    };
    result: MovedTogether;
  };
  /** give a signal a value */
  "set-signal": {
    parameters: {
      signal: string;
      value: number;
    };
    result: Done;
  };
  /** go on only when a signal has a value */
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
  /** look for collisions while robots and solids move, and stop before one */
  "watch": {
    parameters: {
      how: "yes" | "no" | "certified";
      allow_undecided?: boolean;
    };
    result: Done;
  };
  /** put everything back to the initial state and the clock to zero */
  "reset": {
    parameters: {
    };
    result: Done;
  };
  /** make the present state the initial one */
  "keep state": {
    parameters: {
    };
    result: Done;
  };
  /** bring the hand to a pose, the joints going straight there */
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
  /** bring the hand to a pose in a straight line */
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
  /** bring the hand to a pose on the circle through a point */
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
  /** let the joints of a robot follow a table of values over time */
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
  /** let a joint of a robot follow a function of time */
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
  /** move a free solid straight from pose to pose, or along a path of targets */
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
  /** make a program from its lines, or give the one of that name other lines */
  "write program": {
    parameters: {
      name: string;
      text: string;
    };
    result: Done;
  };
  /** find every mistake of a program or task that can be found without running it */
  "check program": {
    parameters: {
      program: string;
    };
    result: ProgramsChecked;
  };
  /** list the lines of a program with their numbers, or the programs of a task */
  "steps": {
    parameters: {
      program: string;
    };
    result: Table;
  };
  /** write the lines of a program in full words, blocks indented */
  "tidy program": {
    parameters: {
      program: string;
    };
    result: Done;
  };
  /** carry out a program or a task of the cell from the initial state */
  "run": {
    parameters: {
      program: string;
      arguments?: string;
      line?: number;
      tables?: string;
      inputs?: string;
    };
    result: unknown;
  };
  /** carry out programs side by side from the initial state, on one clock, with signals between them */
  "run-together": {
    parameters: {
      programs: string;
      arguments?: string;
      line?: number;
      tables?: string;
      inputs?: string;
    };
    result: unknown;
  };
  /** begin a run and stand before its first step */
  "debug": {
    parameters: {
      programs: string;
      arguments?: string;
      line?: number;
    };
    result: unknown;
  };
  /** go on with the paused run, to a breakpoint or its end */
  "resume": {
    parameters: {
    };
    result: unknown;
  };
  /** carry out one step of the paused run and stand before the next one, in whichever program that is */
  "step-into": {
    parameters: {
    };
    result: unknown;
  };
  /** carry out one step of the paused run with all that it calls, and stand before the next one of its program */
  "step-over": {
    parameters: {
    };
    result: unknown;
  };
  /** carry out what is left of the innermost program, and stand before the next step of its caller */
  "step-out": {
    parameters: {
    };
    result: unknown;
  };
  /** let the paused run stand where it stood before */
  "step-back": {
    parameters: {
      count?: number;
      line?: number;
    };
    result: Stood;
  };
  /** let the run that goes on stand before its next step */
  "pause": {
    parameters: {
    };
    result: Stood;
  };
  /** end the paused run; nothing of it is kept */
  "stop-run": {
    parameters: {
    };
    result: Done;
  };
  /** list the programs of the paused run: where each is, who called it, and its variables */
  "run-status": {
    parameters: {
    };
    result: Table;
  };
  /** let runs stand before a line of a program */
  "break": {
    parameters: {
      program: string;
      line: number;
      condition?: string;
    };
    result: Done;
  };
  /** list where runs stand */
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
  /** save the paused run, to go on with it later or in another process */
  "save-run": {
    parameters: {
      file: string;
      replace?: boolean;
    };
    result: Done;
  };
  /** take up a run that was saved; it is paused where it was */
  "load-run": {
    parameters: {
      file: string;
    };
    result: Stood;
  };
  /** carry out a run on the cell as it was after a step of the history; written by the journal */
  "as-of": {
    parameters: {
      step: number;
      line: string;
    };
    result: Result;
  };
  /** run the present move and those to come at a part of their speed, in a run */
  "override": {
    parameters: {
      percent: number;
      device?: string;
    };
    result: Steering;
  };
  /** stop a robot or solid on its path as soon as its limits allow, in a run; `resume-motion` goes on */
  "hold-motion": {
    parameters: {
      device: string;
    };
    result: Steering;
  };
  /** go on with a move that is held, at the speed of its override */
  "resume-motion": {
    parameters: {
      device: string;
    };
    result: Steering;
  };
  /** stop a robot or solid on its path as soon as its limits allow, in a run, and give its move up */
  "stop-motion": {
    parameters: {
      device: string;
    };
    result: Steering;
  };
  /** bring a robot or solid, or everything, to rest as fast as its limits allow, in a run, and give its move up */
  "emergency-stop": {
    parameters: {
      device?: string;
    };
    result: Steering;
  };
  /** let a robot go to other joint values from the middle of a move, in a run */
  "supersede-joints": {
    parameters: {
      robot: string;
      joints: number[];
    };
    result: Steering;
  };
  /** let a conveyor run on at a speed, whose sign is the direction */
  "run-conveyor": {
    parameters: {
      conveyor: string;
      speed: number;
      reached?: boolean;
    };
    result: Runs;
  };
  /** let a conveyor come to rest as soon as its limits allow */
  "stop-conveyor": {
    parameters: {
      conveyor: string;
      reached?: boolean;
    };
    result: Runs;
  };
  /** put a stop onto a belt: parts stand before it while the belt runs on under them */
  "add stop": {
    parameters: {
      name: string;
      conveyor: string;
      place: number;
      signal?: string;
    };
    result: Made;
  };
  /** let parts like an object come onto a belt, one after the other */
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
  /** let parts be taken away where they come to the end of a belt, or to a place on it */
  "add sink": {
    parameters: {
      name: string;
      conveyor: string;
      place?: number;
    };
    result: Made;
  };
  /** list the stops, sources and sinks with what they did */
  "stations": {
    parameters: {
    };
    result: Table;
  };
  /** wait until a shared zone has room and enter it, in a program */
  "enter-zone": {
    parameters: {
      zone: string;
    };
    result: Done;
  };
  /** leave a shared zone, so that the program that has waited longest enters it, in a program */
  "leave-zone": {
    parameters: {
      zone: string;
    };
    result: Done;
  };
  /** make something that goes wrong in runs: at a time, after some uses, or by chance */
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
  /** list the faults of the cell: of what, what begins them, and how they stand in the paused run */
  "faults": {
    parameters: {
    };
    result: Table;
  };
  /** let a fault begin now, in a run */
  "inject-fault": {
    parameters: {
      fault: string;
    };
    result: Done;
  };
  /** end a fault that has begun, in a run: what it is of is repaired */
  "clear-fault": {
    parameters: {
      fault: string;
    };
    result: Done;
  };
  /** move all joints of a robot to where it begins in the cell */
  "home": {
    parameters: {
      robot: string;
      profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
    };
    result: Moved;
  };
  /** bring the hand to a place before a pose, back along the hand's own z axis */
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
  /** note that a process such as welding or gluing is switched on or off */
  "process": {
    parameters: {
      robot: string;
      on: "on" | "off";
      process?: string;
    };
    result: Done;
  };
  /** record a message for whoever watches */
  "message": {
    parameters: {
      text: string;
    };
    result: Done;
  };
  /** round the corners of paths from here on, in a program */
  "rounding": {
    parameters: {
      robot: string;
      radius: number;
    };
    result: Done;
  };
  /** choose the point of the hand that the poses of moves are about from here on, in a program */
  "tool": {
    parameters: {
      robot: string;
      tcp?: string;
    };
    result: Done;
  };
  /** let robots and mechanisms move in one timing, their joints in one row */
  "create machine": {
    parameters: {
      name: string;
      members?: (string)[];
    };
    result: Made;
  };
  /** list the machines, what they are made of, and their joint values now */
  "machines": {
    parameters: {
    };
    result: Table;
  };
  /** let an object go with the last link of a mechanism, from where it is */
  "ride": {
    parameters: {
      part: string;
      mechanism: string;
    };
    result: Done;
  };
  /** follow a seam with a robot while a positioner holds it downhand */
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
  /** follow the targets of a path with the hand, smoothly */
  "move-along": {
    parameters: {
      robot: string;
      path: string;
      speed: number;
      tolerance?: number;
      approach?: number;
      axes?: string;
    };
    result: Moved;
  };
  /** take the part that the fingers are around, or the parts that cups or magnets are on */
  "close-gripper": {
    parameters: {
      robot: string;
      distance?: number;
      angle?: number;
    };
    result: Taken;
  };
  /** set how far a part may fall when a gripper lets it go */
  "allowed-fall": {
    parameters: {
      height: number;
    };
    result: Done;
  };
  /** let the part go */
  "open-gripper": {
    parameters: {
      robot: string;
      opening?: number;
      on?: string;
      settle?: boolean;
    };
    result: LetGo;
  };
  /** attach a part to a robot as it is, without a test: for hooks, needles and whatever else holds it */
  "grip": {
    parameters: {
      part: string;
      robot?: string;
    };
    result: Taken;
  };
  /** let go one part that a robot holds */
  "release": {
    parameters: {
      part: string;
      on?: string;
      settle?: boolean;
    };
    result: LetGo;
  };
  /** weigh what a robot carries now against its payload */
  "payload": {
    parameters: {
      robot: string;
    };
    result: Carried;
  };
  /** what touches what in the present state, where and how deep */
  "contacts": {
    parameters: {
    };
    result: Touching;
  };
  /** prove that nothing touched in what was recorded, or say where something touches first */
  "check recording": {
    parameters: {
      here?: boolean;
    };
    result: Along;
  };
  /** the share of a robot's joint space in which nothing touches, from random joint values within its limits */
  "free-share": {
    parameters: {
      robot: string;
      count: number;
      seed?: number;
    };
    result: Share;
  };
  /** the least distance in the present state: of everything, of a robot, or between two bodies */
  "clearance": {
    parameters: {
      robot?: string;
      first?: string;
      second?: string;
    };
    result: Nearest;
  };
  /** the least distance over every sample of what was recorded, and when it was */
  "least-clearance": {
    parameters: {
      robot?: string;
      first?: string;
      second?: string;
    };
    result: Nearest;
  };
  /** prove that moving a robot's joints from here to there touches nothing, or say when it does */
  "certify": {
    parameters: {
      robot: string;
      joints: number[];
    };
    result: Proved;
  };
  /** list what the pair table says: what is not used, allowed, and the margins; and what it proposes to allow */
  "pairs": {
    parameters: {
    };
    result: Table;
  };
  /** whether two bodies are tested against each other now, and why or why not */
  "why": {
    parameters: {
      first: string;
      second: string;
    };
    result: Why;
  };
  /** let two bodies touch from now on, with the reason */
  "allow": {
    parameters: {
      first: string;
      second: string;
      reason: string;
    };
    result: Done;
  };
  /** test two bodies against each other, whatever the rules or an earlier decision say */
  "test": {
    parameters: {
      first: string;
      second: string;
    };
    result: Done;
  };
  /** forget what was decided about two bodies, and the margin between them; the rules hold again */
  "forget": {
    parameters: {
      first: string;
      second: string;
    };
    result: Done;
  };
  /** let a body or robot take part in collision tests again */
  "use body": {
    parameters: {
      name: string;
    };
    result: Done;
  };
  /** leave a body or robot out of collision tests */
  "ignore body": {
    parameters: {
      name: string;
    };
    result: Done;
  };
  /** test a robot's links against each other, or not */
  "test-self": {
    parameters: {
      robot: string;
      on: boolean;
    };
    result: Done;
  };
  /** require a clearance: of everything but a robot's own links, or of one pair; nearer counts as contact */
  "margin": {
    parameters: {
      distance: number;
      first?: string;
      second?: string;
    };
    result: Done;
  };
  /** make a volume that robots keep out of, in which they slow down, or which programs share by turns */
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
  /** list the zones, their rules, and what is in them now */
  "zones": {
    parameters: {
    };
    result: Table;
  };
  /** from when to when something was in each zone, and who, over what was recorded */
  "zone-times": {
    parameters: {
    };
    result: Table;
  };
  /** the volume that a robot passes through on its way to these joint values, as a zone, to look at or as a block */
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
  /** make a sensor that is 1 while something breaks its beam */
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
  /** make a sensor that measures how far it is to the first body along its z axis */
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
  /** make a sensor that is 1 while a body is within a distance of its point, or in its box */
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
  /** make a sensor that is 1 while its body touches another */
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
  /** make a sensor that weighs what rests on its body */
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
  /** make a sensor that reads a joint in whole steps */
  "add encoder": {
    parameters: {
      name: string;
      robot: string;
      joint: number;
      resolution: number;
    };
    result: Made;
  };
  /** make a sensor that counts and lists the bodies that it sees */
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
  /** list the sensors, where they are, what counts for them and what they read now */
  "sensors": {
    parameters: {
    };
    result: Table;
  };
  /** what every move since the last reset took, what limited it, what robots carried, and who waited for zones */
  "report": {
    parameters: {
      clearance?: boolean;
      limits?: boolean;
    };
    result: RunReport;
  };
  /** draw the joints of a robot over simulated time, as .svg or .png */
  "plot": {
    parameters: {
      robot: string;
      file: string;
    };
    result: Done;
  };
  /** draw when robots moved, belts ran, programs were in shared zones, and faults and sensors, as .svg or .png */
  "gantt": {
    parameters: {
      file: string;
    };
    result: Done;
  };
  /** write joints, signals and parts over time as .csv or .parquet */
  "export-recording": {
    parameters: {
      file: string;
      step?: number;
      replace?: boolean;
    };
    result: Done;
  };
  /** say where two recordings differ first */
  "compare-recordings": {
    parameters: {
      first: string;
      second: string;
      tolerance?: number;
    };
    result: Done;
  };
  /** write what was recorded as an animated .glb or .gltf */
  "export-animation": {
    parameters: {
      file: string;
      rate?: number;
    };
    result: Done;
  };
  /** film what was recorded, as .gif, or as .mp4 where ffmpeg is installed */
  "film": {
    parameters: {
      file: string;
      view?: string;
      rate?: number;
      factor?: number;
      width?: number;
      height?: number;
      clock?: boolean;
    };
    result: Done;
  };
  /** take the last steps back */
  "undo": {
    parameters: {
      count?: number;
    };
    result: Done;
  };
  /** do the last undone steps again */
  "redo": {
    parameters: {
      count?: number;
    };
    result: Done;
  };
  /** list the last steps: when, by whom, what */
  "history": {
    parameters: {
      count?: number;
    };
    result: Table;
  };
  /** begin a group: what follows is one step, until `end` */
  "group": {
    parameters: {
    };
    result: Done;
  };
  /** end the group: all that it did is one step */
  "end": {
    parameters: {
    };
    result: Done;
  };
  /** give the group up: nothing of it was done */
  "cancel-group": {
    parameters: {
    };
    result: Done;
  };
  /** make the cell smaller: let go of the states of old runs and moves, and of what was undone */
  "compact": {
    parameters: {
      keep?: number;
    };
    result: Compact;
  };
  /** see what a command would answer, without doing it */
  "preview": {
    parameters: {
      command: string;
    };
    result: Done;
  };
  /** save a copy of the cell: a .cell file, its text form, which git can merge, or a work cell file of Ding's */
  "save": {
    parameters: {
      file: string;
      journal?: string;
      replace?: boolean;
    };
    result: Done;
  };
  /** merge another cell into this one, or carry out a script: a text file of commands, one a line */
  "load": {
    parameters: {
      file: string;
      base?: string;
      take?: "ours" | "theirs";
      prefix?: string;
    };
    result: Done;
  };
  /** make a program from a text file of commands, or give the one of that name its text */
  "load-program": {
    parameters: {
      name: string;
      file: string;
    };
    result: Done;
  };
  /** write the text of a program to a file, to edit it and to load it again */
  "save-program": {
    parameters: {
      program: string;
      file: string;
      replace?: boolean;
    };
    result: Done;
  };
  /** save what was recorded since the last reset */
  "save-recording": {
    parameters: {
      file: string;
      replace?: boolean;
    };
    result: Done;
  };
  /** look at a recording that was saved: play, report, plot, film, check and export it */
  "load-recording": {
    parameters: {
      file: string;
    };
    result: Done;
  };
  /** make a picture of the scene */
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
  /** make or change a named view: where it looks from and at */
  "look": {
    parameters: {
      view: string;
      side?: "iso" | "front" | "back" | "left" | "right" | "top" | "bottom" | "xz" | "yz" | "xy";
      eye?: number[];
      target?: number[];
      twist?: number;
      projection?: "perspective" | "parallel";
      zoom?: number;
      near?: number;
    };
    result: Done;
  };
  /** show an object, robot, zone or sensor in a named view, which then shows only what is displayed in it */
  "display": {
    parameters: {
      thing: string;
      view: string;
    };
    result: Done;
  };
  /** take an object, robot, zone or sensor out of a named view, clear the view, or with `all` the whole cell */
  "clear": {
    parameters: {
      thing: string;
      view?: string;
    };
    result: Done;
  };
  /** choose what a bare number means */
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
  /** choose how position grows with time for robots that have no profile of their own */
  "default-profile": {
    parameters: {
      profile: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
    };
    result: Done;
  };
  /** list the commands, or explain those that begin with these words, belong to a family or order programs */
  "help": {
    parameters: {
      topic?: string;
    };
    result: unknown;
  };
}
