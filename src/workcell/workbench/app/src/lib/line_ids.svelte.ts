// The lines of a text under ids that stay while others insert, remove and move lines.

const MOST = 4e6; // pairs of lines that are compared; texts that differ in more have other lines

export class LineIds {
  private ids = $state.raw<readonly number[]>([]);
  private lines: readonly string[] = [];
  private last = 0;

  /** The id of a line, counted from 1; 0 if there is no such line. */
  of(line: number): number {
    return this.ids[line - 1] ?? 0;
  }

  /** The line that has an id, counted from 1; 0 if it is gone. */
  lineOf(id: number): number {
    return id ? this.ids.indexOf(id) + 1 : 0;
  }

  /** Take another text, whose lines are none of those before. */
  begin(text: string): void {
    this.lines = text.split("\n");
    this.ids = this.lines.map(() => (this.last += 1));
  }

  /** Take the text as it is now. Returns where a line of the text before is now; 0 if it is gone. */
  follow(text: string): (line: number) => number {
    const now = linesNow(this.lines, text.split("\n"));
    const kept = new Map([...now].map(([line, place]) => [place, this.of(line)]));
    this.lines = text.split("\n");
    this.ids = this.lines.map((_, i) => kept.get(i + 1) ?? (this.last += 1));
    return (line) => now.get(line) ?? 0;
  }
}

/**
 * Where each line of a text is in a later text, both counted from 1. Lines that are gone are left out, and so are lines
 * of which this cannot be known: an equal line was put before or behind them.
 *
 * Indentation does not count. A line that was changed in place stays itself. A line that was moved is found by its words, if no
 * other line has the same.
 */
export function linesNow(before: readonly string[], after: readonly string[]): Map<number, number> {
  const [old, now] = [before.map((line) => line.trim()), after.map((line) => line.trim())];
  const down = aligned(old, now);
  const up = aligned([...old].reverse(), [...now].reverse()).reverse();
  const found = new Map<number, number>();
  down.forEach((place, i) => {
    if (place >= 0 && place === now.length - 1 - up[i]!) found.set(i + 1, place + 1);
  });
  const taken = new Set(found.values());
  const moved = once(old);
  for (const [line, to] of once(now)) {
    const from = moved.get(line);
    if (line && from !== undefined && !found.has(from) && !taken.has(to)) found.set(from, to);
  }
  return found;
}

/** The lines of which there is only one, and where each is, counted from 1. */
function once(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  lines.forEach((line, i) => places.set(line, places.has(line) ? 0 : i + 1));
  return new Map([...places].filter(([, place]) => place > 0));
}

/** Where each line is in a later text, counted from 0, or -1; of several ways, the one whose lines are nearest to the start. */
function aligned(old: readonly string[], now: readonly string[]): number[] {
  const found = old.map(() => -1);
  const least = Math.min(old.length, now.length);
  let first = 0;
  while (first < least && old[first] === now[first]) found[first] = first++;
  let same = 0;
  while (same < least - first && old.at(-1 - same) === now.at(-1 - same)) found[old.length - 1 - same] = now.length - 1 - same++;
  common(old.slice(first, old.length - same), now.slice(first, now.length - same)).forEach((place, i) => {
    if (place >= 0) found[first + i] = first + place;
  });
  for (let i = 0; i < old.length; i += 1) {
    if (found[i]! >= 0) continue;
    let end = i;
    while (end < old.length && found[end]! < 0) end += 1;
    const [from, to] = [i > 0 ? found[i - 1]! + 1 : 0, end < old.length ? found[end]! : now.length];
    if (to - from === end - i) for (let k = i; k < end; k += 1) found[k] = from + k - i; // changed in place
    i = end;
  }
  return found;
}

/** The longest common subsequence of two lists of lines: where each line of the first is in the second, or -1. */
function common(old: readonly string[], now: readonly string[]): number[] {
  const found = old.map(() => -1);
  const width = now.length + 1;
  if (old.length * now.length === 0 || old.length * width > MOST) return found;
  const length = new Uint16Array((old.length + 1) * width); // of what is common to the rest of both
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const [here, below, beside] = [i * width + j, (i + 1) * width + j, i * width + j + 1];
      length[here] = old[i] === now[j] ? length[below + 1]! + 1 : Math.max(length[below]!, length[beside]!);
    }
  }
  for (let i = 0, j = 0; i < old.length && j < now.length; ) {
    if (old[i] === now[j]) found[i++] = j++;
    else if (length[(i + 1) * width + j]! >= length[i * width + j + 1]!) i += 1;
    else j += 1;
  }
  return found;
}
