// A sketch while it is drawn: its loops, the plane, how it becomes a solid, and the commands that make it.
import { Matrix4 } from "three";
import type { Sketch } from "../commands";
import type { UnitNames } from "../protocol";
import { type Convention, fromRows, isAt, poseText } from "../rigid";
import { plain, quoted } from "../text";
import { type Circle, distance, fromBoundaries, type Loop, type Point, type Polygon, polygon, words, withLength, withoutCorner } from "./loops";
import { type DrawnOn, drawnOn, type FaceNow, isSameFace, type PlaneName, worldPlane } from "./planes";
import type { Making } from "./solid";

export type Mode = "polygon" | "rectangle" | "circle" | "change";

/** What is chosen in the sketch: a loop and, of a polygon, a corner. */
export interface Chosen {
  loop: number;
  corner: number;
}

const LEAST = 1e-6; // m: nothing smaller is drawn

export class Sketcher {
  loops = $state.raw<readonly Loop[]>([]);
  /** The corners of the loop that is being drawn. */
  open = $state.raw<readonly Point[]>([]);
  mode = $state<Mode>("polygon");
  chosen = $state.raw<Chosen>();
  grid = $state(0.01);
  plane = $state<PlaneName>("xy");
  /** Where the origin of the plane is in the world [m]. */
  origin = $state.raw<readonly number[]>([0, 0, 0]);
  /** Whether the plane is that of a face, and the face, once it is chosen. */
  onFace = $state(false);
  face = $state.raw<DrawnOn>();
  /** What became of the face: somebody else reshaped it, or it is gone. */
  faceNow = $state.raw<FaceNow | "gone">();
  /** Whether the part is attached to the face that it is drawn on, so that it moves with it. */
  stands = $state(true);
  made = $state<Making["made"]>("extrude");
  /** How far it is extruded [m]; below zero, against the normal of the plane. */
  length = $state(0.05);
  angle = $state(2 * Math.PI);
  /** The axis that it is revolved about. */
  point = $state.raw<Point>([0, 0]);
  direction = $state.raw<Point>([0, 1]);
  name = $state("");
  movable = $state(true);
  colour = $state("#8fa3b8");
  /** The sketch that is changed; undefined for a new one. */
  was = $state.raw<Sketch>();
  /** The same sketch as somebody else changed it since; "removed" if it is gone. */
  meanwhile = $state.raw<Sketch | "removed">();
  /** A plane that was found before, instead of a plane of the world. */
  private fixed: Matrix4 | undefined;
  private past: (readonly Loop[])[] = [];

  constructor(was?: Sketch) {
    this.was = was;
    if (!was) return;
    this.loops = fromBoundaries(was.boundaries);
    this.mode = "change";
    this.made = was.made;
    this.name = was.block;
    if (was.vector) this.length = was.vector[2];
    if (was.made === "revolve") this.angle = was.angle;
    if (was.point) this.point = [was.point[0], was.point[1]];
    if (was.direction) this.direction = [was.direction[0], was.direction[1]];
  }

  /** Compare the sketch with those of the part as it is now: another name or place is followed, another shape is noted. */
  follow(now: readonly Sketch[]): void {
    const { was } = this;
    if (!was) return;
    const found =
      now.find((one) => one.block === was.block) ?? now.find((one) => one.surface === was.surface) ?? now.find((one) => shapeOf(one) === shapeOf(was));
    if (!found?.editable) this.meanwhile = "removed";
    else if (shapeOf(found) !== shapeOf(was)) this.meanwhile = found;
    else {
      this.was = found;
      this.name = found.block;
      this.meanwhile = undefined;
    }
  }

  /** Let the drawing count as a change of what somebody else made of the sketch. */
  writeOver(): void {
    if (this.meanwhile === "removed") return;
    this.was = this.meanwhile ?? this.was;
    this.meanwhile = undefined;
  }

  /** The same drawing as a new part, in the same place. */
  asNew(): Sketcher {
    const made = new Sketcher();
    const { loops, length, angle, point, direction, grid, frame } = this;
    Object.assign(made, { loops, made: this.made, length, angle, point, direction, grid, mode: "change", stands: false });
    made.fixed = frame;
    return made;
  }

