// The shapes that the view lacks: one sentence, and a way to ask for them again.

export class Shortage {
  private faults = $state.raw<ReadonlyMap<object, { sentence: string; again: () => void }>>(new Map());

  /** Why shapes are missing; "" if none is. */
  get sentence(): string {
    return this.faults.values().next().value?.sentence ?? "";
  }

  /** One that fetches shapes lacks some. */
  report(who: object, sentence: string, again: () => void): void {
    this.faults = new Map([...this.faults, [who, { sentence, again }]]);
  }

  /** It lacks nothing. */
  clear(who: object): void {
    if (this.faults.has(who)) this.faults = new Map([...this.faults].filter(([one]) => one !== who));
  }

  /** Ask for all of them again. */
  again(): void {
    for (const { again } of [...this.faults.values()]) again();
  }
}
