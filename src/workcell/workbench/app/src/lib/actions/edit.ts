import type { Bench } from "../bench.svelte";
import type { Action } from "./action";

const SHOWN = 50; // ms until a panel is there

export function editActions(bench: Bench): Action[] {
  const { attaching, log, making, moving, picking, scene, selection } = bench;
  return [
    {
      id: "edit.undo",
      group: "Edit",
      label: "Undo",
      keys: ["Ctrl+Z"],
      icon: "undo",
      title: () => (scene.facts?.undo ? "Undo your last step" : "Nothing to undo"),
      enabled: () => !!scene.facts?.undo || log.busy, // after the command that is being carried out
      command: () => "undo",
      run: () => void log.press("undo"),
    },
    {
      id: "edit.redo",
      group: "Edit",
      label: "Redo",
      keys: ["Ctrl+Shift+Z", "Ctrl+Y"],
      icon: "redo",
      title: () => (scene.facts?.redo ? `Redo: ${scene.facts.redo}` : "Nothing to redo"),
      enabled: () => !!scene.facts?.redo,
      command: () => "redo",
      run: () => void log.press("redo"),
    },
    {
      id: "edit.add",
      group: "Edit",
      label: "Add …",
      keys: ["a"],
      icon: "add",
      title: () => "Add a shape, a robot or a tool",
      run: () => (bench.opened = "add"),
    },
    {
      id: "edit.replace-robot",
      group: "Edit",
      label: "Replace the robot …",
      title: () => "Put another robot of the library in its place: swap, change or exchange it",
      enabled: () => selection.node?.kind === "robot" && scene.picture.robots.has(selection.id),
      run: () => {
        bench.replaced = selection.node!.name;
        bench.opened = "add";
      },
    },
    {
      id: "edit.rename",
      group: "Edit",
      label: "Rename …",
      keys: ["F2"],
      title: () => "Type another name for the selected thing, in the inspector",
      enabled: () => bench.inspected.node !== undefined && selection.ids.length === 1,
      run: () => {
        bench.layout.show("inspector");
        setTimeout(() => document.querySelector<HTMLInputElement>("aside[aria-label=Selection] input[aria-label=Name]")?.select(), SHOWN);
      },
    },
    {
      id: "edit.remove",
      group: "Edit",
      label: "Remove the selection",
      keys: ["Delete"],
      enabled: () => bench.inspected.node !== undefined || selection.ids.length > 1,
      run: () => (selection.ids.length > 1 ? bench.tried("Not removed", async () => (await import("../several")).removeAll(bench)) : void bench.inspected.remove()),
    },
    {
      id: "edit.deselect",
      group: "Edit",
      part: "Selection",
      label: "Deselect",
      keys: ["Escape"],
      enabled: () => selection.id !== "" || selection.several || picking.asked !== undefined || picking.chosen !== undefined || picking.listing || attaching.joint !== undefined || making.open,
      run: () => {
        if (picking.asked) picking.cancel();
        else if (picking.listing) picking.listing = false;
        else if (moving.typed) moving.cancel();
        else if (bench.sizing.typed) bench.sizing.cancel();
        else if (attaching.joint) attaching.cancel();
        else if (making.open) making.close();
        else if (selection.id === "" && !picking.chosen) selection.several = false;
        else {
          picking.chosen = undefined;
          selection.select("");
        }
      },
    },
    {
      id: "edit.select-all",
      group: "Edit",
      part: "Selection",
      label: "Select everything",
      keys: ["Ctrl+A"],
      title: () => "Select everything that is drawn; while a link is selected, all links of its robot",
      run: () => selection.selectAll(),
    },
    {
      id: "edit.several",
      group: "Edit",
      part: "Selection",
      label: "Select several",
      keys: ["Alt+S"],
      icon: "several",
      title: () => "A click adds to the selection or removes from it; a drag in the view draws a rectangle",
      on: () => selection.several,
      run: () => (selection.several = !selection.several),
    },
    {
      id: "edit.hide",
      group: "Edit",
      part: "Selection",
      label: "Hide or show the selection",
      keys: ["h"],
      icon: "hidden",
      enabled: () => selection.id !== "",
      run: () => selection.hideOrShow(),
    },
    {
      id: "edit.isolate",
      group: "Edit",
      part: "Selection",
      label: "Show only the selection",
      keys: ["Alt+H"],
      enabled: () => selection.id !== "",
      run: () => selection.isolate(),
    },
    {
      id: "edit.show-all",
      group: "Edit",
      part: "Selection",
      label: "Show everything that is hidden",
      enabled: () => selection.hidden.size > 0,
      run: () => selection.showAll(),
    },
  ];
}
