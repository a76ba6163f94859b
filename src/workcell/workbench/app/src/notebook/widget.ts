// The widget of a notebook: a frame with the page in it, so that styles and keys of page and notebook stay apart. The
// page comes from the kernel, by the messages of the widget.
import { Line, type Model } from "../lib/notebook/line";
import type { Seat, SeatedFrame } from "../lib/notebook/seat";

const PAGE = "notebook/page.html";
const LOST = "The kernel was restarted or has ended. Run the cells of the notebook again, up to the one that shows this page.";
const HEIGHT = "600px"; // at first: the lower edge can be dragged
const EDGE = "1px solid var(--jp-border-color2, #8884)";

interface Given {
  model: Model;
  el: HTMLElement;
}

function render({ model, el }: Given): () => void {
  const frame = Object.assign(document.createElement("iframe"), { title: "Workcell" }) as SeatedFrame;
  const note = Object.assign(document.createElement("p"), { textContent: "Loading the page from the kernel …" });
  const line = new Line(model);
  const box = document.createElement("div"); // our own: the notebook styles `el`, sometimes after this
  Object.assign(box.style, { position: "relative", height: HEIGHT, resize: "vertical", overflow: "hidden" });
  Object.assign(frame.style, { display: "none", boxSizing: "border-box", width: "100%", height: "100%", border: EDGE });
  Object.assign(note.style, { margin: "0", padding: "1em" });
  note.setAttribute("role", "status");
  box.append(note, frame);
  el.append(box);

  const seat: Seat = {
    model,
    cell: "",
    gallery: false,
    identity: "",
    get dark() {
      return document.body.dataset["jpThemeLight"] === "false";
    },
    reload: () => (frame.srcdoc = text),
  };
  let text = "";
  let lost = false;
  let over = false;
  frame.workcell = seat;

  async function load(): Promise<void> {
    try {
      const answer = await line.fetch(PAGE);
      if (!answer.ok) throw new Error(await answer.text());
      text = await answer.text();
      if (over) return;
      seat.reload();
      frame.style.display = "block";
      note.remove();
    } catch (error) {
      note.textContent = `The page could not be loaded from the kernel: ${(error as Error).message}`;
    }
  }

  /** The notebook lost the kernel, or found it again. */
  async function check(): Promise<void> {
    let found: boolean;
    try {
      found = await line.probe();
    } catch {
      found = false; // the notebook does not send it
    }
    if (over) return;
    if (!found) {
      lost = true;
      note.textContent = LOST;
      seat.lose?.(LOST);
    } else if (lost) {
      lost = false;
      if (text) seat.reload();
      else await load();
    }
  }

  const changed = () => void check();
  model.on("comm_live_update", changed);
  const slow = setTimeout(() => {
    if (!text && !lost) note.textContent = "The kernel is busy. The page appears when the running cells have ended.";
  }, 3000);
  void load();
  return () => {
    over = true;
    clearTimeout(slow);
    model.off("comm_live_update", changed);
    seat.leave?.();
    line.close();
    box.remove();
  };
}

export default { render };
