// The solid over a sketch, for showing it while it is drawn. The server makes the exact one.
import { BufferAttribute, BufferGeometry, DoubleSide, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshLambertMaterial, ShapeUtils, Vector2, Vector3 } from "three";
import { holes, inside, type Loop, outline, type Point, signedArea } from "./loops";

/** How a sketch becomes a solid: along z of its plane [m], or about an axis in it [rad]. */
export type Making = { made: "extrude"; height: number } | { made: "revolve"; angle: number; point: Point; direction: Point };

const STEP = Math.PI / 24;

/** The solid, translucent and with its edges, in the frame of the sketch; undefined if nothing is drawn. */
export function solidOf(loops: readonly Loop[], making: Making, plane: Matrix4, colour: string): Group | undefined {
  const lines = loops.map(outline);
  const hole = holes(loops);
  if (lines.length === 0) return undefined;
  const oriented = lines.map((line, i) => (signedArea(line) > 0 === hole[i] ? [...line].reverse() : line));
  const corners: number[] = [];
  const edges: number[] = [];
  const frames = framesOf(making);
  for (const line of oriented) walls(line, frames, corners, edges, making.made === "extrude");
  if (making.made === "extrude" || Math.abs(making.angle) < 2 * Math.PI - 1e-9) {
    const caps = capOf(oriented, hole);
    for (const frame of [frames[0]!, frames.at(-1)!]) for (const p of caps) corners.push(...at(p, frame));
  }
  const group = new Group();
  const solid = new BufferGeometry().setAttribute("position", new BufferAttribute(Float32Array.from(corners), 3));
  solid.computeVertexNormals();
  const drawn = new BufferGeometry().setAttribute("position", new BufferAttribute(Float32Array.from(edges), 3));
  group.add(new Mesh(solid, new MeshLambertMaterial({ color: colour, side: DoubleSide, transparent: true, opacity: 0.55, depthWrite: false })));
  group.add(new LineSegments(drawn, new LineBasicMaterial({ color: colour })));
  group.applyMatrix4(plane);
  return group;
}

const at = ([x, y]: Point, frame: Matrix4) => new Vector3(x, y, 0).applyMatrix4(frame).toArray();

/** The frames that the sketch passes through. */
function framesOf(making: Making): Matrix4[] {
  if (making.made === "extrude") return [new Matrix4(), new Matrix4().makeTranslation(0, 0, making.height)];
  const count = Math.max(2, Math.ceil(Math.abs(making.angle) / STEP));
  const [x, y] = making.point;
  const axis = new Vector3(...making.direction, 0).normalize();
  return Array.from({ length: count + 1 }, (_, i) =>
    new Matrix4()
      .makeTranslation(x, y, 0)
      .multiply(new Matrix4().makeRotationAxis(axis, (making.angle * i) / count))
      .multiply(new Matrix4().makeTranslation(-x, -y, 0)),
  );
}

function walls(line: readonly Point[], frames: readonly Matrix4[], corners: number[], edges: number[], upright: boolean): void {
  line.forEach((p, i) => {
    const q = line[(i + 1) % line.length]!;
    for (let k = 0; k + 1 < frames.length; k += 1) {
      const [a, b] = [frames[k]!, frames[k + 1]!];
      corners.push(...at(p, a), ...at(q, a), ...at(q, b), ...at(p, a), ...at(q, b), ...at(p, b));
    }
    for (const frame of [frames[0]!, frames.at(-1)!]) edges.push(...at(p, frame), ...at(q, frame));
    if (upright && line.length < 40) edges.push(...at(p, frames[0]!), ...at(p, frames.at(-1)!));
  });
}

/** The flat region between contours and holes, as triangles. */
function capOf(lines: readonly (readonly Point[])[], hole: readonly boolean[]): Point[] {
  const flat = (line: readonly Point[]) => line.map(([x, y]) => new Vector2(x, y));
  return lines.flatMap((line, i) => {
    if (hole[i]) return [];
    const within = lines.filter((other, k) => hole[k] && inside(other[0]!, line));
    const all = [line, ...within].flat();
    return ShapeUtils.triangulateShape(flat(line), within.map(flat)).flatMap((three) => three.map((k) => all[k]!));
  });
}
