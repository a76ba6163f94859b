// A question about the cell that is asked again a little after each change: one at a time, and no oftener than the server bears.

const SHARE = 4; // an answer that took t is asked for again after 4 t at the earliest
const MOST = 2000; // ms; one slow answer, such as the first of a new machine, does not put off all others

export class Repeated {
  /** How long the last answer took [ms]; 0 before the first. */
  took = 0;
  /** When it may be asked again. */
  private next = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asking = false;
  private again = false;

  /**
   * @param quiet how long nothing may change before the question is asked [ms].
   * @param question asks and shows the answer; returns nothing if there is nothing to ask.
   */
  constructor(
    private quiet: number,
    private question: () => Promise<void> | undefined,
  ) {}

  /** Ask soon; several changes in a row are one question. */
  refresh(wait = Math.max(this.quiet, this.next - performance.now())): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), wait);
  }

  private async ask(): Promise<void> {
    if (this.asking) {
      this.again = true;
      return;
    }
    const begun = performance.now();
    const answer = this.question();
    if (!answer) return;
    this.asking = true;
    await answer;
    const now = performance.now();
    this.took = now - begun;
    this.next = now + Math.min(SHARE * this.took, MOST);
    this.asking = false;
    if (this.again) this.refresh();
    this.again = false;
  }
}
