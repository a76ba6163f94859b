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

/** Controls for the field before them, at its upper or lower edge, above everything, wherever the field goes. */
export function beside(controls: HTMLElement): { destroy: () => void } {
  let field = controls.previousElementSibling!;
  while (!field.matches("input, textarea")) field = field.previousElementSibling!;
  const follow = () => {
    const { left, top, bottom } = field.getBoundingClientRect();
    const { width, height } = controls.getBoundingClientRect();
    controls.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
    controls.style.top = `${top - 3 - height < 4 ? bottom + 3 : top - 3 - height}px`;
  };
  const over = new AbortController();
  controls.showPopover?.();
  follow();
  addEventListener("scroll", follow, { capture: true, signal: over.signal });
  addEventListener("resize", follow, { signal: over.signal });
  return { destroy: () => over.abort() };
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
