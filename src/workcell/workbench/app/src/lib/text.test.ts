import { expect, test } from "vitest";
import { ANGLES, LENGTHS } from "./protocol";
import { brief, clock, commonStart, counted, headline, lengthText, numberIn, numberOf, quoted, quotedFile, quotedText, refused, ticks, tidy, zyx } from "./text";

test("clocks", () => {
  expect(clock(0)).toBe("0:00.00");
  expect(clock(4.0724)).toBe("0:04.07");
  expect(clock(59.999)).toBe("1:00.00");
  expect(clock(754.5)).toBe("12:34.50");
  expect(clock(3723)).toBe("1:02:03.00");
  expect(clock(-1)).toBe("0:00.00");
});

test("numbers without minus zero", () => {
  expect(tidy(-0.0004, 2)).toBe("0.00");
  expect(tidy(-12.345, 1)).toBe("-12.3");
});

test("ticks are round and about as many as wanted", () => {
  for (const length of [0.013, 0.7, 9.8902, 47, 3600, 1e5]) {
    const found = ticks(length, 8);
    expect(found[0]).toBe(0);
    expect(found.at(-1)!).toBeLessThanOrEqual(length + 1e-9);
    expect(found.length).toBeGreaterThan(2);
    expect(found.length).toBeLessThanOrEqual(10);
  }
  expect(ticks(9.8902, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(ticks(0, 8)).toEqual([0]);
});

test("what words begin with", () => {
  expect(commonStart(["move-joints-relative", "move-joints-absolute"])).toBe("move-joints-");
  expect(commonStart(["a", "b"])).toBe("");
  expect(commonStart([])).toBe("");
});

test("angles about z, y, x make the rotation again", () => {
  for (let k = 0; k < 50; k++) {
    const [a, b, c] = [Math.sin(k) * 3, Math.cos(3 * k) * 1.5, Math.sin(7 * k) * 3];
    const half = (angle: number) => [Math.cos(angle / 2), Math.sin(angle / 2)] as const;
    const [[ca, sa], [cb, sb], [cc, sc]] = [half(a), half(b), half(c)];
    const w = ca * cb * cc + sa * sb * sc;
    const x = ca * cb * sc - sa * sb * cc;
    const y = ca * sb * cc + sa * cb * sc;
    const z = sa * cb * cc - ca * sb * sc;
    const found = zyx(w, x, y, z);
    [a, b, c].forEach((angle, i) => expect(found[i]).toBeCloseTo(angle, 9));
  }
});

test("typed numbers are whole texts, and thousands are not taken for decimals", () => {
  const right: [string, number][] = [["1000", 1000], [" -2.5 ", -2.5], ["0,125", 0.125], ["1,5", 1.5], [".5", 0.5], ["12,", 12], ["1e-3", 1e-3], ["1234,567", 1234.567]];
  for (const [text, value] of right) expect(numberOf(text)).toBe(value);
  for (const text of ["1,000", "-12,345,678", "1,2,3", "1+1", "NaN", "Infinity", "0x10", "1e999", "5 mm", "", "-", "."]) expect(numberOf(text)).toBeNaN();
});

test("a number may have its own unit", () => {
  expect(["10", "10cm", "0.5 m", "2in", "-3mm", "1e1mm"].map((text) => numberIn(text, "mm"))).toEqual([10, 100, 500, 50.8, -3, 10]);
  expect(["90", "90deg", "90°"].map((text) => numberIn(text, "°"))).toEqual([90, 90, 90]);
  expect(numberIn("180deg", "rad")).toBeCloseTo(Math.PI, 10);
  expect(numberIn("1rad", "deg")).toBeCloseTo(57.2957795131, 9);
  for (const [text, unit] of [["10deg", "mm"], ["10cm", "°"], ["10cm", ""], ["10 furlong", "mm"], ["cm", "mm"], ["1,000mm", "mm"], ["2*60", "mm"]]) expect(numberIn(text!, unit!)).toBeNaN();
});

test("a number without a unit is in the one that its field showed when typing began", () => {
  for (const table of [LENGTHS, ANGLES])
    for (const [begun, size] of Object.entries(table))
      for (const [unit, other] of Object.entries(table)) {
        expect(numberIn("12.5", unit, begun) * other).toBeCloseTo(12.5 * size, 9);
        expect(numberIn(`12.5${begun}`, unit, unit)).toBe(numberIn("12.5", unit, begun));
        expect(numberIn("12.5", `${unit}/s`, `${begun}/s`)).toBe(numberIn("12.5", unit, begun));
      }
  expect([numberIn("90", "rad", "°"), numberIn("1cm", "m", "mm")]).toEqual([Number((Math.PI / 2).toPrecision(12)), 0.01]);
  expect([numberIn("5", "mm", "°"), numberIn("5", "", "mm")]).toEqual([NaN, NaN]);
});

test("texts in quotes are read as they were", () => {
  const read = (text: string) => decodeURIComponent(/^"([^"\n\r]*)"$/.exec(text)![1]!); // the language escapes as URLs do
  for (const text of ['move-path "ABB IRB6400" through TP0', "100 %", "%22", "%2522", "a\nb\r\nc", '"', "", "wait 1"]) expect(read(quotedText(text))).toBe(text);
  expect([quoted("Puma"), quoted("ABB IRB6400"), quotedFile('a "b" 5%.stl')]).toEqual(["Puma", '"ABB IRB6400"', '"a %22b%22 5%25.stl"']);
});

test("a table is announced by its length, a sentence by itself", () => {
  expect(headline("home Puma", "Puma moved in 1 s\nIt touches nothing.")).toBe("Puma moved in 1 s");
  expect(headline("check moves", "from [s]  to [s]  verdict\n0         1       free\n1         2       free")).toBe("check moves: 2 lines");
  expect(headline("list", "name  kind\nbox   object\n")).toBe("list: 1 line");
  expect(headline("plan line 5", "line 5 of pick-and-place:\n  Puma: 2.76 s, proved free of contacts\n")).toBe("line 5 of pick-and-place: Puma: 2.76 s, proved free of contacts");
});

test("a property is shown with six digits", () => {
  expect(brief("45.8366236 deg/s")).toBe("45.8366 deg/s");
  expect(["200 mm/s", "1.5", "linear", "-60 mm, -60.1234567 mm", "2026.1234567.1"].map(brief)).toEqual(["200 mm/s", "1.5", "linear", "-60 mm, -60.1234567 mm", "2026.1234567.1"]);
});

test("names that are there several times are counted", () => {
  expect(counted(["Belt", "puma560", "puma560"])).toBe("Belt, 2 × puma560");
  expect(counted([])).toBe("");
});

test("the status bar names a refused line and leaves its sentence to its cause", () => {
  expect(refused("home Pma")).toBe("Refused: home Pma");
});

test("a length is written in the unit of the cell", () => {
  expect(lengthText(0.06534, { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: 1 })).toBe("65.3 mm");
  expect(lengthText(0.06534, { length: "m", angle: "deg", lengthSize: 1, angleSize: 1 })).toBe("0.0653 m");
});
