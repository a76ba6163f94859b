// The text editor: CodeMirror with the languages of programs. Loaded when it is first shown.
import { autocompletion, closeBrackets, type CompletionContext, type CompletionResult, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, indentUnit, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, type Extension, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, gutter, GutterMarker, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { frontOf, type Light } from "../lit";
import type { Mark } from "../program_marks";
import { agentMode, commandMode } from "./modes";
import { loaded } from "./loading";
import { wordOf } from "./words";

export interface EditorHost {
  /** The lines changed by typing. */
  typed(text: string): void;
  complete(before: string): Promise<{ text: string; help: string }[]>;
  toggleBreak(line: number): void;
  /** The line of the cursor. */
  at(line: number): void;
}

/** The words of the languages, for colours. */
export interface Words {
  steps: ReadonlySet<string>;
  groups: ReadonlySet<string>;
  agent: ReadonlySet<string>;
}

const setLights = StateEffect.define<ReadonlyMap<number, Light>>();
const setBreaks = StateEffect.define<ReadonlyMap<number, string>>();
const LIGHTS: Record<Light, Decoration> = {
  stands: Decoration.line({ class: "cm-stands" }),
  runs: Decoration.line({ class: "cm-runs" }),
  called: Decoration.line({ class: "cm-called" }),
};

const lights = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(found, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setLights)) continue;
      const { doc } = transaction.state;
      const lines = [...effect.value].filter(([line]) => line >= 1 && line <= doc.lines).sort(([a], [b]) => a - b);
      return Decoration.set(lines.map(([line, light]) => LIGHTS[light].range(doc.line(line).from)));
    }
    return found.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

class BreakMarker extends GutterMarker {
  constructor(readonly when: string) {
    super();
  }

  override eq(other: BreakMarker): boolean {
    return this.when === other.when;
  }

  override toDOM(): HTMLElement {
    const dot = document.createElement("span");
    dot.className = this.when ? "cm-break cm-break-when" : "cm-break";
    dot.title = this.when ? `Breakpoint when ${this.when}` : "Breakpoint";
    return dot;
  }
}

const breaks = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(found, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setBreaks)) continue;
      const { doc } = transaction.state;
      const lines = [...effect.value].filter(([line]) => line >= 1 && line <= doc.lines).sort(([a], [b]) => a - b);
      return RangeSet.of(lines.map(([line, when]) => new BreakMarker(when).range(doc.line(line).from)));
    }
    return found.map(transaction.changes);
  },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)", fontWeight: "600" },
  { tag: tags.standard(tags.name), color: "var(--accent)" },
  { tag: tags.function(tags.variableName), color: "var(--code-function)" },
  { tag: tags.propertyName, color: "var(--code-keyword)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: tags.labelName, color: "var(--code-function)", fontWeight: "600" },
  { tag: tags.meta, color: "var(--muted)" },
]);

const THEME = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--panel)", color: "var(--text)", fontSize: "12.5px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--text)", paddingBottom: "40px" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--faint)", border: "0" },
  ".cm-activeLine": { backgroundColor: "transparent", boxShadow: "inset 0 0 0 1px var(--border-soft)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-stands": { backgroundColor: "var(--lit)", boxShadow: "inset 3px 0 0 var(--warn)" },
  ".cm-runs": { backgroundColor: "var(--accent-soft)", boxShadow: "inset 3px 0 0 var(--accent)" },
  ".cm-called": { boxShadow: "inset 3px 0 0 var(--border)" },
  ".cm-breaks": { width: "16px", cursor: "pointer" },
  ".cm-break": { display: "block", width: "10px", height: "10px", margin: "5px 3px 0", borderRadius: "50%", backgroundColor: "var(--danger)" },
  ".cm-break-when": { borderRadius: "2px", transform: "rotate(45deg)" },
  ".cm-tooltip": { border: "1px solid var(--border)", borderRadius: "5px", backgroundColor: "var(--panel)", boxShadow: "var(--shadow)" },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "14em" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-text)" },
  ".cm-completionDetail": { marginLeft: "1em", color: "var(--muted)", fontStyle: "normal", fontFamily: "var(--font)", fontSize: "11.5px" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-diagnostic": { fontFamily: "var(--font)", fontSize: "12px" },
});

const TOKENS = {
  builtin: tags.standard(tags.name),
  function: tags.function(tags.variableName),
};

export class Editor {
  private view: EditorView;
  private mode = new Compartment();
  private quiet = false;
  /** The program whose lines are shown, as a number; its history is its own. */
  private program = 0;
  private language = "";
  private lit = "";
  private marked: { lights: ReadonlyMap<number, Light>; breaks: ReadonlyMap<number, string>; problems: readonly Mark[] } = {
    lights: new Map(),
    breaks: new Map(),
    problems: [],
  };

  constructor(
    parent: HTMLElement,
    private host: EditorHost,
    private words: Words,
  ) {
    this.view = new EditorView({ parent, state: this.fresh("") });
  }

  /** A state with these lines and no history. */
  private fresh(doc: string): EditorState {
    return EditorState.create({ doc, extensions: this.extensions() });
  }

