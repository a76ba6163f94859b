import { expect, test } from "vitest";
import { FORMATS, filmLine, freshName, type Wanted, wantedLine } from "./exports";

test("a file is named after the cell and the moment", () => {
  const moment = new Date(2026, 0, 5, 9, 7, 3);
  expect(freshName("welding line.cell", moment, "csv")).toBe("welding-line-20260105-090703.csv");
  expect(freshName("", moment, "gif")).toBe("run-20260105-090703.gif");
  expect(freshName("../../Löten", moment, "glb")).toBe("Löten-20260105-090703.glb");
});

const wanted = (kind: string, name: string, ending: string): Wanted => ({ kind, name, ending, unit: "mm", view: "iso", size: [1280, 720] });

test("every format of everything is a command that writes the file that is then fetched", () => {
  for (const [kind, endings] of Object.entries(FORMATS)) {
    for (const ending of Object.keys(endings)) {
      const line = wantedLine(wanted(kind, "big box", ending), `download:/a.${ending}`);
      expect(line).toContain(` download:/a.${ending}`);
      expect(line.includes('"big box"')).toBe(kind !== "cell");
    }
  }
});

test("exports are the commands that a person would type", () => {
  expect(wantedLine(wanted("object", "peg", "stl"), "peg.stl")).toBe("export solid object:peg peg.stl mm");
  expect(wantedLine(wanted("object", "peg", "step"), "peg.step")).toBe("export solid object:peg peg.step");
  expect(wantedLine(wanted("robot", "Puma", "toml"), "p.toml")).toBe("export robot Puma p.toml");
  expect(wantedLine(wanted("scene", "main", "robosim"), "c.robosim")).toBe("export robosim scene:main c.robosim");
  expect(wantedLine(wanted("cell", "", "wld"), "c.wld")).toBe("export world c.wld");
  expect(wantedLine(wanted("cell", "", "png"), "c.png")).toBe("render c.png iso size 1280 720");
  expect(wantedLine(wanted("program", "job", "txt"), "job.txt")).toBe("save-program job job.txt");
  expect(wantedLine(wanted("robot", "Puma", "zip"), "p.zip")).toBe("export robot Puma p.zip");
});

test("a film is taken from where the window looks, or from a side", () => {
  const units = { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 };
  const film = { ending: "gif", side: "own", size: [640, 360] as const, factor: 2, rate: 15, clock: true };
  const camera = { eye: [1.5, -1.5, 1], target: [0, 0, 0.5], field: Math.PI / 6, parallel: false };
  expect(filmLine(film, "a.gif", camera, units)).toBe("film a.gif from 1500,-1500,1000 at 0,0,500 field 30 fps 15 factor 2 size 640 360 --clock");
  expect(filmLine({ ...film, side: "top", clock: false }, "a.gif", camera, units)).toBe("film a.gif view top fps 15 factor 2 size 640 360");
  expect(filmLine({ ...film, side: "from the door", clock: false }, "a.gif", camera, units)).toContain('view "from the door" fps');
});
