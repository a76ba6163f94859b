// Work that is done in turn: each piece begins when those before have ended.

export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  /** Do some work after all that was asked for before. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.last.then(work);
    this.last = mine.catch(() => {}); // whoever asked for it hears of it
    return mine;
  }
}