  /** Draw in a plane that is parallel to one of the world, or on a face that is still to be chosen. */
  choosePlane(plane: PlaneName | "face"): void {
    this.onFace = plane === "face";
    this.face = this.faceNow = this.fixed = undefined;
    if (plane !== "face") this.plane = plane;
  }

  /** Draw on a face of a thing. */
  drawOn(face: DrawnOn): void {
    this.face = face;
    this.faceNow = undefined;
  }

  /** Compare the face with the cell as it is now: the drawing moves with it; a face of another shape, or none, is noted. */
  followFace(now: FaceNow | undefined): void {
    const { face } = this;
    if (!face) return;
    if (!now?.facts) {
      this.faceNow = "gone";
    } else if (!isSameFace(face.facts, now.facts)) {
      this.faceNow = now;
    } else {
      this.faceNow = undefined;
      const frame = now.pose.clone().multiply(face.inside);
      if (now.thing !== face.thing || !isAt(frame, face.frame)) this.face = { ...face, thing: now.thing, frame };
    }
  }

  /** Draw on the face as somebody else made it. */
  takeFaceNow(): void {
    const { face, faceNow } = this;
    if (face && faceNow && faceNow !== "gone" && faceNow.facts) this.drawOn(drawnOn(face.id, faceNow.thing, faceNow.facts, faceNow.pose, face));
  }

  /** What is missing before the part can be made; "" if nothing is. */
  get lack(): string {
    if (this.onFace && !this.face) return "Choose the face to draw on.";
    if (this.faceNow) return "Choose the face to draw on again.";
    if (this.open.length > 0) return this.mode === "polygon" ? "Close the loop first." : "Click the second point first.";
    if (this.loops.length === 0) return "Draw a polygon, a rectangle or a circle.";
    return this.made === "extrude" && this.length === 0 ? "The height is 0." : "";
  }

  /** The frame of the plane in the world. */
  get frame(): Matrix4 {
    if (this.was) return fromRows(this.was.matrix);
    return this.face?.frame ?? this.fixed ?? worldPlane(this.plane, this.origin);
  }

  get making(): Making {
    if (this.made === "extrude") return { made: "extrude", height: this.length };
    return { made: "revolve", angle: this.angle, point: this.point, direction: this.direction };
  }

  /** Every corner that a new point may be in line with. */
  get corners(): Point[] {
    return [...this.loops.flatMap((loop) => (loop.kind === "circle" ? [loop.centre] : loop.points)), ...this.open];
  }

  private change(loops: readonly Loop[]): void {
    this.past.push(this.loops);
    this.loops = loops;
  }

  /** Take the last change of the sketch back. */
  undo(): void {
    if (this.open.length > 0) this.open = this.open.slice(0, -1);
    else this.loops = this.past.pop() ?? this.loops;
    this.chosen = undefined;
  }

  /** A click in the plane while something is drawn. */
  click(at: Point): void {
    const [first] = this.open;
    if (this.mode === "polygon") {
      if (first && this.open.length > 2 && distance(first, at) < LEAST) this.close();
      else if (!this.open.some((corner) => distance(corner, at) < LEAST)) this.open = [...this.open, at];
      return;
    }
    if (!first) {
      this.open = [at];
      return;
    }
    if (Math.min(Math.abs(at[0] - first[0]), Math.abs(at[1] - first[1])) < LEAST && this.mode === "rectangle") return;
    if (distance(first, at) < LEAST) return;
    this.open = [];
    this.change([...this.loops, spanned(this.mode, first, at)]);
  }

  /** The pointer is let go after a drag: a rectangle or a circle that the press began ends there. */
  release(at: Point): void {
    if (this.mode !== "polygon" && this.open.length === 1) this.click(at);
  }

  /** Join the last corner to the first. */
  close(): void {
    if (this.open.length < 3) return;
    this.change([...this.loops, polygon(this.open)]);
    this.open = [];
  }

