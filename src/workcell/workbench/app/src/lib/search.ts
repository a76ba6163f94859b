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
