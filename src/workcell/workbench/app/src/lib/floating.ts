// What lies over everything for a while, at the place that it belongs to.

/** A sentence below what it is about, above everything, until `over` is called. */
export function below(note: HTMLElement, over: () => void): { destroy: () => void } {
  const PATIENCE = 6000; // ms
  const { left, bottom, top } = note.previousElementSibling!.getBoundingClientRect();
  note.showPopover?.();
  const { width, height } = note.getBoundingClientRect();
  note.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
  note.style.top = `${bottom + 3 + height > innerHeight ? top - 3 - height : bottom + 3}px`;
  const soon = setTimeout(over, PATIENCE);
  return { destroy: () => clearTimeout(soon) };
}

/** A list above the line that it belongs to, above everything, as high as the window allows. */
export function above(list: HTMLElement): void {
  const MOST = 300; // pixels
  const { left, top } = list.parentElement!.getBoundingClientRect();
  list.showPopover?.();
  list.style.left = `${left + 8}px`;
  list.style.bottom = `${innerHeight - top + 2}px`;
  list.style.maxHeight = `${Math.min(MOST, top - 8)}px`;
}
