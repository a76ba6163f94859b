import { expect, test } from "vitest";
import { keyParts, type Pressed, pressedKey } from "./keys";

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
