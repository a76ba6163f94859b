import { PANELS } from "../panels";
import type { Bench } from "../bench.svelte";
import type { HelpPage } from "../help.svelte";
import { placeOf } from "../places";
import type { Action } from "./action";

export function windowActions(bench: Bench): Action[] {
  const { layout, preferences } = bench;
  const page = (id: string, label: string, key: string | undefined, which: HelpPage, before = () => {}): Action => ({
    id: `help.${id}`,
    group: "Help",
    label,
    ...(key ? { keys: [key] } : {}),
    ...(id === "guide" ? { icon: "help" } : {}),
    run: () => {
      before();
      bench.help.page = which;
      bench.opened = "help";
    },
  });
  return [
    ...PANELS.map((panel): Action => ({
      id: `window.${panel.id}`,
      group: "Window",
      label: panel.title,
      ...(panel.key ? { keys: [panel.key] } : {}),
      icon: panel.icon,
      on: () => layout.shows(panel.id),
      run: () => layout.toggle(panel.id),
    })),
    {
      id: "window.new",
      group: "Window",
      label: "New window",
      title: () => "Show this cell in another window too",
      enabled: () => bench.host.again !== undefined,
      run: () => bench.host.again?.(),
    },
    {
      id: "window.type",
      group: "Window",
      label: "Type a command",
      keys: ["/"],
      icon: "console",
      run: () => {
        layout.show("console");
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
      id: "window.preferences",
      group: "Window",
      label: "Preferences …",
      keys: ["Ctrl+,"],
      run: () => (bench.opened = "preferences"),
    },
    page("here", "Help on this panel", "F1", "guide", () => (bench.help.section = placeOf(document.activeElement).help)),
    page("guide", "Guide", undefined, "guide", () => (bench.help.section = "")),
    page("commands", "All commands", "Shift+F1", "commands"),
    page("keys", "Keys and actions", "?", "keys"),
    {
      id: "help.tour",
      group: "Help",
      label: "Tour of the page",
      run: () => bench.help.tour(0),
    },
  ];
}
