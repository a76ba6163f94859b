import { Euler, Matrix4, Vector3 } from "three";
import { expect, test } from "vitest";
import { axesOf, type Drag, type Flat, snapMove, snapTurn, tipOf, toMicrometres, turned } from "./snapping";

const STEPS = { length: 0.01, angle: Math.PI / 12 };
const at = (x: number, y: number, z: number) => new Matrix4().makeTranslation(x, y, z);
const origin = (pose: Matrix4) => new Vector3().setFromMatrixPosition(pose).toArray().map((value) => Math.round(1e6 * value) / 1e6);

/** A box of 0.4 × 0.3 × 0.2 m, moved from a pose. */
function box(start: Matrix4, axis: string, own = false): Drag {
  const half = [0.2, 0.15, 0.1];
  const turn = new Matrix4().extractRotation(start);
  const flats = [0, 1, 2].flatMap((i) =>
    [1, -1].map((sign): Flat => {
      const normal = new Vector3().setComponent(i, sign).applyMatrix4(turn);
      return { normal, centre: new Vector3().setComponent(i, sign * half[i]!).applyMatrix4(start) };
    }),
  );
  const extent = (direction: Vector3) => {
    const local = direction.clone().applyMatrix4(turn.clone().invert()).toArray();
    const far = local.reduce((sum, part, i) => sum + Math.abs(part) * half[i]!, 0);
    return [-far, far] as const;
  };
  return { start, axis, own, flats, extent };
}

test("a move snaps to the grid of the world along its axes only", () => {
  const start = at(0.1234, 0.5678, 0.1);
  expect(origin(snapMove(box(start, "X"), at(0.3871, 0.5678, 0.1), undefined, STEPS).pose)).toEqual([0.39, 0.5678, 0.1]);
  expect(origin(snapMove(box(start, "XY"), at(0.3871, 0.6049, 0.1), undefined, STEPS).pose)).toEqual([0.39, 0.6, 0.1]);
});

test("along its own axes a move snaps to steps from its start", () => {
  const start = at(0.123, 0, 0).multiply(new Matrix4().makeRotationZ(Math.PI / 2));
  const drag = box(start, "X", true);
  expect(axesOf(drag)[0]!.toArray().map(Math.round)).toEqual([0, 1, 0]);
  expect(origin(snapMove(drag, start.clone().setPosition(0.123, 0.0573, 0), undefined, STEPS).pose)).toEqual([0.123, 0.06, 0]);
});

test("along an axis a side meets the face, edge or corner under the pointer, if it is near", () => {
  const drag = box(at(0, 0, 0.5), "Z");
  const top = { kind: "face", point: new Vector3(0.7, 0, 0.37), normal: new Vector3(0, 0, 1) } as const;
  const met = snapMove(drag, at(0, 0, 0.49), top, STEPS);
  expect(origin(met.pose)).toEqual([0, 0, 0.47]); // its bottom, 0.1 below its origin
  expect(met.caught?.kind).toBe("face");
  expect(origin(snapMove(drag, at(0, 0, 0.9), top, STEPS).pose)).toEqual([0, 0, 0.9]);
  const side = { ...top, normal: new Vector3(1, 0, 0) };
  expect(snapMove(drag, at(0, 0, 0.48), side, STEPS).caught).toBe(undefined);
  const corner = { kind: "corner", point: new Vector3(0.223, 9, 9), normal: new Vector3(0, 0, 1) } as const;
  expect(origin(snapMove(box(at(0, 0, 0), "X"), at(0.02, 0, 0), corner, STEPS).pose)).toEqual([0.023, 0, 0]);
});

