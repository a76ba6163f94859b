// Where a card stands that explains a control: beside it, in the window.

export interface Size {
  width: number;
  height: number;
}

export interface Box extends Size {
  left: number;
  top: number;
}

const GAP = 12; // pixels

/** The place of a card beside a control: below, above, right or left of it, else in its middle; never outside of the window. */
export function placeBeside(at: Box, card: Size, window: Size): { left: number; top: number } {
  const middle = { left: at.left + (at.width - card.width) / 2, top: at.top + (at.height - card.height) / 2 };
  const places = [
    { left: middle.left, top: at.top + at.height + GAP },
    { left: middle.left, top: at.top - card.height - GAP },
    { left: at.left + at.width + GAP, top: middle.top },
    { left: at.left - card.width - GAP, top: middle.top },
  ];
  const clamp = (value: number, most: number) => Math.max(GAP, Math.min(value, most - GAP));
  const inside = places
    .map(({ left, top }) => ({ left: clamp(left, window.width - card.width), top: clamp(top, window.height - card.height) }))
    .find((place) => !overlap({ ...place, ...card }, at));
  return inside ?? { left: clamp(middle.left, window.width - card.width), top: clamp(middle.top, window.height - card.height) };
}

/** Whether two boxes have an area in common. */
export function overlap(a: Box, b: Box): boolean {
  return a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;
}
