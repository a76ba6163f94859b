// The values that the user gives for the parameters of programs; they stay for the next run.
import type { ParameterInfo, ProgramInfo, RunInfo } from "./protocol";
import { quoted, quotedText } from "./text";

const WORD = /^[\p{L}_][\w-]*$/u;
const ROW = /^[-+\d.\s]+(,[-+\d.\s]+)+$/;

/** A value as expressions write it: names and texts in quotes where they need them, rows of numbers in brackets. */
export function written({ type, kinds = [] }: ParameterInfo, text: string): string {
  const typed = text.trim();
  if (type === "text") return typed.startsWith('"') ? typed : quotedText(typed);
  if (type === "part" || type === "robot" || type === "place") return typed.startsWith('"') ? typed : quoted(typed);
  return kinds.length === 0 && ROW.test(typed) ? `(${typed})` : typed;
}

/** The things of some kinds as expressions name them: with the kind if the name is no word, or that of several of them. */
export function inExpressions(names: Readonly<Record<string, readonly string[]>>, kinds: readonly string[]): string[] {
  const things = kinds.flatMap((kind) => (names[kind] ?? []).map((name) => ({ kind, name })));
  const last = new Map(things.map(({ kind, name }) => [name, kind]));
  const shared = new Set(things.filter(({ kind, name }) => last.get(name) !== kind).map(({ name }) => name));
  return things.map(({ kind, name }) => (WORD.test(name) && !shared.has(name) ? name : `${kind}:${quoted(name)}`));
}

export class RunValues {
  /** What was typed, by the id of the program and the name of the parameter. */
  private typed = $state.raw<Readonly<Record<string, Readonly<Record<string, string>>>>>({});
  /** Why a value was refused. */
  private refused = $state.raw<{ program: string; parameter: string; sentence: string }>();

  constructor(private programs: { readonly info: RunInfo | undefined }) {}

  /** The parameters of a program. */
  parameters(program: string): readonly ParameterInfo[] {
    return this.named(program)?.parameters ?? [];
  }

  /** What is typed for a parameter; "" for its default. */
  of(program: string, parameter: string): string {
    return this.typed[this.named(program)?.id ?? ""]?.[parameter] ?? "";
  }

  set(program: string, parameter: string, text: string): void {
    const id = this.named(program)?.id;
    if (!id) return;
    this.typed = { ...this.typed, [id]: { ...this.typed[id], [parameter]: text } };
    if (this.refusal(program, parameter)) this.refused = undefined;
  }

  /** The values of a run, in the order of the parameters, up to the last one that is typed. */
  given(program: string): string[] {
    const parameters = this.parameters(program);
    const texts = parameters.map((one) => this.of(program, one.name).trim());
    const last = texts.map(Boolean).lastIndexOf(true);
    return parameters.slice(0, last + 1).map((one, i) => (texts[i] ? written(one, texts[i]) : (one.default ?? "")));
  }

  /** A value was refused; returns whether the program has the parameter. */
  refuse(program: string, parameter: string, sentence: string): boolean {
    const known = this.parameters(program).some((one) => one.name === parameter);
    if (known) this.refused = { program, parameter, sentence };
    return known;
  }

  /** Why the value of a parameter was refused; "" if it was not. */
  refusal(program: string, parameter: string): string {
    const { refused } = this;
    return refused?.program === program && refused.parameter === parameter ? refused.sentence : "";
  }

  /** Forget which value was refused. */
  forget(): void {
    this.refused = undefined;
  }

  /** What the window keeps, and takes up again. */
  get kept(): unknown {
    return this.typed;
  }

  resume(kept: unknown): void {
    const found: Record<string, Record<string, string>> = {};
    for (const [id, values] of entries(kept)) found[id] = Object.fromEntries(entries(values).flatMap(([name, text]) => (typeof text === "string" ? [[name, text]] : [])));
    this.typed = found;
  }

  private named(program: string): ProgramInfo | undefined {
    return this.programs.info?.programs.find((one) => one.name === program);
  }
}

const entries = (value: unknown): [string, unknown][] => Object.entries(typeof value === "object" && value !== null ? value : {});
