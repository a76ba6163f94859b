// Lines that come from the cell, into the text of an editor: the smallest change, and no step of its history.
import { type EditorState, Transaction, type TransactionSpec } from "@codemirror/state";
import { replacement } from "./replacement";

/** What makes these lines of the state's text: nothing that Ctrl Z takes back. */
export function loaded(state: EditorState, text: string): TransactionSpec | undefined {
  const change = replacement(state.doc.toString(), text);
  return change && { changes: change, annotations: Transaction.addToHistory.of(false) };
}
