import { expect, test } from "vitest";
import { EXPORTS, filmLine, freshName } from "./exports";

test("a file is named after the cell and the moment", () => {
  const moment = new Date(2026, 0, 5, 9, 7, 3);
  expect(freshName("welding line.cell", moment, "csv")).toBe("welding-line-20260105-090703.csv");
  expect(freshName("", moment, "gif")).toBe("run-20260105-090703.gif");
  expect(freshName("../../Löten", moment, "glb")).toBe("Löten-20260105-090703.glb");
});

test("every export writes the file that is then fetched", () => {
  for (const kind of EXPORTS) expect(kind.line(`x.${kind.ending}`)).toContain(` x.${kind.ending}`);
  expect(new Set(EXPORTS.map((kind) => kind.id)).size).toBe(EXPORTS.length);
});

test("a film is taken from where the window looks, or from a side", () => {
  const units = { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 };
  const film = { ending: "gif", side: "own", size: [640, 360] as const, factor: 2, rate: 15, clock: true };
  const camera = { eye: [1.5, -1.5, 1], target: [0, 0, 0.5], field: Math.PI / 6, parallel: false };
  expect(filmLine(film, "a.gif", camera, units)).toBe("film a.gif from 1500,-1500,1000 at 0,0,500 field 30 fps 15 factor 2 size 640 360 --clock");
  expect(filmLine({ ...film, side: "top", clock: false }, "a.gif", camera, units)).toBe("film a.gif view top fps 15 factor 2 size 640 360");
});