  /** Put another loop in the place of one; several of a drag count as one change. */
  put(i: number, loop: Loop, further = false): void {
    const loops = this.loops.map((old, k) => (k === i ? loop : old));
    if (further) this.loops = loops;
    else this.change(loops);
  }

  remove(i: number): void {
    this.change(this.loops.filter((_, k) => k !== i));
    this.chosen = undefined;
  }

  setLength(i: number, edge: number, length: number): void {
    this.put(i, withLength(this.loops[i] as Polygon, edge, length));
  }

  /** Remove the chosen corner, or the whole loop if it is a circle or has no more than three. */
  removeChosen(): void {
    if (!this.chosen) return;
    const { loop: i, corner } = this.chosen;
    const loop = this.loops[i]!;
    if (loop.kind === "polygon" && corner >= 0 && loop.points.length > 3) this.put(i, withoutCorner(loop, corner));
    else this.remove(i);
    this.chosen = undefined;
  }

  /** The lines that make the part, or change it; one step of the history. */
  lines(units: UnitNames, convention: Convention): string[] {
    return this.was ? this.changes(this.was, units) : this.news(units, convention);
  }

  private news(units: UnitNames, convention: Convention): string[] {
    const size = units.lengthSize;
    const [name, surface] = [quoted(this.name), quoted(`${this.name}-sketch`)];
    const how =
      this.made === "extrude"
        ? `extrude ${name} ${surface} ${this.length > 0 ? plain(this.length / size) : `along 0,0,${plain(this.length / size)}`}`
        : `revolve ${name} ${surface} ${plain(this.angle / units.angleSize)} ${this.about(size)}`;
    const place = `place ${name} at ${poseText(this.frame, units, convention)}`;
    const lines = [
      `create surface ${surface} ${words(this.loops, size)}`,
      `${how} colour ${this.colour}`,
      place,
    ];
    if (this.attaches && this.face) {
      const { thing, facts } = this.face;
      lines.push(`face attach ${name} bottom to ${quoted(thing)} ${quoted(facts.name)}`, place.replace("place ", "place object:"));
    }
    return this.movable ? [...lines, `modify object:${name} movable yes`] : lines;
  }

  /** Whether the part can be attached to the face, and shall be. */
  get attaches(): boolean {
    return this.stands && this.face !== undefined && this.made === "extrude" && this.length > 0;
  }

  private about(size: number): string {
    const triple = ([x, y]: Point, unit: number) => `(${plain(x / unit)},${plain(y / unit)},0)`;
    return `about ${triple(this.point, size)} ${triple(this.direction, 1)}`;
  }

  private changes(was: Sketch, units: UnitNames): string[] {
    const size = units.lengthSize;
    const block = `reshape block ${quoted(was.block)}`;
    const before = new Sketcher(was);
    const lines: string[] = [];
    if (words(before.loops, size) !== words(this.loops, size)) lines.push(`reshape surface ${quoted(was.surface)} ${words(this.loops, size)}`);
    if (was.made === "extrude" && this.length !== before.length) {
      const [x = 0, y = 0] = was.vector ?? [];
      const slanted = x !== 0 || y !== 0 || this.length < 0;
      lines.push(slanted ? `${block} along ${[x, y, this.length].map((v) => plain(v / size)).join(",")}` : `${block} height ${plain(this.length / size)}`);
    }
    if (was.made === "revolve" && this.angle !== before.angle) lines.push(`${block} angle ${plain(this.angle / units.angleSize)}`);
    if (was.made === "revolve" && this.about(size) !== before.about(size)) lines.push(`${block} ${this.about(size)}`);
    return lines;
  }
}

/** What a drawing changes of a sketch, as text to compare. */
const shapeOf = ({ made, boundaries, vector, angle, point, direction }: Sketch) => JSON.stringify([made, boundaries, vector, angle, point, direction]);

/** The rectangle or circle between two points. */
export function spanned(mode: "rectangle" | "circle" | "change", a: Point, b: Point): Polygon | Circle {
  if (mode === "circle") return { kind: "circle", centre: a, radius: distance(a, b) };
  return polygon([a, [b[0], a[1]], b, [a[0], b[1]]]);
}
