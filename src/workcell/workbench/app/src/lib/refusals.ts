// A refusal is shown by what caused it: a field takes the sentence of its own command, and no message repeats it.
import { getContext, setContext } from "svelte";

const CLAIM = Symbol("claim");

/** Let the fields below this component take the refusal that was just given. */
export function offerRefusals(claim: () => string): void {
  setContext(CLAIM, claim);
}

/** A function that does what a field asks for, and answers with the sentence of its refusal; "" if it was done. */
export function refusalOf(): (work: () => unknown) => Promise<string> {
  const claim = getContext<(() => string) | undefined>(CLAIM);
  return async (work) => ((await work()) === false ? (claim?.() ?? "") : "");
}

/** A sentence below what it is about, above everything, until `over` is called. */
export function below(note: HTMLElement, over: () => void): { destroy: () => void } {
  const PATIENCE = 6000; // ms
  const { left, bottom, top } = note.previousElementSibling!.getBoundingClientRect();
  note.showPopover?.();
  const { width, height } = note.getBoundingClientRect();
  note.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
  note.style.top = `${bottom + 3 + height > innerHeight ? top - 3 - height : bottom + 3}px`;
  const soon = setTimeout(over, PATIENCE);
  return { destroy: () => clearTimeout(soon) };
}
