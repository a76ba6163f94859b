// The keys of a plot: arrows seek, + and - zoom about the playhead, 0 shows everything.

export type Span = readonly [begin: number, end: number];

/** Where the playhead is and what is shown of the time [s]; undefined for all of it. */
export interface Shown {
  time: number;
  span: Span | undefined;
}

const STEPS: Record<string, number> = { ArrowLeft: -0.01, ArrowRight: 0.01, PageDown: -0.1, PageUp: 0.1 };
const ZOOMS: Record<string, number> = { "+": 0.5, "-": 2 };
const LEAST = 1e-3; // s

/** What a plot of `whole` shows after a key; undefined if the key does nothing there. */
export function afterKey(key: string, { time, span }: Shown, whole: Span): Shown | undefined {
  const [begin, end] = span ?? whole;
  const step = STEPS[key];
  if (step !== undefined) return sought(time + step * (end - begin), span, whole);
  if (key === "Home" || key === "End") return { time: key === "Home" ? begin : end, span };
  if (key === "0") return { time, span: undefined };
  const factor = ZOOMS[key];
  return factor === undefined ? undefined : { time, span: zoomed(time, [begin, end], factor, whole) };
}

/** The playhead at another time; what is shown moves along if it would leave it. */
function sought(wanted: number, span: Span | undefined, whole: Span): Shown {
  const time = clamped(wanted, whole);
  if (!span) return { time, span };
  const over = time - clamped(time, span);
  return { time, span: over === 0 ? span : [span[0] + over, span[1] + over] };
}

/** A part of the time that is larger or smaller; the playhead stays where it is in it, the middle if it is not seen. */
function zoomed(time: number, [begin, end]: Span, factor: number, whole: Span): Span | undefined {
  const length = Math.max(LEAST, (end - begin) * factor);
  if (length >= whole[1] - whole[0]) return undefined;
  const about = time < begin || time > end ? (begin + end) / 2 : time;
  const wanted = about - ((about - begin) / (end - begin)) * length;
  const first = clamped(wanted, [whole[0], whole[1] - length]);
  return [first, first + length];
}

const clamped = (value: number, [low, high]: Span) => Math.min(high, Math.max(low, value));
