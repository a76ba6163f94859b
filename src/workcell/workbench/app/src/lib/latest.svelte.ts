// A question that is asked again whenever something changed: one at a time, and the last one is always answered.

export class Latest<T> {
  value = $state.raw<T>();
  /** Why the last question had no answer. */
  reason = $state("");
  busy = $state(false);
  private next: (() => Promise<T>) | undefined;
  private asking = false;
  private cleared = 0;

  /** @param all whether an answer is also kept if something else was asked meanwhile, as while a playhead moves on. */
  constructor(private all = false) {}

  /** Ask now, or after the question that is being answered; questions between the two are left out. */
  ask(question: () => Promise<T>): void {
    this.next = question;
    if (!this.asking) void this.answer();
  }

  /** Forget the answer, and every question. */
  clear(): void {
    this.cleared += 1;
    this.next = undefined;
    this.value = undefined;
    this.reason = "";
  }

  private async answer(): Promise<void> {
    this.asking = this.busy = true;
    while (this.next) {
      const question = this.next;
      const cleared = this.cleared;
      this.next = undefined;
      let value: T | undefined;
      let reason = "";
      try {
        value = await question();
      } catch (error) {
        reason = (error as Error).message;
      }
      if ((this.next && !this.all) || cleared !== this.cleared) continue;
      this.value = value;
      this.reason = reason;
    }
    this.asking = this.busy = false;
  }
}
