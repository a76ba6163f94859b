// Work for something that the user may put another in the place of meanwhile: an open card, a picked face.

export class Once<T> {
  private about = $state.raw<T>();

  /** @param now what the work is for; undefined if there is nothing. */
  constructor(private now: () => T | undefined) {}

  /** Whether the work for what is there now goes on. */
  get busy(): boolean {
    return this.about !== undefined && this.about === this.now();
  }

  /** Do the work, unless it goes on; returns whether it was done and what it was for is still there. */
  async run(work: () => Promise<boolean>): Promise<boolean> {
    const about = this.now();
    if (about === undefined || this.busy) return false;
    this.about = about;
    try {
      return (await work()) && this.now() === about;
    } finally {
      if (this.about === about) this.about = undefined;
    }
  }
}