  private extensions(): Extension[] {
    const { host } = this;
    return [
      breaks,
      gutter({
        class: "cm-breaks",
        markers: (view) => view.state.field(breaks),
        domEventHandlers: {
          mousedown: (view, block) => {
            host.toggleBreak(view.state.doc.lineAt(block.from).number);
            return true;
          },
        },
      }),
      lineNumbers(),
      lintGutter(),
      history(),
      closeBrackets(),
      highlightActiveLine(),
      lights,
      indentUnit.of("  "),
      syntaxHighlighting(COLOURS),
      autocompletion({ override: [(context) => this.complete(context)], icons: false }),
      this.mode.of(this.modeOf(this.language)),
      keymap.of([
        { key: "Alt-b", run: (view) => (host.toggleBreak(view.state.doc.lineAt(view.state.selection.main.head).number), true) },
        ...completionKeymap,
        ...lintKeymap,
        ...historyKeymap,
        ...defaultKeymap,
        indentWithTab,
      ]),
      EditorView.contentAttributes.of({ "aria-label": "Program text" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !this.quiet) host.typed(update.state.doc.toString());
        if (update.selectionSet) host.at(update.state.doc.lineAt(update.state.selection.main.head).number);
      }),
      THEME,
    ];
  }

  /**
   * Show the lines of a program. Lines of another program begin a new history; other lines of the same one, which
   * somebody else wrote, are in no history, and what is the same stays, and so does the cursor.
   */
  show(program: number, text: string, language: string): void {
    const effects = language === this.language ? [] : [this.mode.reconfigure(this.modeOf(language))];
    this.language = language;
    this.quiet = true;
    if (program !== this.program) {
      this.program = program;
      this.view.setState(this.fresh(text));
      this.mark();
    } else {
      const change = loaded(this.view.state, text);
      if (change || effects.length > 0) this.view.dispatch({ ...change, effects });
    }
    this.quiet = false;
  }

  private modeOf(language: string): Extension {
    const { steps, groups, agent } = this.words;
    if (language === "agent") return StreamLanguage.define({ ...agentMode(agent), tokenTable: TOKENS });
    if (language === "commands") return StreamLanguage.define({ ...commandMode(steps, groups), tokenTable: TOKENS });
    return [];
  }

  /** Light lines; if they are others than before, the one to look at first is brought into view. */
  light(lines: ReadonlyMap<number, Light>): void {
    this.marked.lights = lines;
    this.view.dispatch({ effects: setLights.of(lines) });
    const lit = JSON.stringify([...lines]);
    if (lit === this.lit) return;
    this.lit = lit;
    const first = frontOf(lines);
    if (first !== undefined && first <= this.view.state.doc.lines) this.reveal(first);
  }

  breakAt(lines: ReadonlyMap<number, string>): void {
    this.marked.breaks = lines;
    this.view.dispatch({ effects: setBreaks.of(lines) });
  }

  /** Mark problems in the margin and under the words. */
  problems(marks: readonly Mark[]): void {
    this.marked.problems = marks;
    this.view.dispatch(setDiagnostics(this.view.state, this.diagnostics(marks)));
  }

  /** Mark a new state as the one before it was. */
  private mark(): void {
    const { lights: lines, breaks: stops, problems } = this.marked;
    this.view.dispatch({ effects: [setLights.of(lines), setBreaks.of(stops)] });
    this.problems(problems);
  }

  /** Put the cursor into a line, and show it. */
  go(line: number): void {
    const at = this.view.state.doc.line(Math.min(Math.max(1, line), this.view.state.doc.lines));
    this.view.dispatch({ selection: { anchor: at.from }, scrollIntoView: true });
    this.view.focus();
  }

  private reveal(line: number): void {
    const at = this.view.state.doc.line(line);
    this.view.dispatch({ effects: EditorView.scrollIntoView(at.from, { y: "nearest", yMargin: 40 }) });
  }

  private diagnostics(marks: readonly Mark[]): Diagnostic[] {
    const { doc } = this.view.state;
    return marks
      .filter((mark) => mark.line <= doc.lines)
      .map((mark) => {
        const line = doc.line(mark.line);
        const from = Math.min(line.from + mark.column, line.to);
        const word = /^(?:"[^"]*"|[^\s]+)/.exec(line.text.slice(from - line.from));
        return { from, to: Math.max(from, from + (word?.[0].length ?? 0)), severity: mark.severity, message: mark.message };
      });
  }

  private async complete(context: CompletionContext): Promise<CompletionResult | null> {
    const { typed, same } = wordOf(this.language);
    const word = context.matchBefore(typed);
    const argument = this.language === "agent" && context.matchBefore(/[^\s;][ \t]/);
    if (!word && !argument && !context.explicit) return null;
    const options = await this.host.complete(context.state.doc.sliceString(0, context.pos));
    if (options.length === 0) return null;
    return {
      from: word?.from ?? context.pos,
      options: options.map((option) => ({ label: option.text, detail: option.help })),
      validFor: same,
    };
  }

  dispose(): void {
    this.view.destroy();
  }
}
