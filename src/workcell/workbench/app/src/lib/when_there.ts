// What is shown soon, but not yet.

const TRIES = 300; // ten a second

/** Ask again and again until there is something; nothing if it does not come. */
export async function whenThere<T>(ask: () => T[]): Promise<T[]> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const found = ask();
    if (found.length > 0) return found;
  }
  return [];
}
