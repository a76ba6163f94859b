// Generated from the declared commands by `make docs`; a test compares.

/** make a block: empty, to attach surfaces to, or from a shape */
export interface CreateBlockCommand {
  command: "create block";
  arguments: {
    name: string;
    shape?: string;
    colour?: string;
    description?: string;
  };
}

/** make an object: a rigid thing made of blocks and of other objects */
export interface CreateObjectCommand {
  command: "create object";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a scene: what stands in the cell, and where */
export interface CreateSceneCommand {
  command: "create scene";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a mechanism: a rail, positioner, conveyor or other device with joints */
export interface CreateMechanismCommand {
  command: "create mechanism";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a gripper: a hand that opens and closes */
export interface CreateGripperCommand {
  command: "create gripper";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a frame: a named coordinate frame */
export interface CreateFrameCommand {
  command: "create frame";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a grasp: how an object is held */
export interface CreateGraspCommand {
  command: "create grasp";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a target: a pose that a program goes to */
export interface CreateTargetCommand {
  command: "create target";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a path: targets in order */
export interface CreatePathCommand {
  command: "create path";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a program: commands that robots carry out */
export interface CreateProgramCommand {
  command: "create program";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a task: programs that are carried out one after the other */
export interface CreateTaskCommand {
  command: "create task";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a zone: a volume that is kept out of, where robots slow down, or that programs share */
export interface CreateZoneCommand {
  command: "create zone";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a signal: a value that programs share */
export interface CreateSignalCommand {
  command: "create signal";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a fault: something that goes wrong in a run */
export interface CreateFaultCommand {
  command: "create fault";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a sensor: a signal that the cell itself gives, by what it senses */
export interface CreateSensorCommand {
  command: "create sensor";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a material: what a part is made of */
export interface CreateMaterialCommand {
  command: "create material";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a view: a camera and what it shows */
export interface CreateViewCommand {
  command: "create view";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a light: a lamp */
export interface CreateLightCommand {
  command: "create light";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a colour: a named colour */
export interface CreateColourCommand {
  command: "create colour";
  arguments: {
    name: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** make a block and an object of that shape and place it in the scene */
export interface AddSolidCommand {
  command: "add solid";
  arguments: {
    name: string;
    shape: string;
    pose?: string;
    colour?: string;
    movable?: boolean;
    ghost?: boolean;
  };
}

/** put something into the scene, or move it to another place there */
export interface PlaceCommand {
  command: "place";
  arguments: {
    thing: string;
    pose: string;
    scene?: string;
    leave_targets?: boolean;
  };
}

/** make a relation: the parent gets the child as a part */
export interface AttachCommand {
  command: "attach";
  arguments: {
    child: string;
    parent: string;
    name?: string;
    link?: number;
    transform?: string;
  };
}

/** take a relation away; both entities stay */
export interface DetachCommand {
  command: "detach";
  arguments: {
    relation: string;
  };
}

/** copy an entity and its relations; the parts are shared unless --deep */
export interface CopyCommand {
  command: "copy";
  arguments: {
    entity: string;
    name: string;
    transform?: string;
    deep?: boolean;
    targets?: boolean;
  };
}

/** remove an entity that nothing uses; with --deep out of its place, with its parts that nothing else uses */
export interface RemoveCommand {
  command: "remove";
  arguments: {
    entity: string;
    deep?: boolean;
    keep_children?: boolean;
  };
}

/** change a name, kind, description, colour, shape, transformation or property */
export interface ModifyCommand {
  command: "modify";
  arguments: {
    thing: string;
    field: string;
    value: string;
  };
}

/** give an entity or relation a property of its own */
export interface AddPropertyCommand {
  command: "add property";
  arguments: {
    property: string;
    thing: string;
    value?: string;
  };
}

/** take a property away */
export interface DropPropertyCommand {
  command: "drop property";
  arguments: {
    property: string;
    thing: string;
  };
}

/** tell about an entity or relation: brief, full, or as a tree of its parts */
export interface ShowCommand {
  command: "show";
  arguments: {
    thing: string;
    detail?: "brief" | "full" | "tree";
  };
}

/** tell where a robot, mechanism, object, target, frame or sensor is now, and what carries it */
export interface WhereCommand {
  command: "where";
  arguments: {
    thing: string;
  };
}

/** list the entities of a kind, or of all kinds */
export interface ListCommand {
  command: "list";
  arguments: {
    kind?: "surface" | "curve" | "block" | "object" | "scene" | "robot" | "mechanism" | "tool" | "gripper" | "frame" | "grasp" | "target" | "path" | "program" | "task" | "zone" | "signal" | "fault" | "sensor" | "machine" | "station" | "material" | "view" | "light" | "colour";
  };
}

/** list the entities that a condition holds for */
export interface QueryCommand {
  command: "query";
  arguments: {
    condition: string;
  };
}

/** list the relations that a condition holds for */
export interface QueryRelationsCommand {
  command: "query-relations";
  arguments: {
    condition: string;
  };
}

/** make a flat surface from main contours and holes */
export interface CreateSurfaceCommand {
  command: "create surface";
  arguments: {
    name: string;
    contour?: (number[][])[];
    hole?: (number[][])[];
    disc?: (string)[];
    bore?: (string)[];
    description?: string;
  };
}

/** give a surface other contours; every solid that uses it follows */
export interface ReshapeSurfaceCommand {
  command: "reshape surface";
  arguments: {
    surface: string;
    contour?: (number[][])[];
    hole?: (number[][])[];
    disc?: (string)[];
    bore?: (string)[];
  };
}

/** make a free-form (NURBS) surface from rows of points */
export interface CreatePatchCommand {
  command: "create patch";
  arguments: {
    name: string;
    rows: number[][];
    row?: (number[][])[];
    degrees?: number[];
    weights?: (number[])[];
    through?: boolean;
  };
}

/** move a control point of a free-form surface, or change its weight */
export interface ReshapePatchCommand {
  command: "reshape patch";
  arguments: {
    surface: string;
    row: number;
    column: number;
    point?: number[];
    weight?: number;
  };
}

/** make a free-form (NURBS) curve: through points, by control points, a line, an arc or a circle */
export interface CreateCurveCommand {
  command: "create curve";
  arguments: {
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
}

/** move a control point of a curve, or change its weight */
export interface ReshapeCurveCommand {
  command: "reshape curve";
  arguments: {
    curve: string;
    number: number;
    point?: number[];
    weight?: number;
  };
}

/** run a curve the other way */
export interface ReverseCurveCommand {
  command: "reverse curve";
  arguments: {
    curve: string;
  };
}

/** lead from the end of a curve or patch to the start of another, tangent to both */
export interface BlendCommand {
  command: "blend";
  arguments: {
    name: string;
    first: string;
    second: string;
    tension?: number;
  };
}

/** make a free-form surface of straight lines between two curves */
export interface CreateRuledCommand {
  command: "create ruled";
  arguments: {
    name: string;
    first: string;
    second: string;
  };
}

/** make one curve of several that lie end to end */
export interface JoinCurvesCommand {
  command: "join curves";
  arguments: {
    name: string;
    first: string;
    second: string;
    more?: (string)[];
  };
}

/** give the point of a curve or patch at parameters, and the derivatives there */
export interface EvaluateCommand {
  command: "evaluate";
  arguments: {
    thing: string;
    parameters: number[];
    order?: number;
  };
}

/** show the control net of a curve or patch, its knots, and the box that bounds it */
export interface ControlPointsCommand {
  command: "control-points";
  arguments: {
    thing: string;
  };
}

/** give a curve or patch a knot more: the same form with more control points */
export interface InsertKnotCommand {
  command: "insert knot";
  arguments: {
    thing: string;
    at: number;
    along?: "u" | "v";
    times?: number;
  };
}

/** raise the degree of a curve or patch: the same form with more control points */
export interface ElevateDegreeCommand {
  command: "elevate degree";
  arguments: {
    thing: string;
    times?: number;
    along?: "u" | "v";
  };
}

/** insert a knot in the middle of every span: the same form, its control points closer to it */
export interface SubdivideCommand {
  command: "subdivide";
  arguments: {
    thing: string;
    along?: "u" | "v";
  };
}

/** make two curves or patches of one, before and after a parameter */
export interface SplitCommand {
  command: "split";
  arguments: {
    thing: string;
    first: string;
    second: string;
    at?: number;
    along?: "u" | "v";
  };
}

/** make the curve of a patch at a constant u or v */
export interface CreateIsocurveCommand {
  command: "create isocurve";
  arguments: {
    name: string;
    surface: string;
    u?: number;
    v?: number;
  };
}

/** keep a part of a patch, bounded by contours in its parameters u and v */
export interface TrimPatchCommand {
  command: "trim patch";
  arguments: {
    surface: string;
    contour?: (number[][])[];
    hole?: (number[][])[];
    disc?: (string)[];
    bore?: (string)[];
  };
}

/** make a faceted cylinder of shared surfaces and named relations */
export interface FacetCylinderCommand {
  command: "facet cylinder";
  arguments: {
    name: string;
    prefix?: string;
    colour?: string;
    radius: number;
    height: number;
    facets: number;
    patch?: string;
  };
}

/** make a faceted cone of shared surfaces and named relations */
export interface FacetConeCommand {
  command: "facet cone";
  arguments: {
    name: string;
    prefix?: string;
    colour?: string;
    radius: number;
    height: number;
    facets: number;
  };
}

/** make a faceted truncated-cone of shared surfaces and named relations */
export interface FacetTruncatedConeCommand {
  command: "facet truncated-cone";
  arguments: {
    name: string;
    prefix?: string;
    colour?: string;
    top: number;
    bottom: number;
    height: number;
    facets: number;
  };
}

/** make a faceted sphere of shared surfaces and named relations */
export interface FacetSphereCommand {
  command: "facet sphere";
  arguments: {
    name: string;
    prefix?: string;
    colour?: string;
    radius: number;
    faces: number;
    slices: number;
  };
}

/** make a faceted ellipsoid of shared surfaces and named relations */
export interface FacetEllipsoidCommand {
  command: "facet ellipsoid";
  arguments: {
    name: string;
    prefix?: string;
    colour?: string;
    a: number;
    b: number;
    c: number;
    faces: number;
    slices: number;
  };
}

/** make a faceted torus of shared surfaces and named relations */
export interface FacetTorusCommand {
  command: "facet torus";
  arguments: {
    name: string;
    prefix?: string;
    colour?: string;
    ring: number;
    tube: number;
    segments: number;
    sides: number;
  };
}

/** make a faceted block by moving a surface with straight edges up */
export interface FacetExtrusionCommand {
  command: "facet extrusion";
  arguments: {
    name: string;
    surface: string;
    height: number;
    prefix?: string;
    patch?: string;
    colour?: string;
  };
}

/** make a faceted block by turning a profile with straight edges about the z axis */
export interface FacetRevolutionCommand {
  command: "facet revolution";
  arguments: {
    name: string;
    surface: string;
    facets: number;
    prefix?: string;
    colour?: string;
  };
}

/** make a block by uniting, cutting or intersecting blocks */
export interface CombineCommand {
  command: "combine";
  arguments: {
    name: string;
    operation: "union" | "difference" | "intersection";
    first: string;
    second: string;
    more?: (string)[];
    colour?: string;
    fast?: boolean;
  };
}

/** make a block by moving a surface up, or along a vector */
export interface ExtrudeCommand {
  command: "extrude";
  arguments: {
    name: string;
    surface: string;
    height?: number;
    vector?: number[];
    transform?: string;
    colour?: string;
  };
}

/** make a block by turning a surface about an axis */
export interface RevolveCommand {
  command: "revolve";
  arguments: {
    name: string;
    surface: string;
    angle?: number;
    point?: number[];
    direction?: number[];
    transform?: string;
    colour?: string;
  };
}

/** make a block by carrying a surface along a curve */
export interface SweepCommand {
  command: "sweep";
  arguments: {
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
}

/** change the parameters of a block that was combined, extruded, revolved or swept */
export interface ReshapeBlockCommand {
  command: "reshape block";
  arguments: {
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
}

/** volume, area, centroid, mass and inertia of a block, object or scene */
export interface MeasureCommand {
  command: "measure";
  arguments: {
    thing: string;
  };
}

/** tell whether solids are closed, oriented and free of self-crossings, and where not */
export interface CheckSolidCommand {
  command: "check solid";
  arguments: {
    thing: string;
  };
}

/** keep the CAD kernel at work for so long, to see that nothing else waits for it */
export interface ExerciseKernelCommand {
  command: "exercise-kernel";
  arguments: {
    seconds: number;
  };
}

/** list the faces of a block or object: name, kind, centre, normal */
export interface FacesCommand {
  command: "faces";
  arguments: {
    thing: string;
  };
}

/** put an object's face on a face of another object, which then carries it */
export interface FaceAttachCommand {
  command: "face attach";
  arguments: {
    child: string;
    face: string;
    base: string;
    base_face: string;
    transform?: string;
  };
}

/** let an object stand on its own again, where it is */
export interface FaceDetachCommand {
  command: "face detach";
  arguments: {
    child: string;
  };
}

/** tell what stands on which face, and which faces are gone */
export interface CheckFacesCommand {
  command: "check faces";
  arguments: {
  };
}

/** make a block from a STEP, STL, OBJ, glTF or COLLADA file */
export interface ImportSolidCommand {
  command: "import solid";
  arguments: {
    name: string;
    file: string;
    unit?: "mm" | "cm" | "m" | "um" | "inch" | "ft";
    colour?: string;
    repair?: boolean;
  };
}

/** close the holes of a block that is a mesh, take away what is there twice, and turn what looks inward */
export interface RepairCommand {
  command: "repair";
  arguments: {
    block: string;
  };
}

/** write a block, an object or the objects of a scene to a file: .step, .stl, .obj, .glb, .gltf */
export interface ExportSolidCommand {
  command: "export solid";
  arguments: {
    thing: string;
    file: string;
    unit?: "mm" | "cm" | "m" | "um" | "inch" | "ft";
    tolerance?: number;
    ascii?: boolean;
    inexact?: boolean;
    replace?: boolean;
  };
}

/** make an object from the parts of a STEP, glTF or COLLADA file, with their tree, names, colours and places */
export interface ImportAssemblyCommand {
  command: "import assembly";
  arguments: {
    name: string;
    file: string;
    repair?: boolean;
  };
}

/** put a robot of the library into the scene */
export interface CreateRobotCommand {
  command: "create robot";
  arguments: {
    name: string;
    model: string;
    pose?: string;
    joints?: number[];
  };
}

/** list the robots of the library */
export interface RobotsCommand {
  command: "robots";
  arguments: {
  };
}

/** begin a robot from nothing: then frames, lengths, link solids, check, finish */
export interface DraftRobotCommand {
  command: "draft robot";
  arguments: {
    name: string;
    joints: number;
  };
}

/** choose a joint frame from the orientation table: joint frame × 10 + type, 1 the base, 7 the hand */
export interface DraftFrameCommand {
  command: "draft frame";
  arguments: {
    robot: string;
    code: number;
  };
}

/** list the joint frames to choose from */
export interface OrientationTableCommand {
  command: "orientation-table";
  arguments: {
  };
}

/** give a joint frame by its home angle and twist instead of a code */
export interface DraftTurnCommand {
  command: "draft turn";
  arguments: {
    robot: string;
    joint: number;
    theta: number;
    alpha: number;
  };
}

/** give a joint's offset along its axis and the length of its link */
export interface DraftLengthsCommand {
  command: "draft lengths";
  arguments: {
    robot: string;
    joint: number;
    d: number;
    a: number;
  };
}

/** give the range of a turning joint */
export interface DraftLimitsCommand {
  command: "draft limits";
  arguments: {
    robot: string;
    joint: number;
    low: number;
    high: number;
  };
}

/** make a joint slide, and give its travel */
export interface DraftSlideCommand {
  command: "draft slide";
  arguments: {
    robot: string;
    joint: number;
    low: number;
    high: number;
  };
}

/** tell what a draft lacks, or the DH table of a finished robot */
export interface CheckRobotCommand {
  command: "check robot";
  arguments: {
    robot: string;
  };
}

/** turn a complete draft into a robot and put it into the scene */
export interface FinishRobotCommand {
  command: "finish robot";
  arguments: {
    robot: string;
    pose?: string;
  };
}

/** give a link a block or object of the cell as its shape, in place of its own */
export interface AssignLinkCommand {
  command: "assign link";
  arguments: {
    robot: string;
    number: number;
    solid: string;
    transform?: string;
  };
}

/** put a robot onto a link of another robot or mechanism */
export interface MountCommand {
  command: "mount";
  arguments: {
    robot: string;
    carrier: string;
    number?: number;
    pose?: string;
  };
}

/** take a robot off its carrier and stand it in the scene */
export interface UnmountCommand {
  command: "unmount";
  arguments: {
    robot: string;
    pose?: string;
  };
}

/** put a joint frame on an object that is to be a link of a robot; z is the axis of the joint */
export interface AddJointCommand {
  command: "add joint";
  arguments: {
    place: "i" | "i+1";
    kind: "revolute" | "prismatic" | "fixed";
    link: string;
    pose?: string;
    face?: string;
    turns?: number[];
    travel?: number[];
  };
}

/** the DH parameters of a link from its two joint frames, and whether these follow the convention */
export interface CheckJointsCommand {
  command: "check joints";
  arguments: {
    link: string;
  };
}

/** make a robot of objects with joint frames, the base first: joint i sits on joint i+1 of the object before */
export interface AssembleRobotCommand {
  command: "assemble robot";
  arguments: {
    name: string;
    links?: (string)[];
    pose?: string;
  };
}

/** make a robot from link files of ROBOSIM, the base first */
export interface ImportLinksCommand {
  command: "import links";
  arguments: {
    name: string;
    files?: (string)[];
    unit?: "mm" | "cm" | "m" | "um" | "inch" | "ft";
    pose?: string;
  };
}

/** write a robot as link files of ROBOSIM: FILE.0 the base, FILE.1 the first link … */
export interface ExportLinksCommand {
  command: "export links";
  arguments: {
    robot: string;
    file: string;
    unit?: "mm" | "cm" | "m" | "um" | "inch" | "ft";
    replace?: boolean;
  };
}

/** write an object with its joint frames as a link file of ROBOSIM */
export interface ExportLinkCommand {
  command: "export link";
  arguments: {
    link: string;
    file: string;
    unit?: "mm" | "cm" | "m" | "um" | "inch" | "ft";
    replace?: boolean;
  };
}

/** read a robot from a file: URDF with its meshes, Ding's WLD, or a Workcell robot file */
export interface ImportRobotCommand {
  command: "import robot";
  arguments: {
    name: string;
    file: string;
    pose?: string;
    unknown_shapes?: boolean;
  };
}

/** write a robot with the shapes of its links to a file: .urdf with meshes beside it, .wld or .toml */
export interface ExportRobotCommand {
  command: "export robot";
  arguments: {
    robot: string;
    file: string;
    replace?: boolean;
  };
}

/** take in a whole work cell file of Ding's: its robots, objects and target points */
export interface ImportWorldCommand {
  command: "import world";
  arguments: {
    file: string;
    prefix?: string;
    pose?: string;
  };
}

/** write robots, objects and targets as a work cell file of Ding's (.wld) */
export interface ExportWorldCommand {
  command: "export world";
  arguments: {
    file: string;
    scene?: string;
    replace?: boolean;
  };
}

/** put another arm in the place of a robot; says which targets, moves, pairs and loads fit no longer */
export interface ReplaceRobotCommand {
  command: "replace robot";
  arguments: {
    robot: string;
    model: string;
  };
}

/** put a linear track into the scene; robots can be mounted on its carriage */
export interface AddRailCommand {
  command: "add rail";
  arguments: {
    name: string;
    length: number;
    pose?: string;
  };
}

/** put a tilting turntable into the scene; parts can be attached to its plate */
export interface AddPositionerCommand {
  command: "add positioner";
  arguments: {
    name: string;
    pose?: string;
  };
}

/** put a portal of three sliding axes into the scene; an arm hangs from its column */
export interface AddGantryCommand {
  command: "add gantry";
  arguments: {
    name: string;
    length: number;
    width: number;
    height: number;
    drop?: number;
    pose?: string;
  };
}

/** put a belt into the scene; what lies on it can ride along */
export interface AddConveyorCommand {
  command: "add conveyor";
  arguments: {
    name: string;
    length: number;
    pose?: string;
  };
}

/** put a slide into the scene, down which parts go from a belt */
export interface AddSlideCommand {
  command: "add slide";
  arguments: {
    name: string;
    length: number;
    drop: number;
    speed?: number;
    pose?: string;
  };
}

/** bolt a tool to a robot's flange; its tip becomes the robot's tool frame */
export interface FitToolCommand {
  command: "fit tool";
  arguments: {
    tool: string;
    robot: string;
    pose?: string;
  };
}

/** take the tool or the gripper off a robot's flange */
export interface TakeOffCommand {
  command: "take-off";
  arguments: {
    robot: string;
  };
}

/** mount the gripper that a robot comes with again */
export interface PutBackCommand {
  command: "put-back";
  arguments: {
    robot: string;
  };
}

/** make a tool: one of the library, or what an arm carries */
export interface CreateToolCommand {
  command: "create tool";
  arguments: {
    name: string;
    model?: string;
    description?: string;
    colour?: string;
    movable?: boolean;
  };
}

/** list the tools of the library */
export interface ToolsCommand {
  command: "tools";
  arguments: {
  };
}

/** make a path of targets along the edge where two faces of an object meet */
export interface TargetsAlongEdgeCommand {
  command: "targets along-edge";
  arguments: {
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
}

/** make a path of targets along a curve */
export interface TargetsAlongCurveCommand {
  command: "targets along-curve";
  arguments: {
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
}

/** make a path of targets in rows over a face */
export interface TargetsOverFaceCommand {
  command: "targets over-face";
  arguments: {
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
}

/** list the targets of a path: where they are in the world now */
export interface TargetsOfCommand {
  command: "targets of";
  arguments: {
    path: string;
  };
}

/** make a grid of targets, in layers if there are several */
export interface TargetsGridCommand {
  command: "targets grid";
  arguments: {
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
}

/** make a path of targets that mirrors another at a plane */
export interface TargetsMirrorCommand {
  command: "targets mirror";
  arguments: {
    path: string;
    name: string;
    normal: number[];
    point?: number[];
  };
}

/** make a target pose, and put it at the end of a path or hang it on a thing */
export interface AddTargetCommand {
  command: "add target";
  arguments: {
    name: string;
    pose: string;
    path?: string;
    thing?: string;
    link?: number;
  };
}

/** make a frame, in the world or hung on a thing */
export interface AddFrameCommand {
  command: "add frame";
  arguments: {
    name: string;
    pose: string;
    thing?: string;
    link?: number;
  };
}

/** make a target where the hand of a robot is, with its joints and its branch */
export interface LearnTargetCommand {
  command: "learn target";
  arguments: {
    name: string;
    robot?: string;
    point?: "tool" | "grip";
    path?: string;
    thing?: string;
    link?: number;
    joints?: number[];
    pose?: string;
  };
}

/** move a target to where the hand of a robot is, on what it hangs on, with its joints and its branch */
export interface TouchUpCommand {
  command: "touch-up";
  arguments: {
    target: string;
    robot?: string;
    point?: "tool" | "grip";
    joints?: number[];
    pose?: string;
  };
}

/** which robots reach which targets where everything is now, and why not */
export interface CheckTargetsCommand {
  command: "check targets";
  arguments: {
    path?: string;
    robot?: string;
    point?: "tool" | "grip";
  };
}

/** where the tool and every link frame are, now or at given joint values */
export interface FkCommand {
  command: "fk";
  arguments: {
    robot: string;
    joints?: number[];
    frame?: "world" | "base";
  };
}

/** every way to bring the tool to a pose, labelled; or why there is none */
export interface IkCommand {
  command: "ik";
  arguments: {
    robot: string;
    pose: string;
    frame?: "world" | "base";
  };
}

/** the geometric Jacobian, manipulability, condition number and the distance to each singularity */
export interface JacobianCommand {
  command: "jacobian";
  arguments: {
    robot: string;
    joints?: number[];
  };
}

/** how far the tool reaches within the joint limits, and the volume of the work envelope */
export interface ReachCommand {
  command: "reach";
  arguments: {
    robot: string;
  };
}

/** put the work envelope of a robot into the scene, to be looked at or as a zone */
export interface AddEnvelopeCommand {
  command: "add envelope";
  arguments: {
    name: string;
    robot: string;
    kind?: "ghost" | "zone";
  };
}

/** the DH parameters of a link from its two joint frames, and whether they are valid */
export interface DhBetweenCommand {
  command: "dh-between";
  arguments: {
    first: string;
    second: string;
  };
}

/** the inverse solutions that stay continuous along a path, found over the whole of it */
export interface BranchesCommand {
  command: "branches";
  arguments: {
    robot: string;
    path: string;
    step?: number;
  };
}

/** write the DH rows, the matrix of each joint and the hand to a result file, as Ding's program does */
export interface ExportDirectKinematicsCommand {
  command: "export direct-kinematics";
  arguments: {
    robot: string;
    file: string;
    joints?: number[];
    replace?: boolean;
  };
}

/** write every way to reach a pose, or each target of a path, to a result file, as Ding's program does */
export interface ExportInverseKinematicsCommand {
  command: "export inverse-kinematics";
  arguments: {
    robot: string;
    file: string;
    pose?: string;
    path?: string;
    frame?: "world" | "base";
    replace?: boolean;
  };
}

/** read a result file and compare it with what a robot does */
export interface CheckKinematicsCommand {
  command: "check kinematics";
  arguments: {
    file: string;
    robot: string;
  };
}

/** move all joints of a robot by these amounts */
export interface MoveJointsRelativeCommand {
  command: "move-joints-relative";
  arguments: {
    robot: string;
    joints: number[];
    profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
  };
}

/** move all joints of a robot to these values */
export interface MoveJointsAbsoluteCommand {
  command: "move-joints-absolute";
  arguments: {
    robot: string;
    joints: number[];
    profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
  };
}

/** put a robot there at once: no motion, no time */
export interface SetJointsCommand {
  command: "set joints";
  arguments: {
    robot: string;
    joints: number[];
  };
}

/** set the speed of the joint that moves most, for the moves to come */
export interface SpeedCommand {
  command: "speed";
  arguments: {
    robot: string;
    speed: number;
  };
}

/** choose how position grows with time, for the moves to come */
export interface ProfileCommand {
  command: "profile";
  arguments: {
    robot: string;
    profile: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
  };
}

/** choose which inverse solution the moves of the hand take */
export interface BranchCommand {
  command: "branch";
  arguments: {
    robot: string;
    branch: string;
  };
}

/** start moves of several robots at once; the next command waits for the slowest */
export interface TogetherCommand {
  command: "together";
  arguments: {
    moves: string;
  };
}

/** give a signal a value */
export interface SetSignalCommand {
  command: "set-signal";
  arguments: {
    signal: string;
    value: number;
  };
}

/** go on only when a signal has a value */
export interface WaitForCommand {
  command: "wait-for";
  arguments: {
    signal: string;
    value?: number;
  };
}

/** let simulated time pass */
export interface WaitCommand {
  command: "wait";
  arguments: {
    seconds: number;
  };
}

/** choose how motions are simulated */
export interface ModeCommand {
  command: "mode";
  arguments: {
    mode: "joint-by-joint" | "path" | "playback";
  };
}

/** set how far the joint that moves most goes between two recorded samples */
export interface StepCommand {
  command: "step";
  arguments: {
    angle: number;
  };
}

/** look for collisions while robots and solids move, and stop before one */
export interface WatchCommand {
  command: "watch";
  arguments: {
    how: "yes" | "no" | "certified";
    allow_undecided?: boolean;
  };
}

/** put everything back to the initial state and the clock to zero */
export interface ResetCommand {
  command: "reset";
  arguments: {
  };
}

/** make the present state the initial one */
export interface KeepStateCommand {
  command: "keep state";
  arguments: {
  };
}

/** bring the hand to a pose, the joints going straight there */
export interface MoveEndEffectorCommand {
  command: "move-end-effector";
  arguments: {
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
}

/** bring the hand to a pose in a straight line */
export interface MoveStraightLineCommand {
  command: "move-straight-line";
  arguments: {
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
}

/** bring the hand to a pose on the circle through a point */
export interface MoveCircularCommand {
  command: "move-circular";
  arguments: {
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
}

/** move the hand straight from pose to pose, with rounded corners */
export interface MovePathCommand {
  command: "move-path";
  arguments: {
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
}

/** shift and turn the hand from where it is, in a straight line */
export interface MoveHandCommand {
  command: "move-hand";
  arguments: {
    robot: string;
    by: string;
    frame?: "hand" | "world";
    speed?: number;
    profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
    point?: "tool" | "grip";
    axes?: string;
    work?: string;
  };
}

/** let the joints of a robot follow a table of values over time */
export interface FollowTableCommand {
  command: "follow-table";
  arguments: {
    robot: string;
    file: string;
    joint?: number;
    units?: "radians" | "degrees";
    between?: "cubic" | "linear";
    until_limit?: boolean;
    any_acceleration?: boolean;
  };
}

/** let a joint of a robot follow a function of time */
export interface FollowFunctionCommand {
  command: "follow-function";
  arguments: {
    robot: string;
    joint: number;
    function: string;
    duration: number;
    units?: "radians" | "degrees";
    until_limit?: boolean;
    any_acceleration?: boolean;
  };
}

/** move a free solid straight from pose to pose, or along a path of targets */
export interface MoveSolidCommand {
  command: "move-solid";
  arguments: {
    solid: string;
    poses?: (string)[];
    path?: string;
    radius?: number;
    speed?: number;
    duration?: number;
    acceleration?: number;
  };
}

/** make a program from its lines, or give the one of that name other lines */
export interface WriteProgramCommand {
  command: "write program";
  arguments: {
    name: string;
    text: string;
  };
}

/** find every mistake of a program or task that can be found without running it */
export interface CheckProgramCommand {
  command: "check program";
  arguments: {
    program: string;
  };
}

/** list the lines of a program with their numbers, or the programs of a task */
export interface StepsCommand {
  command: "steps";
  arguments: {
    program: string;
  };
}

/** write the lines of a program in full words, blocks indented */
export interface TidyProgramCommand {
  command: "tidy program";
  arguments: {
    program: string;
  };
}

/** carry out a program or a task of the cell from the initial state */
export interface RunCommand {
  command: "run";
  arguments: {
    program: string;
    arguments?: string;
    line?: number;
    tables?: string;
    inputs?: string;
  };
}

/** carry out programs side by side from the initial state, on one clock, with signals between them */
export interface RunTogetherCommand {
  command: "run-together";
  arguments: {
    programs: string;
    arguments?: string;
    line?: number;
    tables?: string;
    inputs?: string;
  };
}

/** begin a run and stand before its first step */
export interface DebugCommand {
  command: "debug";
  arguments: {
    programs: string;
    arguments?: string;
    line?: number;
  };
}

/** go on with the paused run, to a breakpoint or its end */
export interface ResumeCommand {
  command: "resume";
  arguments: {
  };
}

/** carry out one step of the paused run and stand before the next one, in whichever program that is */
export interface StepIntoCommand {
  command: "step-into";
  arguments: {
  };
}

/** carry out one step of the paused run with all that it calls, and stand before the next one of its program */
export interface StepOverCommand {
  command: "step-over";
  arguments: {
  };
}

/** carry out what is left of the innermost program, and stand before the next step of its caller */
export interface StepOutCommand {
  command: "step-out";
  arguments: {
  };
}

/** let the paused run stand where it stood before */
export interface StepBackCommand {
  command: "step-back";
  arguments: {
    count?: number;
    line?: number;
  };
}

/** let the run that goes on stand before its next step */
export interface PauseCommand {
  command: "pause";
  arguments: {
  };
}

/** end the paused run; nothing of it is kept */
export interface StopRunCommand {
  command: "stop-run";
  arguments: {
  };
}

/** list the programs of the paused run: where each is, who called it, and its variables */
export interface RunStatusCommand {
  command: "run-status";
  arguments: {
  };
}

/** let runs stand before a line of a program */
export interface BreakCommand {
  command: "break";
  arguments: {
    program: string;
    line: number;
    condition?: string;
  };
}

/** list where runs stand */
export interface BreakpointsCommand {
  command: "breakpoints";
  arguments: {
  };
}

/** remove breakpoints: one, those of a program, or all */
export interface UnbreakCommand {
  command: "unbreak";
  arguments: {
    program?: string;
    line?: number;
  };
}

/** save the paused run, to go on with it later or in another process */
export interface SaveRunCommand {
  command: "save-run";
  arguments: {
    file: string;
    replace?: boolean;
  };
}

/** take up a run that was saved; it is paused where it was */
export interface LoadRunCommand {
  command: "load-run";
  arguments: {
    file: string;
  };
}

/** carry out a run on the cell as it was after a step of the history; written by the journal */
export interface AsOfCommand {
  command: "as-of";
  arguments: {
    step: number;
    line: string;
  };
}

/** run the present move and those to come at a part of their speed, in a run */
export interface OverrideCommand {
  command: "override";
  arguments: {
    percent: number;
    device?: string;
  };
}

/** stop a robot or solid on its path as soon as its limits allow, in a run; `resume-motion` goes on */
export interface HoldMotionCommand {
  command: "hold-motion";
  arguments: {
    device: string;
  };
}

/** go on with a move that is held, at the speed of its override */
export interface ResumeMotionCommand {
  command: "resume-motion";
  arguments: {
    device: string;
  };
}

/** stop a robot or solid on its path as soon as its limits allow, in a run, and give its move up */
export interface StopMotionCommand {
  command: "stop-motion";
  arguments: {
    device: string;
  };
}

/** bring a robot or solid, or everything, to rest as fast as its limits allow, in a run, and give its move up */
export interface EmergencyStopCommand {
  command: "emergency-stop";
  arguments: {
    device?: string;
  };
}

/** let a robot go to other joint values from the middle of a move, in a run */
export interface SupersedeJointsCommand {
  command: "supersede-joints";
  arguments: {
    robot: string;
    joints: number[];
  };
}

/** let a conveyor run on at a speed, whose sign is the direction */
export interface RunConveyorCommand {
  command: "run-conveyor";
  arguments: {
    conveyor: string;
    speed: number;
    reached?: boolean;
  };
}

/** let a conveyor come to rest as soon as its limits allow */
export interface StopConveyorCommand {
  command: "stop-conveyor";
  arguments: {
    conveyor: string;
    reached?: boolean;
  };
}

/** put a stop onto a belt: parts stand before it while the belt runs on under them */
export interface AddStopCommand {
  command: "add stop";
  arguments: {
    name: string;
    conveyor: string;
    place: number;
    signal?: string;
  };
}

/** let parts like an object come onto a belt, one after the other */
export interface AddSourceCommand {
  command: "add source";
  arguments: {
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
}

/** let parts be taken away where they come to the end of a belt, or to a place on it */
export interface AddSinkCommand {
  command: "add sink";
  arguments: {
    name: string;
    conveyor: string;
    place?: number;
  };
}

/** list the stops, sources and sinks with what they did */
export interface StationsCommand {
  command: "stations";
  arguments: {
  };
}

/** wait until a shared zone has room and enter it, in a program */
export interface EnterZoneCommand {
  command: "enter-zone";
  arguments: {
    zone: string;
  };
}

/** leave a shared zone, so that the program that has waited longest enters it, in a program */
export interface LeaveZoneCommand {
  command: "leave-zone";
  arguments: {
    zone: string;
  };
}

/** make something that goes wrong in runs: at a time, after some uses, or by chance */
export interface AddFaultCommand {
  command: "add fault";
  arguments: {
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
}

/** list the faults of the cell: of what, what begins them, and how they stand in the paused run */
export interface FaultsCommand {
  command: "faults";
  arguments: {
  };
}

/** let a fault begin now, in a run */
export interface InjectFaultCommand {
  command: "inject-fault";
  arguments: {
    fault: string;
  };
}

/** end a fault that has begun, in a run: what it is of is repaired */
export interface ClearFaultCommand {
  command: "clear-fault";
  arguments: {
    fault: string;
  };
}

/** move all joints of a robot to where it begins in the cell */
export interface HomeCommand {
  command: "home";
  arguments: {
    robot: string;
    profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
  };
}

/** bring the hand to a place before a pose, back along the hand's own z axis */
export interface ApproachCommand {
  command: "approach";
  arguments: {
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
}

/** move the hand straight back along its own z axis */
export interface RetractCommand {
  command: "retract";
  arguments: {
    robot: string;
    distance: number;
    speed?: number;
    profile?: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
    point?: "tool" | "grip";
  };
}

/** note that a process such as welding or gluing is switched on or off */
export interface ProcessCommand {
  command: "process";
  arguments: {
    robot: string;
    on: "on" | "off";
    process?: string;
  };
}

/** record a message for whoever watches */
export interface MessageCommand {
  command: "message";
  arguments: {
    text: string;
  };
}

/** round the corners of paths from here on, in a program */
export interface RoundingCommand {
  command: "rounding";
  arguments: {
    robot: string;
    radius: number;
  };
}

/** choose the point of the hand that the poses of moves are about from here on, in a program */
export interface ToolCommand {
  command: "tool";
  arguments: {
    robot: string;
    tcp?: string;
  };
}

/** let robots and mechanisms move in one timing, their joints in one row */
export interface CreateMachineCommand {
  command: "create machine";
  arguments: {
    name: string;
    members?: (string)[];
  };
}

/** list the machines, what they are made of, and their joint values now */
export interface MachinesCommand {
  command: "machines";
  arguments: {
  };
}

/** let an object go with the last link of a mechanism, from where it is */
export interface RideCommand {
  command: "ride";
  arguments: {
    part: string;
    mechanism: string;
  };
}

/** follow a seam with a robot while a positioner holds it downhand */
export interface WeldCommand {
  command: "weld";
  arguments: {
    robot: string;
    mechanism: string;
    path: string;
    speed: number;
    tolerance?: number;
    approach?: number;
    downhand?: number;
  };
}

/** follow the targets of a path with the hand, smoothly */
export interface MoveAlongCommand {
  command: "move-along";
  arguments: {
    robot: string;
    path: string;
    speed: number;
    tolerance?: number;
    approach?: number;
    axes?: string;
  };
}

/** take the part that the fingers are around, or the parts that cups or magnets are on */
export interface CloseGripperCommand {
  command: "close-gripper";
  arguments: {
    robot: string;
    distance?: number;
    angle?: number;
  };
}

/** set how far a part may fall when a gripper lets it go */
export interface AllowedFallCommand {
  command: "allowed-fall";
  arguments: {
    height: number;
  };
}

/** let the part go */
export interface OpenGripperCommand {
  command: "open-gripper";
  arguments: {
    robot: string;
    opening?: number;
    on?: string;
    settle?: boolean;
  };
}

/** attach a part to a robot as it is, without a test: for hooks, needles and whatever else holds it */
export interface GripCommand {
  command: "grip";
  arguments: {
    part: string;
    robot?: string;
  };
}

/** let go one part that a robot holds */
export interface ReleaseCommand {
  command: "release";
  arguments: {
    part: string;
    on?: string;
    settle?: boolean;
  };
}

/** weigh what a robot carries now against its payload */
export interface PayloadCommand {
  command: "payload";
  arguments: {
    robot: string;
  };
}

/** what touches what in the present state, where and how deep */
export interface ContactsCommand {
  command: "contacts";
  arguments: {
  };
}

/** prove that nothing touched in what was recorded, or say where something touches first */
export interface CheckRecordingCommand {
  command: "check recording";
  arguments: {
    here?: boolean;
  };
}

/** the share of a robot's joint space in which nothing touches, from random joint values within its limits */
export interface FreeShareCommand {
  command: "free-share";
  arguments: {
    robot: string;
    count: number;
    seed?: number;
  };
}

/** the least distance in the present state: of everything, of a robot, or between two bodies */
export interface ClearanceCommand {
  command: "clearance";
  arguments: {
    robot?: string;
    first?: string;
    second?: string;
  };
}

/** the least distance over every sample of what was recorded, and when it was */
export interface LeastClearanceCommand {
  command: "least-clearance";
  arguments: {
    robot?: string;
    first?: string;
    second?: string;
  };
}

/** prove that moving a robot's joints from here to there touches nothing, or say when it does */
export interface CertifyCommand {
  command: "certify";
  arguments: {
    robot: string;
    joints: number[];
  };
}

/** list what the pair table says: what is not used, allowed, and the margins; and what it proposes to allow */
export interface PairsCommand {
  command: "pairs";
  arguments: {
  };
}

/** whether two bodies are tested against each other now, and why or why not */
export interface WhyCommand {
  command: "why";
  arguments: {
    first: string;
    second: string;
  };
}

/** let two bodies touch from now on, with the reason */
export interface AllowCommand {
  command: "allow";
  arguments: {
    first: string;
    second: string;
    reason: string;
  };
}

/** test two bodies against each other, whatever the rules or an earlier decision say */
export interface TestCommand {
  command: "test";
  arguments: {
    first: string;
    second: string;
  };
}

/** forget what was decided about two bodies, and the margin between them; the rules hold again */
export interface ForgetCommand {
  command: "forget";
  arguments: {
    first: string;
    second: string;
  };
}

/** let a body or robot take part in collision tests again */
export interface UseBodyCommand {
  command: "use body";
  arguments: {
    name: string;
  };
}

/** leave a body or robot out of collision tests */
export interface IgnoreBodyCommand {
  command: "ignore body";
  arguments: {
    name: string;
  };
}

/** test a robot's links against each other, or not */
export interface TestSelfCommand {
  command: "test-self";
  arguments: {
    robot: string;
    on: boolean;
  };
}

/** require a clearance: of everything but a robot's own links, or of one pair; nearer counts as contact */
export interface MarginCommand {
  command: "margin";
  arguments: {
    distance: number;
    first?: string;
    second?: string;
  };
}

/** make a volume that robots keep out of, in which they slow down, or which programs share by turns */
export interface AddZoneCommand {
  command: "add zone";
  arguments: {
    name: string;
    shape: string;
    pose?: string;
    rule?: "keep-out" | "slow-down" | "shared";
    speed?: number;
    capacity?: number;
    robot?: string;
  };
}

/** list the zones, their rules, and what is in them now */
export interface ZonesCommand {
  command: "zones";
  arguments: {
  };
}

/** from when to when something was in each zone, and who, over what was recorded */
export interface ZoneTimesCommand {
  command: "zone-times";
  arguments: {
  };
}

/** the volume that a robot passes through on its way to these joint values, as a zone, to look at or as a block */
export interface AddSweptCommand {
  command: "add swept";
  arguments: {
    name: string;
    robot: string;
    joints: number[];
    tolerance?: number;
    kind?: "zone" | "ghost" | "block";
  };
}

/** make a sensor that is 1 while something breaks its beam */
export interface AddLightBarrierCommand {
  command: "add light-barrier";
  arguments: {
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
}

/** make a sensor that measures how far it is to the first body along its z axis */
export interface AddDistanceSensorCommand {
  command: "add distance-sensor";
  arguments: {
    name: string;
    pose?: string;
    thing?: string;
    link?: number;
    sees?: (string)[];
    ignores?: (string)[];
    range: number;
    thresholds?: number[];
  };
}

/** make a sensor that is 1 while a body is within a distance of its point, or in its box */
export interface AddProximitySensorCommand {
  command: "add proximity-sensor";
  arguments: {
    name: string;
    pose?: string;
    thing?: string;
    link?: number;
    sees?: (string)[];
    ignores?: (string)[];
    distance?: number;
    size?: number[];
  };
}

/** make a sensor that is 1 while its body touches another */
export interface AddContactSensorCommand {
  command: "add contact-sensor";
  arguments: {
    name: string;
    thing: string;
    link?: number;
    sees?: (string)[];
    ignores?: (string)[];
    distance?: number;
  };
}

/** make a sensor that weighs what rests on its body */
export interface AddWeightSensorCommand {
  command: "add weight-sensor";
  arguments: {
    name: string;
    thing: string;
    link?: number;
    sees?: (string)[];
    ignores?: (string)[];
  };
}

/** make a sensor that reads a joint in whole steps */
export interface AddEncoderCommand {
  command: "add encoder";
  arguments: {
    name: string;
    robot: string;
    joint: number;
    resolution: number;
  };
}

/** make a sensor that counts and lists the bodies that it sees */
export interface AddCameraCommand {
  command: "add camera";
  arguments: {
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
}

/** list the sensors, where they are, what counts for them and what they read now */
export interface SensorsCommand {
  command: "sensors";
  arguments: {
  };
}

/** what every move since the last reset took, what limited it, what robots carried, and who waited for zones */
export interface ReportCommand {
  command: "report";
  arguments: {
    clearance?: boolean;
    limits?: boolean;
  };
}

/** draw the joints of a robot over simulated time, as .svg or .png */
export interface PlotCommand {
  command: "plot";
  arguments: {
    robot: string;
    file: string;
  };
}

/** draw when robots moved, belts ran, programs were in shared zones, and faults and sensors, as .svg or .png */
export interface GanttCommand {
  command: "gantt";
  arguments: {
    file: string;
  };
}

/** write joints, signals and parts over time as .csv or .parquet */
export interface ExportRecordingCommand {
  command: "export-recording";
  arguments: {
    file: string;
    step?: number;
    replace?: boolean;
  };
}

/** say where two recordings differ first */
export interface CompareRecordingsCommand {
  command: "compare-recordings";
  arguments: {
    first: string;
    second: string;
    tolerance?: number;
  };
}

/** write what was recorded as an animated .glb or .gltf */
export interface ExportAnimationCommand {
  command: "export-animation";
  arguments: {
    file: string;
    rate?: number;
  };
}

/** film what was recorded, as .gif, or as .mp4 where ffmpeg is installed */
export interface FilmCommand {
  command: "film";
  arguments: {
    file: string;
    view?: string;
    rate?: number;
    factor?: number;
    width?: number;
    height?: number;
    clock?: boolean;
  };
}

/** take the last steps back */
export interface UndoCommand {
  command: "undo";
  arguments: {
    count?: number;
  };
}

/** do the last undone steps again */
export interface RedoCommand {
  command: "redo";
  arguments: {
    count?: number;
  };
}

/** list the last steps: when, by whom, what */
export interface HistoryCommand {
  command: "history";
  arguments: {
    count?: number;
  };
}

/** begin a group: what follows is one step, until `end` */
export interface GroupCommand {
  command: "group";
  arguments: {
  };
}

/** end the group: all that it did is one step */
export interface EndCommand {
  command: "end";
  arguments: {
  };
}

/** give the group up: nothing of it was done */
export interface CancelGroupCommand {
  command: "cancel-group";
  arguments: {
  };
}

/** make the cell smaller: let go of the states of old runs and moves, and of what was undone */
export interface CompactCommand {
  command: "compact";
  arguments: {
    keep?: number;
  };
}

/** see what a command would answer, without doing it */
export interface PreviewCommand {
  command: "preview";
  arguments: {
    command: string;
  };
}

/** save a copy of the cell: a .cell file, its text form, which git can merge, or a work cell file of Ding's */
export interface SaveCommand {
  command: "save";
  arguments: {
    file: string;
    journal?: string;
    replace?: boolean;
  };
}

/** merge another cell into this one, or carry out a script: a text file of commands, one a line */
export interface LoadCommand {
  command: "load";
  arguments: {
    file: string;
    base?: string;
    take?: "ours" | "theirs";
    prefix?: string;
  };
}

/** make a program from a text file of commands, or give the one of that name its text */
export interface LoadProgramCommand {
  command: "load-program";
  arguments: {
    name: string;
    file: string;
  };
}

/** write the text of a program to a file, to edit it and to load it again */
export interface SaveProgramCommand {
  command: "save-program";
  arguments: {
    program: string;
    file: string;
    replace?: boolean;
  };
}

/** save what was recorded since the last reset */
export interface SaveRecordingCommand {
  command: "save-recording";
  arguments: {
    file: string;
    replace?: boolean;
  };
}

/** look at a recording that was saved: play, report, plot, film, check and export it */
export interface LoadRecordingCommand {
  command: "load-recording";
  arguments: {
    file: string;
  };
}

/** make a picture of the scene */
export interface RenderCommand {
  command: "render";
  arguments: {
    file: string;
    view?: string;
    surfaces?: "shaded" | "solid" | "hidden-line" | "wireframe";
    edges?: "feature" | "all" | "none";
    axes?: boolean;
    width?: number;
    height?: number;
  };
}

/** make or change a named view: where it looks from and at */
export interface LookCommand {
  command: "look";
  arguments: {
    view: string;
    side?: "iso" | "front" | "back" | "left" | "right" | "top" | "bottom" | "xz" | "yz" | "xy";
    eye?: number[];
    target?: number[];
    twist?: number;
    projection?: "perspective" | "parallel";
    zoom?: number;
    near?: number;
  };
}

/** show an object, robot, zone or sensor in a named view, which then shows only what is displayed in it */
export interface DisplayCommand {
  command: "display";
  arguments: {
    thing: string;
    view: string;
  };
}

/** take an object, robot, zone or sensor out of a named view, clear the view, or with `all` the whole cell */
export interface ClearCommand {
  command: "clear";
  arguments: {
    thing: string;
    view?: string;
  };
}

/** choose what a bare number means */
export interface UnitsCommand {
  command: "units";
  arguments: {
    length: "mm" | "cm" | "m" | "um" | "inch" | "ft";
    angle: "deg" | "rad" | "turn";
  };
}

/** choose the scene that is shown and simulated */
export interface UseSceneCommand {
  command: "use scene";
  arguments: {
    scene: string;
  };
}

/** choose how position grows with time for robots that have no profile of their own */
export interface DefaultProfileCommand {
  command: "default-profile";
  arguments: {
    profile: "linear" | "345" | "spline" | "trapezoid" | "jerk" | "time-optimal" | "toppra";
  };
}

/** list the commands, or explain those that begin with these words, belong to a family or order programs */
export interface HelpCommand {
  command: "help";
  arguments: {
    topic?: string;
  };
}

export type AnyCommand =
  | CreateBlockCommand
  | CreateObjectCommand
  | CreateSceneCommand
  | CreateMechanismCommand
  | CreateGripperCommand
  | CreateFrameCommand
  | CreateGraspCommand
  | CreateTargetCommand
  | CreatePathCommand
  | CreateProgramCommand
  | CreateTaskCommand
  | CreateZoneCommand
  | CreateSignalCommand
  | CreateFaultCommand
  | CreateSensorCommand
  | CreateMaterialCommand
  | CreateViewCommand
  | CreateLightCommand
  | CreateColourCommand
  | AddSolidCommand
  | PlaceCommand
  | AttachCommand
  | DetachCommand
  | CopyCommand
  | RemoveCommand
  | ModifyCommand
  | AddPropertyCommand
  | DropPropertyCommand
  | ShowCommand
  | WhereCommand
  | ListCommand
  | QueryCommand
  | QueryRelationsCommand
  | CreateSurfaceCommand
  | ReshapeSurfaceCommand
  | CreatePatchCommand
  | ReshapePatchCommand
  | CreateCurveCommand
  | ReshapeCurveCommand
  | ReverseCurveCommand
  | BlendCommand
  | CreateRuledCommand
  | JoinCurvesCommand
  | EvaluateCommand
  | ControlPointsCommand
  | InsertKnotCommand
  | ElevateDegreeCommand
  | SubdivideCommand
  | SplitCommand
  | CreateIsocurveCommand
  | TrimPatchCommand
  | FacetCylinderCommand
  | FacetConeCommand
  | FacetTruncatedConeCommand
  | FacetSphereCommand
  | FacetEllipsoidCommand
  | FacetTorusCommand
  | FacetExtrusionCommand
  | FacetRevolutionCommand
  | CombineCommand
  | ExtrudeCommand
  | RevolveCommand
  | SweepCommand
  | ReshapeBlockCommand
  | MeasureCommand
  | CheckSolidCommand
  | ExerciseKernelCommand
  | FacesCommand
  | FaceAttachCommand
  | FaceDetachCommand
  | CheckFacesCommand
  | ImportSolidCommand
  | RepairCommand
  | ExportSolidCommand
  | ImportAssemblyCommand
  | CreateRobotCommand
  | RobotsCommand
  | DraftRobotCommand
  | DraftFrameCommand
  | OrientationTableCommand
  | DraftTurnCommand
  | DraftLengthsCommand
  | DraftLimitsCommand
  | DraftSlideCommand
  | CheckRobotCommand
  | FinishRobotCommand
  | AssignLinkCommand
  | MountCommand
  | UnmountCommand
  | AddJointCommand
  | CheckJointsCommand
  | AssembleRobotCommand
  | ImportLinksCommand
  | ExportLinksCommand
  | ExportLinkCommand
  | ImportRobotCommand
  | ExportRobotCommand
  | ImportWorldCommand
  | ExportWorldCommand
  | ReplaceRobotCommand
  | AddRailCommand
  | AddPositionerCommand
  | AddGantryCommand
  | AddConveyorCommand
  | AddSlideCommand
  | FitToolCommand
  | TakeOffCommand
  | PutBackCommand
  | CreateToolCommand
  | ToolsCommand
  | TargetsAlongEdgeCommand
  | TargetsAlongCurveCommand
  | TargetsOverFaceCommand
  | TargetsOfCommand
  | TargetsGridCommand
  | TargetsMirrorCommand
  | AddTargetCommand
  | AddFrameCommand
  | LearnTargetCommand
  | TouchUpCommand
  | CheckTargetsCommand
  | FkCommand
  | IkCommand
  | JacobianCommand
  | ReachCommand
  | AddEnvelopeCommand
  | DhBetweenCommand
  | BranchesCommand
  | ExportDirectKinematicsCommand
  | ExportInverseKinematicsCommand
  | CheckKinematicsCommand
  | MoveJointsRelativeCommand
  | MoveJointsAbsoluteCommand
  | SetJointsCommand
  | SpeedCommand
  | ProfileCommand
  | BranchCommand
  | TogetherCommand
  | SetSignalCommand
  | WaitForCommand
  | WaitCommand
  | ModeCommand
  | StepCommand
  | WatchCommand
  | ResetCommand
  | KeepStateCommand
  | MoveEndEffectorCommand
  | MoveStraightLineCommand
  | MoveCircularCommand
  | MovePathCommand
  | MoveHandCommand
  | FollowTableCommand
  | FollowFunctionCommand
  | MoveSolidCommand
  | WriteProgramCommand
  | CheckProgramCommand
  | StepsCommand
  | TidyProgramCommand
  | RunCommand
  | RunTogetherCommand
  | DebugCommand
  | ResumeCommand
  | StepIntoCommand
  | StepOverCommand
  | StepOutCommand
  | StepBackCommand
  | PauseCommand
  | StopRunCommand
  | RunStatusCommand
  | BreakCommand
  | BreakpointsCommand
  | UnbreakCommand
  | SaveRunCommand
  | LoadRunCommand
  | AsOfCommand
  | OverrideCommand
  | HoldMotionCommand
  | ResumeMotionCommand
  | StopMotionCommand
  | EmergencyStopCommand
  | SupersedeJointsCommand
  | RunConveyorCommand
  | StopConveyorCommand
  | AddStopCommand
  | AddSourceCommand
  | AddSinkCommand
  | StationsCommand
  | EnterZoneCommand
  | LeaveZoneCommand
  | AddFaultCommand
  | FaultsCommand
  | InjectFaultCommand
  | ClearFaultCommand
  | HomeCommand
  | ApproachCommand
  | RetractCommand
  | ProcessCommand
  | MessageCommand
  | RoundingCommand
  | ToolCommand
  | CreateMachineCommand
  | MachinesCommand
  | RideCommand
  | WeldCommand
  | MoveAlongCommand
  | CloseGripperCommand
  | AllowedFallCommand
  | OpenGripperCommand
  | GripCommand
  | ReleaseCommand
  | PayloadCommand
  | ContactsCommand
  | CheckRecordingCommand
  | FreeShareCommand
  | ClearanceCommand
  | LeastClearanceCommand
  | CertifyCommand
  | PairsCommand
  | WhyCommand
  | AllowCommand
  | TestCommand
  | ForgetCommand
  | UseBodyCommand
  | IgnoreBodyCommand
  | TestSelfCommand
  | MarginCommand
  | AddZoneCommand
  | ZonesCommand
  | ZoneTimesCommand
  | AddSweptCommand
  | AddLightBarrierCommand
  | AddDistanceSensorCommand
  | AddProximitySensorCommand
  | AddContactSensorCommand
  | AddWeightSensorCommand
  | AddEncoderCommand
  | AddCameraCommand
  | SensorsCommand
  | ReportCommand
  | PlotCommand
  | GanttCommand
  | ExportRecordingCommand
  | CompareRecordingsCommand
  | ExportAnimationCommand
  | FilmCommand
  | UndoCommand
  | RedoCommand
  | HistoryCommand
  | GroupCommand
  | EndCommand
  | CancelGroupCommand
  | CompactCommand
  | PreviewCommand
  | SaveCommand
  | LoadCommand
  | LoadProgramCommand
  | SaveProgramCommand
  | SaveRecordingCommand
  | LoadRecordingCommand
  | RenderCommand
  | LookCommand
  | DisplayCommand
  | ClearCommand
  | UnitsCommand
  | UseSceneCommand
  | DefaultProfileCommand
  | HelpCommand
  ;
