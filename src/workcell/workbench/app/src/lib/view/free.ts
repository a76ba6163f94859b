// The free part of a pane: what the tools and cards that lie over it leave.

/** How much of a pane is taken at each side, as shares of its width or height. */
export interface Insets {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export const NONE: Insets = { left: 0, right: 0, top: 0, bottom: 0 };

/** Edges in the window [pixels]. */
export type Edges = Pick<DOMRect, "left" | "right" | "top" | "bottom">;

/** No side gives more than this share. */
const MOST = 0.3;

/** What covers leave of a pane: each takes the side of which it costs the least, unless that is too much. */
export function insetsOf(pane: Edges, covers: readonly Edges[]): Insets {
  const [width, height] = [pane.right - pane.left, pane.bottom - pane.top];
  const taken: Insets = { ...NONE };
  for (const cover of covers) {
    const apart = cover.right <= pane.left || cover.left >= pane.right || cover.bottom <= pane.top || cover.top >= pane.bottom;
    if (apart) continue;
    const shares: Insets = {
      left: (cover.right - pane.left) / width,
      right: (pane.right - cover.left) / width,
      top: (cover.bottom - pane.top) / height,
      bottom: (pane.bottom - cover.top) / height,
    };
    const side = (Object.keys(shares) as (keyof Insets)[]).reduce((a, b) => (shares[b] - taken[b] < shares[a] - taken[a] ? b : a));
    if (shares[side] <= MOST) taken[side] = Math.max(taken[side], shares[side]);
  }
  return taken;
}

/** What the tools and cards of the page leave of an element. */
export function freeOf(element: HTMLElement): Insets {
  const covers = [...(element.closest("[data-covered]")?.querySelectorAll("[data-covers] > *") ?? [])].map((one) => one.getBoundingClientRect());
  return insetsOf(element.getBoundingClientRect(), covers.filter(({ width, height }) => width > 0 && height > 0));
}