test("a free drag puts the nearest face flat onto the surface under the pointer", () => {
  const start = at(0, 0, 1).multiply(new Matrix4().makeRotationY(0.4));
  const under = { kind: "face", point: new Vector3(0.503, 0.298, 0.4), normal: new Vector3(0, 0, 1) } as const;
  const { pose } = snapMove(box(start, "XYZ"), at(9, 9, 9), under, STEPS);
  expect(origin(pose)).toEqual([0.5, 0.3, 0.5]);
  expect(new Vector3().setFromMatrixColumn(pose, 2).toArray().map((v) => Math.round(1e6 * v) + 0)).toEqual([0, 0, 1e6]);
  const wall = { kind: "edge", point: new Vector3(1, 0.123, 0.456), normal: new Vector3(-1, 0, 0) } as const;
  const on = snapMove(box(at(0, 0, 1), "XYZ"), at(9, 9, 9), wall, STEPS).pose;
  expect(origin(on)).toEqual([0.8, 0.123, 0.456]); // on an edge the grid does not count
  const round = { ...box(at(0, 0, 1), "XYZ"), flats: [], extent: () => [-0.25, 0.25] as const };
  expect(origin(snapMove(round, at(9, 9, 9), under, STEPS).pose)).toEqual([0.5, 0.3, 0.65]);
});

test("a target that is dragged onto a surface turns its z axis into it, and comes to the point", () => {
  const start = new Matrix4().makeRotationX(Math.PI).setPosition(0, 0, 1);
  const drag: Drag = { start, axis: "XYZ", own: false, flats: [tipOf(start)], extent: () => [0, 0] };
  for (const normal of [new Vector3(0, -1, 0), new Vector3(0, 0, 1), new Vector3(1, 2, 3).normalize()]) {
    const { pose } = snapMove(drag, start, { kind: "edge", point: new Vector3(0.5, -0.85, 0.1), normal }, STEPS);
    expect(origin(pose)).toEqual([0.5, -0.85, 0.1]);
    expect(new Vector3().setFromMatrixColumn(pose, 2).dot(normal)).toBeCloseTo(-1, 9);
    expect(pose.determinant()).toBeCloseTo(1, 9);
  }
});

test("a turn snaps to steps about its axis", () => {
  const start = at(1, 2, 3).multiply(new Matrix4().makeRotationFromEuler(new Euler(0.3, 0.2, 0.1)));
  const raw = new Matrix4().makeRotationZ(0.7).multiply(start).setPosition(1, 2, 3);
  const { pose } = snapTurn(box(start, "Z"), raw, STEPS);
  const [axis, angle] = turned(start, pose);
  expect(axis.z).toBeCloseTo(1);
  expect(angle).toBeCloseTo((45 * Math.PI) / 180);
  expect(origin(pose)).toEqual([1, 2, 3]);
  expect(turned(start, snapTurn(box(start, "Z"), new Matrix4().makeRotationZ(0.05).multiply(start), STEPS).pose)[1]).toBeCloseTo(0);
});

test("a thing laid onto a picked face has no noise of single precision in its place or its angles", () => {
  const start = at(1 / 3, 0.06, 1).multiply(new Matrix4().makeRotationZ(0.7));
  const normal = new Vector3(6e-8, -4e-8, 1).normalize();
  const { pose } = snapMove(box(start, "XYZ"), at(9, 9, 9), { kind: "face", point: new Vector3(1.29, 0.06, Math.fround(0.33)), normal }, STEPS);
  const put = toMicrometres(pose, start);
  expect(new Vector3().setFromMatrixPosition(put).toArray().map((value) => Number((1000 * value).toFixed(6)))).toEqual([1290, 60, 430]);
  expect(turned(start, put)[1]).toBe(0);
  const wall = { kind: "edge", point: new Vector3(1, 0, 0.5), normal: new Vector3(-1, 5e-8, 5e-8) } as const;
  const standing = snapMove(box(at(0, 0, 1).multiply(new Matrix4().makeRotationY(0.3)), "XYZ"), at(9, 9, 9), wall, STEPS).pose;
  standing.elements.slice(0, 11).forEach((part) => expect(Math.min(Math.abs(part), Math.abs(Math.abs(part) - 1))).toBeLessThan(1e-12));
});

test("rounding to micrometres keeps what a drag did not move", () => {
  const put = toMicrometres(at(0.5000004, 1 / 3 + 1e-12, 0.2), at(0, 1 / 3, 0.2));
  expect(new Vector3().setFromMatrixPosition(put).toArray()).toEqual([0.5, 1 / 3, 0.2]);
});
