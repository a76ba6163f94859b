// The focus of a panel whose lines may go away under it, because somebody else edits them.
//
// The browser gives the focus of a removed field to the page, where letters are keys of actions and Delete removes what is
// selected. The panel takes it instead, and what is typed there does nothing.

/** Matches what has the focus in place of a field that is gone. */
export const QUIET = "[data-quiet]";

/** Give the focus to a panel when the part of it that has `within` loses what has the focus there. */
export function keepsFocus(within: string): (panel: HTMLElement) => () => void {
  return (panel) => {
    let last: Element | undefined;
    const into = ({ target }: FocusEvent) => (last = target instanceof Element && target.closest(within) ? target : undefined);
    const out = ({ target }: FocusEvent) => {
      if (target !== panel) return;
      delete panel.dataset["quiet"];
      panel.removeAttribute("tabindex"); // a press beside its buttons gives it no focus
    };
    const elsewhere = ({ target }: Event) => {
      if (!(target instanceof Node && panel.contains(target))) last = undefined;
    };
    const observer = new MutationObserver(() => {
      if (!last || last.isConnected) return;
      last = undefined;
      if (document.activeElement !== document.body) return;
      panel.tabIndex = -1;
      panel.dataset["quiet"] = "";
      panel.focus({ preventScroll: true });
    });
    panel.addEventListener("focusin", into);
    panel.addEventListener("focusout", out);
    for (const kind of ["focusin", "pointerdown"]) document.addEventListener(kind, elsewhere, true);
    observer.observe(panel, { childList: true, subtree: true });
    return () => {
      panel.removeEventListener("focusin", into);
      panel.removeEventListener("focusout", out);
      for (const kind of ["focusin", "pointerdown"]) document.removeEventListener(kind, elsewhere, true);
      observer.disconnect();
    };
  };
}
