import { mount } from "svelte";
import "./app.css";
import App from "./components/App.svelte";
import type { Host } from "./lib/host";

/** Show the page in the document. */
export function show(host: Host): void {
  mount(App, { target: document.getElementById("app")!, props: { host } });
}
