// Whether a field has the focus of a finger, which needs buttons to take and to cancel what is typed.

export class FieldFocus {
  private here = $state(false);
  private coarse = matchMedia("(pointer: coarse)").matches;

  get fingers(): boolean {
    return this.coarse && this.here;
  }

  into(): void {
    this.here = true;
  }

  /** The focus goes elsewhere: take what was typed if that leaves the field. Its own buttons belong to it, and a field that is removed from the page is not left by anybody. */
  out({ relatedTarget, currentTarget }: FocusEvent, take: () => void): void {
    if (relatedTarget instanceof Element && relatedTarget.closest("[data-take-cancel]")) return;
    this.here = false;
    queueMicrotask(() => (currentTarget as Element).isConnected && take());
  }
}
