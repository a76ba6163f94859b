// Asking for a menu: by the right button, by a finger that rests, or by the keys for it.

const STILL = 5; // pixels that the pointer may wander
const RESTS = 550; // ms

/**
 * Call `open` where a menu is asked for [pixels of the window], with what is under the pointer; by a key, with nothing, for what
 * has the focus. A drag of the right button is no such wish.
 */
export function contextPress(element: HTMLElement, open: (x: number, y: number, target: Element | undefined) => void): { destroy: () => void } {
  let begun: { x: number; y: number; finger: boolean } | undefined;
  let asked = false;
  let rests: ReturnType<typeof setTimeout> | undefined;
  const listening = new AbortController();
  const listen = <K extends keyof HTMLElementEventMap>(name: K, heard: (event: HTMLElementEventMap[K]) => void) =>
    element.addEventListener(name, heard, { signal: listening.signal });
  const over = () => {
    clearTimeout(rests);
    begun = undefined;
  };
  const ask = ({ clientX: x, clientY: y, target }: PointerEvent) => {
    over();
    asked = true;
    open(x, y, target as Element);
  };

  listen("pointerdown", (event) => {
    const finger = event.pointerType !== "mouse" && event.isPrimary && event.button === 0;
    over();
    asked = false;
    if (!finger && event.button !== 2) return;
    begun = { x: event.clientX, y: event.clientY, finger };
    if (finger) rests = setTimeout(() => ask(event), RESTS);
  });
  listen("pointermove", ({ clientX, clientY }) => {
    if (begun && Math.hypot(clientX - begun.x, clientY - begun.y) > STILL) over();
  });
  listen("pointerup", (event) => {
    if (begun && !begun.finger && event.button === 2) ask(event);
    over();
  });
  listen("pointercancel", over);
  listen("touchend", (event) => {
    if (asked) event.preventDefault(); // otherwise the browser makes a click of it, which takes the focus from the menu
  });
  listen("contextmenu", (event) => event.preventDefault()); // the menu is ours
  listen("keydown", (event) => {
    if (event.key !== "ContextMenu" && !(event.key === "F10" && event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();
    const { left, top, width, height } = element.getBoundingClientRect();
    open(left + width / 2, top + height / 2, undefined);
  });
  return {
    destroy: () => {
      over();
      listening.abort();
    },
  };
}
