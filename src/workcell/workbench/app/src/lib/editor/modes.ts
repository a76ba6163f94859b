// How the languages of programs are coloured: a stream parser for each.
import type { StreamParser, StringStream } from "@codemirror/language";

const CONTROL = new Set(
  "parameter let if else while repeat for in from to by call return stop parallel and try on-error wait-until timeout frame verbatim end".split(" "),
);
const LOGIC = /^(?:and|or|not|true|false)(?![\w-])/;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?:mm|cm|m|um|inch|ft|deg|rad|turn|s|ms|min|kg|g|lb)?(?:\/s)?(?![\w])/i;
const WORD = /^[\p{L}_][\p{L}\p{N}_-]*/u;

interface CommandState {
  first: boolean;
  verbatim: boolean;
  step: string;
}

/** The command language: `words` are the steps, by their first words; `groups` the words inside their lines. */
export function commandMode(words: ReadonlySet<string>, groups: ReadonlySet<string>): StreamParser<CommandState> {
  return {
    name: "commands",
    startState: () => ({ first: true, verbatim: false, step: "" }),
    copyState: (state) => ({ ...state }),
    token(stream: StringStream, state: CommandState): string | null {
      if (stream.sol()) state.first = true;
      if (stream.eatSpace()) return null;
      if (state.verbatim) return verbatim(stream, state);
      if (stream.match(/^#(?![0-9a-fA-F]{6}(?!\w))/)) {
        stream.skipToEnd();
        return "comment";
      }
      if (stream.match(/^"[^"]*"?/)) return "string";
      if (stream.match(NUMBER)) return "number";
      const word = stream.match(WORD) as RegExpMatchArray | null;
      if (!word) {
        stream.next();
        return "operator";
      }
      return named(word[0], stream, state, words, groups);
    },
    languageData: { commentTokens: { line: "#" } },
  };
}

function verbatim(stream: StringStream, state: CommandState): string | null {
  if (state.first && stream.match(/^end\s*$/)) {
    state.verbatim = false;
    return "keyword";
  }
  state.first = false;
  stream.skipToEnd();
  return "meta";
}

function named(word: string, stream: StringStream, state: CommandState, words: ReadonlySet<string>, groups: ReadonlySet<string>): string | null {
  const first = state.first;
  state.first = false;
  if (first) {
    state.step = word;
    if (word === "verbatim") state.verbatim = true;
    if (CONTROL.has(word)) return "keyword";
    return words.has(word) ? "builtin" : null;
  }
  if (LOGIC.test(word)) return "keyword";
  if (CONTROL.has(state.step) && CONTROL.has(word)) return "keyword";
  if (stream.peek() === "(") return "function";
  return groups.has(word) ? "propertyName" : "variableName";
}

/** The Agent language: `words` are its commands. */
export function agentMode(words: ReadonlySet<string>): StreamParser<{ first: boolean }> {
  return {
    name: "agent",
    startState: () => ({ first: true }),
    token(stream, state): string | null {
      if (stream.sol()) state.first = true;
      if (stream.eatSpace()) return null;
      if (stream.match(/^;.*/)) return "comment";
      if (state.first && stream.match(/^[^\s:;,=\\]+:/)) return "labelName";
      if (stream.match(/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![^\s,;])/i)) return "number";
      if (stream.match(/^[,\\]/)) {
        state.first = stream.current() === ",";
        return "operator";
      }
      if (stream.match(/^[xyz]=/i)) return "propertyName";
      const word = stream.match(/^[^\s,;\\]+/) as RegExpMatchArray | null;
      if (!word) {
        stream.next();
        return null;
      }
      const first = state.first;
      state.first = false;
      return first && words.has(word[0]) ? "builtin" : "variableName";
    },
    languageData: { commentTokens: { line: ";" } },
  };
}
