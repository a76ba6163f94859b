import { PANELS } from "../../components/panels";
import type { Bench } from "../bench.svelte";
import type { Action } from "./action";

export function windowActions(bench: Bench): Action[] {
  const { layout, preferences } = bench;
  return [
    ...PANELS.map((panel): Action => ({
      id: `window.${panel.id}`,
      group: "Window",
      label: panel.title,
      ...(panel.key ? { keys: [panel.key] } : {}),
      icon: panel.icon,
      on: () => layout.shows(panel.dock, panel.id),
      run: () => layout.toggle(panel.dock, panel.id),
    })),
    {
      id: "window.type",
      group: "Window",
      label: "Type a command",
      keys: ["/"],
      icon: "console",
      run: () => {
        layout.show("bottom", "console");
        setTimeout(() => bench.focusConsole());
      },
    },
    {
      id: "window.theme",
      group: "Window",
      label: "Light or dark",
      icon: "moon",
      run: () => preferences.otherTheme(),
    },
    {
      id: "help.palette",
      group: "Help",
      label: "Find an action or a command",
      keys: ["Ctrl+K"],
      icon: "search",
      run: () => (bench.opened = "palette"),
    },
    {
      id: "help.keys",
      group: "Help",
      label: "Keys and actions",
      keys: ["?"],
      icon: "keyboard",
      run: () => (bench.opened = bench.opened === "help" ? "" : "help"),
    },
  ];
}
