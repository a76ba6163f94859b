import { expect, test } from "vitest";
import { isTyping, keyParts, type Pressed, pressedKey } from "./keys";

const press = (key: string, ...held: ("ctrlKey" | "metaKey" | "altKey" | "shiftKey")[]): string => {
  const event: Pressed = { key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
  for (const one of held) event[one] = true;
  return pressedKey(event);
};

test("keys are written as actions write them", () => {
  expect(press("z", "ctrlKey")).toBe("Ctrl+Z");
  expect(press("Z", "metaKey", "shiftKey")).toBe("Ctrl+Shift+Z");
  expect(press("F")).toBe("f"); // with caps lock
  expect(press("?", "shiftKey")).toBe("?");
  expect(press(" ")).toBe("Space");
  expect(press("ArrowUp", "shiftKey")).toBe("Shift+ArrowUp");
  expect(press("Tab", "shiftKey")).toBe("Shift+Tab");
});

test("readers see symbols", () => {
  expect(keyParts("Ctrl+Shift+Z")).toEqual(["Ctrl", "Shift", "Z"]);
  expect(keyParts("+")).toEqual(["+"]);
  expect(keyParts("Shift+ArrowLeft")).toEqual(["Shift", "←"]);
});

test("fields keep the keys of typing, and leave the others to the page", () => {
  for (const key of ["a", "?", "Space", "Home", "Shift+Home", "PageDown", "Delete", "Escape", "ArrowUp", "Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+V", "Ctrl+ArrowLeft", "Alt+ArrowUp", "Ctrl+D"]) expect([key, isTyping(key)]).toEqual([key, true]);
  for (const key of ["Ctrl+K", "Ctrl+O", "Ctrl+S", "Ctrl+Shift+S", "Ctrl+,", "F1", "Shift+F1", "F9", "F10", "Alt+K", "Alt+1"]) expect([key, isTyping(key)]).toEqual([key, false]);
});
