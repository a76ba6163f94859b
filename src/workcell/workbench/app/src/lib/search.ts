// Finding lines by typed words: every word has to occur; those that begin with the text come first.

export function found<T>(items: readonly T[], text: string, words: (item: T) => string): T[] {
  const asked = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (asked.length === 0) return [...items];
  const whole = asked.join(" ");
  return items
    .map((item) => ({ item, line: words(item).toLowerCase() }))
    .filter(({ line }) => asked.every((word) => line.includes(word)))
    .map(({ item, line }, i) => ({ item, i, rank: line.startsWith(whole) ? 0 : line.includes(whole) ? 1 : 2 }))
    .sort((a, b) => a.rank - b.rank || a.i - b.i)
    .map(({ item }) => item);
}

/** The items by what they have in common, in the order of its first occurrence. */
export function grouped<T>(items: readonly T[], common: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = common(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
