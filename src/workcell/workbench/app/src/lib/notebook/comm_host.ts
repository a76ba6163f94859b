// The page in an output of a notebook: its way to the server is the line to the kernel.
import { type Asking, type Ears, type Host, place, type Socket } from "../host";
import type { Line } from "./line";
import type { Seat } from "./seat";

export class CommHost implements Host {
  readonly cell: string;
  readonly gallery: boolean;
  private awaited = new Map<Element, () => void>();
  private watcher: IntersectionObserver;

  constructor(
    private seat: Seat,
    private line: Line,
  ) {
    this.cell = seat.cell;
    this.gallery = seat.gallery;
    this.watcher = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting } of seen) if (isIntersecting) this.awaited.get(target)?.();
    });
  }

  get identity(): string {
    return this.seat.identity;
  }

  set identity(identity: string) {
    this.seat.identity = identity;
  }

  connect(ears: Ears): Socket {
    const who = this.identity ? `?client=${encodeURIComponent(this.identity)}` : "";
    return this.line.connect(place(this, "ws") + who, ears);
  }

  fetch(path: string, request?: Asking): Promise<Response> {
    return this.line.fetch(path, request && "body" in request ? request : undefined);
  }

  /** A picture is fetched when it is first seen. */
  show(image: HTMLImageElement, path: string): () => void {
    const forget = () => {
      this.watcher.unobserve(image);
      this.awaited.delete(image);
    };
    this.awaited.set(image, () => {
      forget();
      void this.load(image, path);
    });
    this.watcher.observe(image);
    return forget;
  }

  private async load(image: HTMLImageElement, path: string): Promise<void> {
    const answer = await this.line.fetch(path).catch(() => undefined);
    if (!answer?.ok) return; // an empty place, as for an address that fails
    const reader = new FileReader();
    reader.onload = () => (image.src = reader.result as string);
    reader.readAsDataURL(await answer.blob());
  }

  go(cell: string, gallery = false): void {
    Object.assign(this.seat, { cell, gallery });
    this.seat.reload();
  }
}
