// The smallest change that makes one text of another, so that the cursor and the marks of other lines stay.

export interface Replacement {
  from: number;
  to: number;
  insert: string;
}

export function replacement(before: string, after: string): Replacement | undefined {
  if (before === after) return undefined;
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shortest - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
