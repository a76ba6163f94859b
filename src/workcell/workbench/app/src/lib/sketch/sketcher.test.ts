import { Matrix4 } from "three";
import { expect, test } from "vitest";
import type { FaceFacts, Sketch } from "../commands";
import { drawnOn } from "./planes";
import { Sketcher } from "./sketcher.svelte";

test("a rectangle and a circle are drawn by two clicks or by a drag, a polygon by clicks", () => {
  const sketcher = new Sketcher();
  for (const mode of ["rectangle", "circle"] as const) {
    sketcher.mode = mode;
    sketcher.click([0, 0]);
    sketcher.click([0.03, 0.04]);
    const clicked = sketcher.loops.at(-1);
    sketcher.click([0, 0]);
    sketcher.release([0.03, 0.04]);
    expect(sketcher.loops.at(-1)).toEqual(clicked);
    sketcher.release([0.1, 0.1]); // nothing was begun
    expect(sketcher.open).toEqual([]);
  }
  expect(sketcher.loops).toHaveLength(4);
  sketcher.mode = "polygon";
  sketcher.click([0, 0]);
  sketcher.release([0.03, 0.04]);
  expect(sketcher.open).toEqual([[0, 0]]);
});

test("a drag without a width leaves the first corner", () => {
  const sketcher = new Sketcher();
  sketcher.mode = "rectangle";
  sketcher.click([0, 0]);
  sketcher.release([0, 0.04]);
  expect([sketcher.loops.length, sketcher.open.length]).toEqual([0, 1]);
});

const MILLIMETRES = { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 };
const square = (size: number, names = { block: "part-1", surface: "part-1-sketch" }): Sketch => ({
  ...names,
  made: "extrude",
  boundaries: [{ hole: false, kind: "polygon", points: [[0, 0], [size, 0], [size, size], [0, size]], via: [null, null, null, null], radius: 0 }],
  matrix: [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
  vector: [0, 0, 0.05],
  angle: 0,
  point: null,
  direction: null,
  editable: true,
});

test("a sketch that somebody else changed meanwhile is written over only on demand", () => {
  const sketcher = new Sketcher(square(0.1));
  sketcher.length = 0.08;
  sketcher.follow([square(0.1)]);
  expect(sketcher.meanwhile).toBeUndefined();
  const theirs = square(0.2);
  sketcher.follow([theirs]);
  expect(sketcher.meanwhile).toEqual(theirs);
  expect(sketcher.lines(MILLIMETRES, "xyz" as never)).toHaveLength(1);
  sketcher.writeOver();
  const lines = sketcher.lines(MILLIMETRES, "xyz" as never);
  expect(lines.map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual(["reshape surface part-1-sketch", "reshape block part-1"]);
  expect(sketcher.meanwhile).toBeUndefined();
});

test("a sketch follows another name, and hears that it is gone", () => {
  const sketcher = new Sketcher(square(0.1));
  sketcher.length = 0.08;
  sketcher.follow([square(0.3, { block: "x", surface: "y" }), square(0.1, { block: "lid", surface: "lid-sketch" })]);
  expect([sketcher.meanwhile, sketcher.name, sketcher.lines(MILLIMETRES, "xyz" as never)]).toEqual([undefined, "lid", ["reshape block lid height 80"]]);
  sketcher.follow([]);
  expect(sketcher.meanwhile).toBe("removed");
  const again = sketcher.asNew();
  expect([again.was, again.loops, again.length, again.frame.equals(sketcher.frame)]).toEqual([undefined, sketcher.loops, 0.08, true]);
});

const FACE: FaceFacts = { name: "top", kind: "plane", area: 0.04, centre: [0, 0, 0.1], normal: [0, 0, 1] };

test("the part is placed on the face where the face is now, also if its thing was moved, turned or renamed", () => {
  const sketcher = new Sketcher();
  sketcher.choosePlane("face");
  sketcher.drawOn(drawnOn("7", "box1", FACE, new Matrix4().makeTranslation(0, 0, 0.1)));
  sketcher.name = "lid";
  sketcher.mode = "rectangle";
  sketcher.click([0, 0]);
  sketcher.click([0.05, 0.02]);
  const places = () => sketcher.lines(MILLIMETRES, "fanuc_wpr").filter((line) => /^(place|face)/.test(line));
  expect(places()).toEqual(["place lid at 0,0,200 euler fanuc_wpr 0,0,0", "face attach lid bottom to box1 top", "place object:lid at 0,0,200 euler fanuc_wpr 0,0,0"]);
  const pose = new Matrix4().makeRotationZ(Math.PI / 2).setPosition(0, 0.9, 0.1);
  sketcher.followFace({ thing: "crate", facts: FACE, pose });
  expect(places()).toEqual(["place lid at 0,900,200 euler fanuc_wpr 0,0,90", "face attach lid bottom to crate top", "place object:lid at 0,900,200 euler fanuc_wpr 0,0,90"]);
  expect(sketcher.lack).toBe("");
  sketcher.followFace({ thing: "crate", facts: { ...FACE, area: 0.09, centre: [0, 0, 0.15] }, pose });
  sketcher.takeFaceNow();
  expect(places()[0]).toBe("place lid at 0,900,250 euler fanuc_wpr 0,0,90");
});

test("a face that is gone or reshaped has to be chosen again, and the drawing stays", () => {
  const sketcher = new Sketcher();
  sketcher.mode = "rectangle";
  sketcher.click([0, 0]);
  sketcher.click([0.05, 0.02]);
  sketcher.choosePlane("face");
  expect(sketcher.lack).toBe("Choose the face to draw on.");
  sketcher.drawOn(drawnOn("7", "box1", FACE, new Matrix4()));
  expect(sketcher.lack).toBe("");
  for (const now of [undefined, { thing: "box1", facts: undefined, pose: new Matrix4() }]) {
    sketcher.followFace(now);
    expect([sketcher.faceNow, sketcher.lack]).toEqual(["gone", "Choose the face to draw on again."]);
  }
  sketcher.followFace({ thing: "box1", facts: { ...FACE, centre: [0, 0, 0.3] }, pose: new Matrix4() });
  expect(sketcher.lack).toBe("Choose the face to draw on again.");
  sketcher.takeFaceNow();
  expect([sketcher.lack, sketcher.frame.elements[14], sketcher.loops.length]).toEqual(["", 0.3, 1]);
  sketcher.followFace(undefined);
  sketcher.choosePlane("xz");
  expect([sketcher.lack, sketcher.loops.length]).toEqual(["", 1]);
});

test("the reason why a part cannot be made is given", () => {
  const sketcher = new Sketcher();
  expect(sketcher.lack).toBe("Draw a polygon, a rectangle or a circle.");
  sketcher.click([0, 0]);
  expect(sketcher.lack).toBe("Close the loop first.");
  sketcher.click([0.1, 0]);
  sketcher.click([0, 0.1]);
  sketcher.close();
  sketcher.length = 0;
  expect(sketcher.lack).toBe("The height is 0.");
});
