// The page in a frame of a notebook; the frame has the seat that the widget made.
import { mount } from "svelte";
import "../app.css";
import App from "../components/App.svelte";
import { CommHost } from "../lib/notebook/comm_host";
import { Line } from "../lib/notebook/line";
import type { SeatedFrame } from "../lib/notebook/seat";

const seat = (window.frameElement as SeatedFrame | null)?.workcell;
if (seat) {
  if (seat.dark) document.documentElement.dataset["theme"] = "dark";
  const line = new Line(seat.model);
  seat.lose = (reason) => line.lose(reason);
  seat.leave = () => line.close();
  addEventListener("pagehide", () => line.close());
  mount(App, { target: document.getElementById("app")!, props: { host: new CommHost(seat, line) } });
} else document.body.textContent = "This page is for notebooks; `workcell` shows the one for browsers.";
