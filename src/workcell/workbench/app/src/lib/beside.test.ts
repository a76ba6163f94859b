import { expect, test } from "vitest";
import { overlap, placeBeside } from "./beside";

test("a card is in the window, and beside its control wherever that leaves room", () => {
  const window = { width: 820, height: 600 };
  const card = { width: 300, height: 140 };
  for (let left = 0; left < 800; left += 50) {
    for (let top = 0; top < 580; top += 50) {
      for (const size of [20, 200]) {
        const at = { left, top, width: Math.min(size, 820 - left), height: Math.min(size, 600 - top) };
        const place = { ...placeBeside(at, card, window), ...card };
        expect(place.left).toBeGreaterThanOrEqual(0);
        expect(place.top).toBeGreaterThanOrEqual(0);
        expect(place.left + card.width).toBeLessThanOrEqual(window.width);
        expect(place.top + card.height).toBeLessThanOrEqual(window.height);
        expect(overlap(place, at)).toBe(false);
      }
    }
  }
});

test("a control that fills the window has its card in its middle", () => {
  expect(placeBeside({ left: 0, top: 0, width: 800, height: 600 }, { width: 200, height: 100 }, { width: 800, height: 600 })).toEqual({ left: 300, top: 250 });
});
