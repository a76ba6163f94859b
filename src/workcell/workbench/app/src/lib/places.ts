// The places of the page: the section of the guide (docs/workbench.md) on each, and what it waits for while it has the focus.

export interface Place {
  help: string;
  prompt: string;
}

export const PLACES: Readonly<Record<string, Place>> = {
  view: { help: "what-is-where", prompt: "Drag or arrow keys turn the view, Shift and arrows shift it, + and − zoom. A click selects." },
  time: { help: "now-and-playback", prompt: "Space plays or pauses. Arrow keys move by 0.1 s, Home and End go to the ends. N shows the cell as it is now." },
  tree: { help: "adding-and-changing-things", prompt: "Arrow keys go through the tree and open branches. Enter selects. Delete removes, H hides." },
  inspector: { help: "adding-and-changing-things", prompt: "Type a value: Enter applies it, Escape restores the old one." },
  pendant: { help: "the-pendant", prompt: "Move a slider, or type a value and press Enter. Arrows and Page keys jog along the axes, with Shift about them; 1 to 9 choose, + and − jog." },
  programs: { help: "programs", prompt: "F9 runs the program, F7 checks it. Alt and arrows move a step, Delete removes it." },
  console: { help: "what-is-where", prompt: "Type a command. Tab lists what may come next, ↑ recalls earlier lines, Enter runs the command." },
  events: { help: "now-and-playback", prompt: "Click an event to show that moment." },
  signals: { help: "programs", prompt: "Press a signal to switch it, or type its value." },
  plots: { help: "plots-gantt-chart-and-exports", prompt: "Click to show that moment. Drag to zoom, double-click to show everything." },
  gantt: { help: "plots-gantt-chart-and-exports", prompt: "Click a bar to show its start." },
};

const ELSEWHERE: Place = { help: "what-is-where", prompt: "" };

/** What is known of the place of an element. */
export function placeOf(element: Element | null): Place {
  const id = element?.closest<HTMLElement>("[data-place]")?.dataset["place"] ?? "";
  return PLACES[id] ?? ELSEWHERE;
}
