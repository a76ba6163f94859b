import type { Bench } from "../bench.svelte";
import type { Action } from "./action";

export function editActions(bench: Bench): Action[] {
  const { attaching, log, moving, picking, scene, selection } = bench;
  return [
    {
      id: "edit.undo",
      group: "Edit",
      label: "Undo",
      keys: ["Ctrl+Z"],
      icon: "undo",
      title: () => (scene.facts?.undo ? "Undo your last step" : "Nothing to undo"),
      enabled: () => !!scene.facts?.undo,
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
      id: "edit.remove",
      group: "Edit",
      label: "Remove the selection",
      keys: ["Delete"],
      enabled: () => bench.inspected.node !== undefined,
      run: () => void bench.inspected.remove(),
    },
    {
      id: "edit.deselect",
      group: "Edit",
      label: "Deselect",
      keys: ["Escape"],
      enabled: () => selection.id !== "" || picking.asked !== undefined || picking.chosen !== undefined || attaching.joint !== undefined,
      run: () => {
        if (picking.asked) picking.cancel();
        else if (moving.typed) moving.cancel();
        else if (attaching.joint) attaching.cancel();
        else {
          picking.chosen = undefined;
          selection.select("");
        }
      },
    },
    {
      id: "edit.hide",
      group: "Edit",
      label: "Hide or show the selection",
      keys: ["h"],
      icon: "hidden",
      enabled: () => selection.id !== "",
      run: () => selection.toggleHidden(selection.id),
    },
    {
      id: "edit.show-all",
      group: "Edit",
      label: "Show everything that is hidden",
      enabled: () => selection.hidden.size > 0,
      run: () => selection.showAll(),
    },
  ];
}
