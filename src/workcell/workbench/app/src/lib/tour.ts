// The first tour: a few steps, each at a real control of the page.
import type { Bench } from "./bench.svelte";

export interface Step {
  title: string;
  text: string;
  /** What it shows: the first of these that is there. */
  at: string;
  /** Brings it into the window. */
  show?: (bench: Bench) => void;
}

export const TOUR: readonly Step[] = [
  {
    title: "Cells",
    text: "A cell is everything in one file. This button opens sample cells, new cells and your files. The tabs beside it are the open cells.",
    at: ".cells .more",
  },
  {
    title: "The view",
    text: "Drag to turn it, drag with the right button to shift it, turn the wheel to zoom. On a tablet, use one or two fingers. A click selects a thing.",
    at: "[data-view]",
  },
  {
    title: "What is in the cell",
    text: "The tree lists all things. Arrow keys go up and down, and open and close branches.",
    at: "#panel-tree",
    show: (bench) => bench.layout.show("tree"),
  },
  {
    title: "Change a thing",
    text: "The inspector shows what is selected. Type another position and press Enter. Undo reverts the change.",
    at: "#panel-inspector",
    show: (bench) => bench.layout.show("inspector"),
  },
  {
    title: "Move a robot",
    text: "The pendant moves a robot with sliders, in steps, or to a pose. It can save the pose of the tool as a target.",
    at: "#panel-pendant",
    show: (bench) => bench.layout.show("pendant"),
  },
  {
    title: "Play",
    text: "Play shows what the robots did. Drag along the time line to see a moment. Now shows the cell as it is.",
    at: ".timeline",
  },
  {
    title: "Everything is a command",
    text: "The console shows the command of everything that you change. You can also type commands here; Tab lists what may come next.",
    at: "#panel-console",
    show: (bench) => bench.layout.show("console"),
  },
  {
    title: "Find anything",
    text: "Ctrl K finds every action and command. F1 explains the panel that you are in. The Help menu has the reference, the keys and this tour.",
    at: "[data-action='help.palette']",
  },
];
