// Shapes by hash: each is fetched once. The browser has a few connections; what waits for one waits there, not here.
import { parseGlb, type Shape } from "./glb";
import { type Host, place } from "./host";

const AT_ONCE = 64;

export class ShapeLoader {
  private asked = new Set<string>();
  private queue: string[] = [];
  private running = 0;

  constructor(
    private host: Host,
    private onshape: (hash: string, shape: Shape) => void,
    private onfail: (hash: string, reason: string) => void,
  ) {}

  want(hashes: Iterable<string>): void {
    for (const hash of hashes) {
      if (this.asked.has(hash)) continue;
      this.asked.add(hash);
      this.queue.push(hash);
    }
    while (this.running < AT_ONCE && this.queue.length > 0) void this.load(this.queue.shift()!);
  }

  /** Forget a shape, so that it is fetched again if it is wanted. */
  forget(hash: string): void {
    this.asked.delete(hash);
  }

  private async load(hash: string): Promise<void> {
    this.running += 1;
    try {
      const answer = await this.host.fetch(place(this.host, `glb/${hash}`));
      if (!answer.ok) throw new Error(await answer.text());
      this.onshape(hash, parseGlb(await answer.arrayBuffer()));
    } catch (error) {
      this.asked.delete(hash); // fetched again with the next scene
      this.onfail(hash, (error as Error).message);
    } finally {
      this.running -= 1;
      this.want([]);
    }
  }
}
