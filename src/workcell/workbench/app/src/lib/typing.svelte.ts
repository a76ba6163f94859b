// What is typed into a field until it is taken. What was refused stays in the field, with the reason.
import { refusalOf } from "./refusals";

export class Typing<T> {
  typed = $state<string>();
  /** What was typed and refused, for which value of which field. */
  refused = $state.raw<{ typed: string; value: T; label: string }>();
  /** Why it is not taken. */
  refusal = $state("");
  /** The label of the field when typing began; numbers are in its unit. */
  begun = $state("");
  private outcome = refusalOf();

  /** @param field what the field shows now; call it while a component is made. */
  constructor(private field: () => { value: T; label: string }) {
    $effect(() => {
      const { value, label } = field();
      if (this.refused && (value !== this.refused.value || label !== this.refused.label)) this.forget(); // it is about something else now
    });
  }

  forget(): void {
    this.typed = this.refused = undefined;
    this.refusal = "";
  }

  type(text: string): void {
    if (this.typed === undefined) this.begun = this.field().label;
    this.typed = text;
    this.refused = undefined;
    this.refusal = "";
  }

  /** Hand over what was typed; if it is refused, it comes back with the reason. */
  async give(text: string, work: () => unknown): Promise<void> {
    const { value, label } = this.field();
    const still = () => this.typed === undefined && this.field().label === label && this.field().value === value;
    const sentence = await this.outcome(work, still);
    if (!sentence) return;
    this.refused = { typed: text, value, label };
    this.typed = text;
    this.refusal = sentence;
  }

  /** Enter takes what was typed, Escape forgets it. */
  key(event: KeyboardEvent, take: () => void, cancelled?: () => void): void {
    if (event.key === "Enter") take();
    else if (event.key === "Escape" && this.typed !== undefined) {
      this.forget();
      cancelled?.();
      event.stopPropagation();
    } else return;
    event.preventDefault();
  }
}
