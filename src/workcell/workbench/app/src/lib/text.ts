// Numbers and times as text.
import type { UnitNames } from "./protocol";
import { decimals, ownUnit } from "./units";

/** A clock: `0:04.07`, `12:34.50`, `1:02:03.00`. */
export function clock(seconds: number): string {
  const hundredths = Math.round(Math.max(0, seconds) * 100);
  const s = Math.floor(hundredths / 100) % 60;
  const m = Math.floor(hundredths / 6000) % 60;
  const h = Math.floor(hundredths / 360000);
  const rest = `${String(s).padStart(2, "0")}.${String(hundredths % 100).padStart(2, "0")}`;
  return h > 0 ? `${h}:${String(m).padStart(2, "0")}:${rest}` : `${m}:${rest}`;
}

/** A number with at most `digits` decimals and no minus zero. */
export function tidy(value: number, digits = 2): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}

/** A length [m] in the unit of the cell, to a tenth of a millimetre. */
export function lengthText(metres: number, { length, lengthSize }: UnitNames): string {
  return `${tidy(metres / lengthSize, decimals(length, 2))} ${length}`;
}

/** Round steps for the ticks of an axis: 1, 2 or 5 times a power of ten, about `wanted` of them. */
export function ticks(length: number, wanted: number): number[] {
  if (!(length > 0)) return [0];
  const raw = length / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((size) => size >= raw - 1e-12) ?? 10 * power;
  const out: number[] = [];
  for (let i = 0; i * step <= length + 1e-9; i++) out.push(Number((i * step).toPrecision(12)));
  return out;
}

/** The common beginning of all texts. */
export function commonStart(texts: string[]): string {
  let start = texts[0] ?? "";
  for (const text of texts) while (!text.startsWith(start)) start = start.slice(0, -1);
  return start;
}

/** Angles [rad] about z, y, x in that order (R = Rz·Ry·Rx) of a quaternion w x y z. */
export function zyx(w: number, x: number, y: number, z: number): [number, number, number] {
  const s = 2 * (w * y - x * z);
  const a = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
  const b = Math.asin(Math.min(1, Math.max(-1, s)));
  const c = Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
  return [a, b, c];
}

/** A name as the command language reads it: in quotes if it has blanks. */
export function quoted(name: string): string {
  return /^[^\s"'#&;()[\]]+$/.test(name) ? name : `"${name}"`;
}

/** What cannot stand inside quotes on one line, written as in URLs: percent signs, quotes and line ends. */
function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll('"', "%22").replaceAll("\n", "%0A").replaceAll("\r", "%0D");
}

/** Any text as the command language reads it: in quotes. */
export function quotedText(text: string): string {
  return `"${escaped(text)}"`;
}

/** A file as the command language reads it: as a name, with quotes and percent signs escaped. */
export function quotedFile(path: string): string {
  return quoted(escaped(path));
}

/** The number that was typed, with a point or a comma before its decimals; NaN for all else, such as 1,000 or 1+1. */
export function numberOf(text: string): number {
  const typed = text.trim();
  if (/^[-+]?[1-9]\d{0,2}(,\d{3})+$/.test(typed)) return NaN; // thousands or decimals: nobody knows
  if (!/^[-+]?(\d+([.,]\d*)?|[.,]\d+)(e[-+]?\d+)?$/i.test(typed)) return NaN;
  const number = Number(typed.replace(",", "."));
  return Number.isFinite(number) ? number : NaN;
}

/**
 * The number that was typed, in `unit`; a length or an angle may have a unit of its own, such as 10cm or 90deg.
 *
 * @param begun the unit that the field showed when typing began: that of a number without a unit.
 */
export function numberIn(text: string, unit: string, begun = unit): number {
  const found = ownUnit(text, unit, begun);
  if (!found) return NaN;
  const number = numberOf(found.digits);
  return found.factor === 1 ? number : Number((number * found.factor).toPrecision(12));
}

/** A number as a command line has it: at most `digits` decimals, and no zeros at the end. */
export function plain(value: number, digits = 6): string {
  return String(Number(value.toFixed(digits)) || 0);
}

/** The value of a property as it is shown: a number with six digits, and its unit. */
export function brief(value: string): string {
  return value.replace(/^-?\d+\.\d+(?= \S+$|$)/, (digits) => String(Number(Number(digits).toPrecision(6))));
}

/** Names as one text, each with how often it is there: `belt, 2 × puma560`. */
export function counted(names: readonly string[]): string {
  return [...new Set(names)].map((name) => [names.filter((one) => one === name).length, name] as const).map(([count, name]) => (count > 1 ? `${count} × ${name}` : name)).join(", ");
}

/** An answer in one line: its first one, with the next if it ends in a colon, or how many lines a table has. */
export function headline(line: string, text: string): string {
  const [first = "", ...rows] = text.trim().split("\n");
  return rows.length > 0 && /\S {2,}\S/.test(first) ? `${line}: ${rows.length} ${rows.length === 1 ? "line" : "lines"}` : first.endsWith(":") ? `${first} ${rows[0]?.trim() ?? ""}`.trim() : first;
}

/** What the status bar has of a refused line: its sentence stands at its cause and in the console. */
export function refused(line: string): string {
  return `Refused: ${line}`;
}

/** The names of things as one text, to see whether they have changed. */
export const namesOf = (things: readonly { name: string }[] | undefined): string => (things ?? []).map(({ name }) => name).join("\n");
