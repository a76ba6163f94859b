import { expect, test } from "vitest";
import { EXPORTS, freshName } from "./exports";

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
