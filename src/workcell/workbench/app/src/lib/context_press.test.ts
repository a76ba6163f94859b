import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { contextPress } from "./context_press";

let element: HTMLElement;
let asked: number[][];

beforeEach(() => {
  vi.useFakeTimers();
  element = Object.assign(new EventTarget(), { getBoundingClientRect: () => ({ left: 10, top: 20, width: 100, height: 60 }) }) as unknown as HTMLElement;
  asked = [];
  contextPress(element, (x, y, target) => asked.push([x, y, target ? 1 : 0]));
});

afterEach(() => vi.useRealTimers());

function say(name: string, what: object): Event {
  const event = Object.assign(new Event(name, { cancelable: true }), { pointerType: "mouse", isPrimary: true, button: 0, clientX: 0, clientY: 0, ...what });
  element.dispatchEvent(event);
  return event;
}

test("the right button asks for the menu when it goes up, and the browser shows none of its own", () => {
  say("pointerdown", { button: 2, clientX: 40, clientY: 30 });
  expect(say("contextmenu", {}).defaultPrevented).toBe(true);
  expect(asked).toEqual([]);
  say("pointerup", { button: 2, clientX: 41, clientY: 30 });
  expect(asked).toEqual([[41, 30, 1]]);
});

test("a drag of the right button, which shifts the view, asks for none, even if it ends where it began", () => {
  say("pointerdown", { button: 2, clientX: 40, clientY: 30 });
  say("pointermove", { clientX: 90, clientY: 30 });
  say("pointermove", { clientX: 40, clientY: 30 });
  say("pointerup", { button: 2, clientX: 40, clientY: 30 });
  expect(asked).toEqual([]);
});

test("a finger that rests asks for the menu; one that moves, goes soon or gets company does not", () => {
  const down = (what = {}) => say("pointerdown", { pointerType: "touch", clientX: 5, clientY: 6, ...what });
  down();
  vi.advanceTimersByTime(700);
  expect(asked).toEqual([[5, 6, 1]]);
  expect(say("touchend", {}).defaultPrevented).toBe(true); // no click follows
  for (const end of [() => say("pointermove", { clientX: 50 }), () => say("pointerup", {}), () => say("pointercancel", {}), () => down({ isPrimary: false })]) {
    down();
    end();
    vi.advanceTimersByTime(700);
  }
  expect(asked.length).toBe(1);
  expect(say("touchend", {}).defaultPrevented).toBe(false);
});

test("the Menu key and Shift F10 ask for the menu of what has the focus", () => {
  say("keydown", { key: "ContextMenu" });
  say("keydown", { key: "F10", shiftKey: true });
  say("keydown", { key: "F10", shiftKey: false });
  expect(asked).toEqual([[60, 50, 0], [60, 50, 0]]);
});
