import { expect, test } from "vitest";
import { type Extent, shelved } from "./shelf";
import type { Triple } from "./view/appearance";

const box = (x: number, y: number, z: number): Extent => ({ low: [-x / 2, -y / 2, -z / 2], high: [x / 2, y / 2, z / 2] });
const CELL: Extent = { low: [-0.83, -0.62, 0], high: [1, 1.4, 2] };
const many = (count: number, one: Extent) => new Map(Array.from({ length: count }, (_, i) => [`b${i}`, one]));

function stand(things: ReadonlyMap<string, Extent>, around?: Extent): Extent[] {
  const places = shelved(things, around);
  return [...things].map(([id, { low, high }]) => {
    const at = places.get(id)!;
    return { low: low.map((value, i) => value + at[i]!) as Triple, high: high.map((value, i) => value + at[i]!) as Triple };
  });
}

const apart = (a: Extent, b: Extent, gap: number) => [0, 1].some((i) => a.low[i]! > b.high[i]! + gap || b.low[i]! > a.high[i]! + gap);

test("loose things stand on the floor beside the cell and beside each other", () => {
  const things = new Map([...many(30, box(0.3, 0.4, 0.2)), ["long", box(0.1, 7, 0.1)], ...[...many(5, { low: [1, 1, 1], high: [2, 3, 4] })].map(([id, one]) => [`far ${id}`, one] as const)]);
  const found = stand(things, CELL);
  expect(found).toHaveLength(36);
  found.forEach((one, i) => {
    expect(one.low[2]).toBeCloseTo(0, 9);
    expect(apart(one, CELL, 0.19)).toBe(true);
    for (const other of found.slice(0, i)) expect(apart(one, other, 0.19)).toBe(true);
  });
});

test("their places are round numbers, and do not change when the cell changes a little", () => {
  const things = many(4, box(0.123, 0.0777, 0.3));
  const before = [...shelved(things, CELL).values()];
  for (const [x, y, z] of before) {
    expect(Math.abs(100 * x - Math.round(100 * x))).toBeLessThan(1e-9);
    expect(Math.abs(100 * y - Math.round(100 * y))).toBeLessThan(1e-9);
    expect(z).toBe(0.15);
  }
  expect([...shelved(things, { low: [-0.9, -0.7, 0], high: [1.1, 1.3, 2.2] }).values()]).toEqual(before);
  expect([...shelved(things, { low: [-4.9, -0.7, 0], high: [1.1, 1.3, 2.2] }).values()]).not.toEqual(before);
});

test("an empty cell has its shelf beside the origin", () => {
  const [[x, y, z] = [NaN, NaN, NaN]] = shelved(many(1, box(0.4, 0.4, 0.4))).values();
  expect([x, y, z]).toEqual([-0.7, 0.2, 0.2]);
});
