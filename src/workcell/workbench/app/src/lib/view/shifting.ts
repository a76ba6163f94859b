// Shifting and zooming by the pointer: a drag of the right or middle button, the wheel, a pinch on a trackpad, two fingers.

/** What a step of the wheel, of 100 pixels, leaves of the distance. */
const WHEEL = 0.95;
/** What a pixel of a drag of the middle button makes of the distance. */
const DRAG = 1.005;
/** The pixels of one unit of the wheel: pixels, lines or pages. */
const UNITS = [1, 16, 100];
/** A pinch on a trackpad comes as a wheel with `Ctrl`, in small numbers; a real wheel with `Ctrl` goes one step. */
const PINCH = 10;
const STEP = 100;
const [LEFT, MIDDLE, RIGHT] = [0, 1, 2];

/** A point of the pane [pixels from its upper left corner]. */
export interface Point {
  x: number;
  y: number;
}

/** Called with a factor of the distance, and with the points from which and to which what is seen there moves. */
export type Shift = (factor: number, from: Point, to: Point) => void;

export class Shifting {
  private fingers = new Map<number, Point>();
  private mouse: { begun: Point; last: Point; zooms: boolean } | undefined;
  private listening = new AbortController();

  constructor(
    private element: HTMLElement,
    private shift: Shift,
  ) {
    const heard = { capture: true, signal: this.listening.signal };
    element.addEventListener("wheel", this.turn, { ...heard, passive: false });
    element.addEventListener("pointerdown", this.press, heard);
    element.addEventListener("pointermove", this.move, heard);
    for (const end of ["pointerup", "pointercancel"] as const) element.addEventListener(end, this.release, heard);
  }

  private turn = (event: WheelEvent): void => {
    event.preventDefault();
    if (event.buttons) return;
    const way = event.deltaY * (UNITS[event.deltaMode] ?? 1);
    const taken = event.ctrlKey ? Math.max(-STEP, Math.min(STEP, PINCH * way)) : way;
    const at = this.at(event);
    if (taken) this.shift(WHEEL ** (-taken / 100), at, at);
  };

  private press = (event: PointerEvent): void => {
    const at = this.at(event);
    if (event.pointerType === "touch") this.fingers.set(event.pointerId, at);
    else if (event.button === MIDDLE || event.button === RIGHT || (event.button === LEFT && (event.ctrlKey || event.metaKey || event.shiftKey))) this.mouse = { begun: at, last: at, zooms: event.button === MIDDLE };
  };

  private move = (event: PointerEvent): void => {
    const { mouse, fingers } = this;
    const to = this.at(event);
    if (mouse && (to.x !== mouse.last.x || to.y !== mouse.last.y)) {
      if (mouse.zooms) this.shift(DRAG ** (to.y - mouse.last.y), mouse.begun, mouse.begun);
      else this.shift(1, mouse.last, to);
      mouse.last = to;
    }
    if (!fingers.has(event.pointerId)) return;
    const before = spread([...fingers.values()]);
    fingers.set(event.pointerId, to);
    const now = spread([...fingers.values()]);
    if (fingers.size === 2 && before.apart > 0 && now.apart > 0) this.shift(before.apart / now.apart, before, now);
  };

  private release = ({ pointerId }: PointerEvent): void => {
    this.fingers.delete(pointerId);
    this.mouse = undefined;
  };

  /** Do nothing more until the pointer is pressed anew. */
  drop(): void {
    this.fingers.clear();
    this.mouse = undefined;
  }

  private at({ clientX, clientY }: MouseEvent): Point {
    const { left, top } = this.element.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  dispose(): void {
    this.listening.abort();
  }
}

/** The middle of two points, and how far they are apart. */
function spread([a, b]: Point[]): Point & { apart: number } {
  if (!a || !b) return { x: 0, y: 0, apart: 0 };
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
}
