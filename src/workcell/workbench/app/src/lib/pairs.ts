// Decisions on pairs of bodies: the rows of `pairs`, the lines that make decisions, and those that take them back.
import { quoted, quotedText } from "./text";

/** A row of `pairs`: what is decided about one body or two, and why. */
export interface Decision {
  state: string;
  first: string;
  second: string;
  why: string;
}

export const WAYS = { allow: "May touch", test: "Are tested", "ignore body": "Is not tested at all" } as const;

export function decided(rows: readonly (readonly unknown[])[]): Decision[] {
  return rows.map((row) => {
    const [state = "", first = "", second = "", why = ""] = row.map(String);
    return { state, first, second, why };
  });
}

/** The line that makes a decision. */
export function lineFor(way: keyof typeof WAYS, first: string, second: string, reason: string): string {
  if (way === "ignore body") return `ignore body ${quoted(first)}`;
  return `${way} ${quoted(first)} with ${quoted(second)}${way === "allow" ? ` because ${quotedText(reason)}` : ""}`;
}

/** What a press does about a decision: takes it `back`, or makes one that is only proposed. */
export interface Offer {
  line: string;
  title: string;
  word: string;
  back: boolean;
}

export function decisionOf({ state, first, second }: Decision): Offer | undefined {
  const pair = `${quoted(first)} with ${quoted(second)}`;
  switch (state) {
    case "allowed":
    case "tested":
    case "margin":
      return { line: `forget ${pair}`, title: "Let the rules apply again", word: "Forget", back: true };
    case "not used":
      return { line: `use body ${quoted(first)}`, title: "Test it again", word: "Test", back: true };
    case "not against itself":
      return { line: `test-self ${quoted(first)} yes`, title: "Test its links again", word: "Test", back: true };
    case "not tested":
      return { line: `test ${pair}`, title: "Test them anyway", word: "Test", back: false };
    case "proposed":
      return { line: lineFor("allow", first, second, "they touch in the initial state"), title: "Let them touch", word: "Allow", back: false };
    default:
      return undefined;
  }
}
