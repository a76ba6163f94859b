// Shapes by hash: each is fetched once. The browser has a few connections; what waits for one waits there, not here.
import { parseGlb, type Shape } from "./glb";
import { type Host, place } from "./host";
import { joined } from "./parted";
import type { Shortage } from "./shortage.svelte";

const AT_ONCE = 64;
const PATIENCE = 10_000; // ms in which nothing of any shape arrived

export class ShapeLoader {
  /** The shapes that were asked for, with what stops those that are on their way. */
  private asked = new Map<string, AbortController | undefined>();
  private queue: string[] = [];
  private running = 0;
  /** The shapes that did not come, with the reasons. */
  private failed = new Map<string, string>();
  private silence: ReturnType<typeof setTimeout> | undefined;

  /** @param onfail called, too, with each shape that failed. */
  constructor(
    private host: Host,
    private shortage: Shortage,
    private onshape: (hash: string, shape: Shape) => void,
    private onfail: (hash: string) => void = () => {},
  ) {}

  want(hashes: Iterable<string>): void {
    for (const hash of hashes) {
      if (this.asked.has(hash)) continue;
      this.asked.set(hash, undefined);
      this.queue.push(hash);
    }
    while (this.running < AT_ONCE && this.queue.length > 0) void this.load(this.queue.shift()!);
  }

  /** Forget a shape, so that it is fetched again if it is wanted. */
  forget(hash: string): void {
    this.asked.delete(hash);
    if (this.failed.delete(hash)) this.report();
  }

  /** Ask again for the shapes that failed, and for those that were asked for and did not come. */
  private again(): void {
    const late = [...this.asked].filter(([, stop]) => stop);
    for (const [hash, stop] of late) {
      this.asked.delete(hash);
      stop!.abort();
    }
    const wanted = [...late.map(([hash]) => hash), ...this.failed.keys()];
    this.failed.clear();
    this.report();
    this.want(wanted);
  }

  private async load(hash: string): Promise<void> {
    if (!this.asked.has(hash)) return; // it was forgotten meanwhile
    const stop = new AbortController();
    const mine = () => this.asked.get(hash) === stop;
    this.asked.set(hash, stop);
    this.running += 1;
    if (this.running === 1) this.hear();
    try {
      const shape = parseGlb(await untilStopped(this.fetch(hash, stop.signal), stop.signal));
      if (!mine()) return;
      this.asked.set(hash, undefined);
      this.failed.delete(hash);
      this.onshape(hash, shape);
    } catch (error) {
      if (!mine()) return; // it was asked for again, or is not wanted any more
      this.asked.delete(hash); // fetched again with the next scene
      this.failed.set(hash, error instanceof TypeError ? "the server does not answer" : (error as Error).message);
      this.onfail(hash);
    } finally {
      this.running -= 1;
      this.hear();
      this.want([]);
    }
  }

  /** The bytes of a shape; each piece of them breaks the silence. */
  private async fetch(hash: string, signal: AbortSignal): Promise<ArrayBuffer> {
    const answer = await this.host.fetch(place(this.host, `glb/${hash}`), { signal });
    if (!answer.ok) throw new Error(await answer.text());
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    const reader = answer.body!.getReader();
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      pieces.push(value!);
      this.hear();
    }
    return joined(pieces).buffer;
  }

  /** Something arrived: the silence begins anew, if anything is still awaited. */
  private hear(): void {
    clearTimeout(this.silence);
    this.report();
    if (this.running > 0) this.silence = setTimeout(() => this.report(true), PATIENCE);
  }

  private report(silent = false): void {
    const again = () => this.again();
    const [reason] = this.failed.values();
    if (silent) this.shortage.report(this, `${shapes(this.running + this.queue.length, "has", "have")} not arrived; the server has sent nothing for ${PATIENCE / 1000} s.`, again);
    else if (reason !== undefined) this.shortage.report(this, `${shapes(this.failed.size, "is", "are")} missing: ${reason.replace(/\.$/, "")}.`, again);
    else this.shortage.clear(this);
  }

  dispose(): void {
    clearTimeout(this.silence);
    this.shortage.clear(this);
    for (const stop of this.asked.values()) stop?.abort();
    this.asked.clear();
    this.queue = [];
  }
}

function shapes(count: number, is: string, are: string): string {
  return count === 1 ? `A shape ${is}` : `${count} shapes ${are}`;
}

/** A promise that fails when it is stopped, even if nobody else does anything about it. */
function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("stopped")));
    work.then(resolve, reject);
  });
}
