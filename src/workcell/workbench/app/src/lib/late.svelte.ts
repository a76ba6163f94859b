// Parts of the page that are loaded when they are first needed. Without the server that fails, and can be tried again.

/** Whether an error says that a part of the page could not be loaded. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|module script failed|preload CSS/i.test(error.message);
}

export const MISSING = "This part of the page could not be loaded. Try again when the server answers, or reload the page.";

/** Why something was not done, for people. */
export function sentenceOf(error: unknown): string {
  return isMissing(error) ? MISSING : (error as Error).message;
}

export class Late<T> {
  value = $state.raw<T>();
  /** Whether it could not be loaded. */
  failed = $state(false);
  private busy = false;

  constructor(private load: () => Promise<T>) {}

  /** Load it, unless it is here or on its way. */
  async fetch(): Promise<void> {
    if (this.value !== undefined || this.busy) return;
    this.busy = true;
    try {
      const value = await this.load();
      if (this.failed) await mendStyles();
      this.value = value;
      this.failed = false;
    } catch (error) {
      if (!isMissing(error)) throw error;
      this.failed = true;
    } finally {
      this.busy = false;
    }
  }

  /** What to do when the connection opens or is lost: try again what failed. Call it in an effect. */
  retry(open: boolean): void {
    if (open && this.failed) void this.fetch();
  }
}

/** Load the style sheets again that could not be loaded: what imports a part a second time does not. */
async function mendStyles(): Promise<void> {
  const broken = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')].filter((link) => !link.sheet);
  await Promise.all(
    broken.map((link) => {
      const again = link.cloneNode() as HTMLLinkElement;
      const done = new Promise((resolve) => (again.onload = again.onerror = resolve));
      link.replaceWith(again);
      return done;
    }),
  );
}
