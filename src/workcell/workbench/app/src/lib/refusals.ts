// A refusal is shown by what caused it: a field takes the sentence of its own command, and no message repeats it.
import { getContext, onDestroy, setContext } from "svelte";

const CLAIM = Symbol("claim");

/** Let the fields below this component take the refusal that was just given. */
export function offerRefusals(claim: () => string): void {
  setContext(CLAIM, claim);
}

/**
 * A function that does what a field asks for, and answers with the sentence of its refusal; "" if it was done. When the field is
 * gone meanwhile, or about something else, the sentence is left for a message.
 */
export function refusalOf(): (work: () => unknown, still: () => boolean) => Promise<string> {
  const claim = getContext<(() => string) | undefined>(CLAIM);
  let here = true;
  onDestroy(() => (here = false));
  return async (work, still) => ((await work()) === false && here && still() ? (claim?.() ?? "") : "");
}

/** Whether a field of a form has what cannot be taken, or was just refused; it gets the focus then, and the form is not carried out. */
export function refusedIn(form: EventTarget | null): boolean {
  const field = (form as Element).querySelector<HTMLElement>("[aria-invalid=true], input:has(~ .refusal)");
  field?.focus();
  return field !== null;
}
