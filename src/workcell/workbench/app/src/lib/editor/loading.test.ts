import { history, undo } from "@codemirror/commands";
import { EditorState, type TransactionSpec } from "@codemirror/state";
import { expect, test } from "vitest";
import { loaded } from "./loading";

/** A text with its history, as the editor has it. */
class Text {
  state = EditorState.create({ doc: "wait 1\nwait 2", extensions: [history()] });

  change(spec: TransactionSpec | undefined): void {
    if (spec) this.state = this.state.update(spec).state;
  }

  /** Press Ctrl Z until nothing more is taken back. */
  undoAll(): string {
    const { state } = this;
    let now = state;
    while (undo({ state: now, dispatch: (transaction) => (now = transaction.state) }));
    return (this.state = now).doc.toString();
  }
}

test("Ctrl Z takes back what was typed, and nothing that was loaded", () => {
  const text = new Text();
  text.change(loaded(text.state, "wait 3"));
  expect(text.undoAll()).toBe("wait 3");
  text.change({ changes: { from: 6, insert: "0" } });
  expect(text.state.doc.toString()).toBe("wait 30");
  expect(text.undoAll()).toBe("wait 3");
});

test("lines of somebody else stay when one's own are taken back", () => {
  const text = new Text();
  text.change({ changes: { from: 0, insert: "home\n" } });
  text.change(loaded(text.state, "home\nwait 1\nwait 2\nwait 3"));
  expect(text.undoAll()).toBe("wait 1\nwait 2\nwait 3");
});

test("the same lines change nothing", () => {
  const { state } = new Text();
  expect(loaded(state, state.doc.toString())).toBeUndefined();
});
