// The text of the docs as blocks: what the pages of this project use of Markdown, and no more.

export type Inline = { kind: "text" | "code" | "strong" | "em"; text: string } | { kind: "link"; text: string; to: string };

export type Block =
  | { kind: "heading"; level: number; text: string; slug: string }
  | { kind: "paragraph"; text: string }
  | { kind: "list"; items: string[] }
  | { kind: "code"; text: string }
  | { kind: "table"; head: string[]; rows: string[][] };

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)]+)\)/g;

/** How links name a heading: `Now and playback` is `now-and-playback`. */
export const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .trim()
    .replace(/\s+/g, "-");

/** The pieces of a line: plain, code, strong, emphasised, links. */
export function inlines(text: string): Inline[] {
  const found: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > at) found.push({ kind: "text", text: text.slice(at, match.index) });
    const [whole, code, strong, em, label, to] = match;
    if (code !== undefined) found.push({ kind: "code", text: code });
    else if (strong !== undefined) found.push({ kind: "strong", text: strong });
    else if (em !== undefined) found.push({ kind: "em", text: em });
    else found.push({ kind: "link", text: label!, to: to! });
    at = match.index + whole.length;
  }
  if (at < text.length) found.push({ kind: "text", text: text.slice(at) });
  return found;
}

/** The blocks of a text. */
export function blocks(text: string): Block[] {
  const found: Block[] = [];
  const lines = text.split("\n");
  const cells = (line: string) => line.slice(1, line.lastIndexOf("|")).split("|").map((cell) => cell.trim());
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    const last = found.at(-1);
    const open = (lines[i - 1] ?? "").trim() !== ""; // this line goes on with the block before
    const heading = /^(#+) (.*)/.exec(line);
    if (line.startsWith("```")) {
      const end = lines.indexOf("```", i + 1);
      found.push({ kind: "code", text: lines.slice(i + 1, end < 0 ? undefined : end).join("\n") });
      i = end < 0 ? lines.length : end;
    } else if (heading) {
      found.push({ kind: "heading", level: heading[1]!.length, text: heading[2]!, slug: slugOf(heading[2]!) });
    } else if (line.startsWith("|")) {
      if (open && last?.kind === "table") last.rows.push(cells(line));
      else {
        found.push({ kind: "table", head: cells(line), rows: [] });
        i += 1; // the line below the heads
      }
    } else if (line.startsWith("- ")) {
      if (last?.kind === "list") last.items.push(line.slice(2));
      else found.push({ kind: "list", items: [line.slice(2)] });
    } else if (line.trim() !== "" && !line.startsWith("![")) {
      if (open && last?.kind === "list") last.items.push(`${last.items.pop()!} ${line.trim()}`);
      else if (open && last?.kind === "paragraph") last.text += ` ${line.trim()}`;
      else found.push({ kind: "paragraph", text: line.trim() });
    }
  }
  return found;
}

export interface Section {
  title: string;
  slug: string;
  blocks: Block[];
}

/** The sections under the headings of the second level; what stands before them is the first, under the title of the page. */
export function sections(text: string): Section[] {
  const found: Section[] = [];
  for (const block of blocks(text)) {
    if (block.kind === "heading" && block.level <= 2) found.push({ title: block.text, slug: block.slug, blocks: [] });
    else found.at(-1)?.blocks.push(block);
  }
  return found;
}
