// The seat of a page in a notebook: what the widget hands to the page in its frame, and the page to the widget.
import type { Model } from "./line";

export interface Seat {
  readonly model: Model;
  /** Which cell is shown; "" for the first. */
  cell: string;
  gallery: boolean;
  /** What the server called this window. */
  identity: string;
  /** Whether the notebook is dark. */
  readonly dark: boolean;
  /** Load the page again. */
  reload(): void;
  /** Set by the page: the kernel has gone, for a reason that the user is shown; or the page shall go. */
  lose?: (reason: string) => void;
  leave?: () => void;
}

/** The frame of a page, with its seat. */
export type SeatedFrame = HTMLIFrameElement & { workcell?: Seat };
