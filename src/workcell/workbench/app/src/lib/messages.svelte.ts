// Short messages to the user, which go away by themselves.

/** One press that a message offers. */
export interface Offer {
  label: string;
  run: () => void;
}

export interface Message {
  id: number;
  title: string;
  text: string;
  /** What kind of message it is: something went wrong, or something happened. */
  tone: "error" | "note";
  offer?: Offer;
}

/** Something that went wrong, and one press that may help. */
interface Fault {
  title: string;
  text: string;
  offer?: Offer;
}

const TIME = 7000; // ms
const MOST = 4;

export class Messages {
  list = $state<Message[]>([]);
  /** What went wrong while a dialog is open, which shows it; undefined if there is no dialog, or nothing went wrong. */
  inside = $state.raw<Fault>();
  private dialogs = 0;
  private waiting: Fault | undefined;
  private counter = 0;

  /** Show that something went wrong: in the dialog that is open, since it covers the page, or as a message. */
  error(title: string, text: string, offer?: Offer): void {
    if (this.dialogs > 0) this.inside = { title, text };
    else this.add({ title, text, tone: "error", ...(offer ? { offer } : {}) });
  }

  /** A command was refused. Its sentence is shown in a moment, unless the field that gave the command takes it. */
  refused(title: string, text: string, offer?: Offer): void {
    this.show();
    const refusal: Fault = (this.waiting = { title, text, ...(offer ? { offer } : {}) });
    setTimeout(() => this.waiting === refusal && this.show());
  }

  /** Take the sentence of the command that was just refused, to show it at its cause; "" if there is none. */
  claim(): string {
    const text = this.waiting?.text ?? "";
    this.waiting = undefined;
    return text;
  }

  private show(): void {
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting) this.error(waiting.title, waiting.text, waiting.offer);
  }

  /** A dialog opens and shows what goes wrong from now on; call the answer when it closes. */
  host(): () => void {
    this.dialogs += 1;
    return () => {
      this.dialogs -= 1;
      this.inside = undefined;
    };
  }

  /** Show that something happened, with one press that the user may want. */
  note(title: string, text: string, offer?: Offer): void {
    this.add({ title, text, tone: "note", ...(offer ? { offer } : {}) });
  }

  /** Show under which name the cell was saved, and where. */
  saved(file: string): void {
    this.note(`Saved as ${file.split("/").at(-1)!}.`, file);
  }

  private add(message: Omit<Message, "id">): void {
    if (this.list.some((one) => one.text === message.text && one.title === message.title)) return;
    const id = ++this.counter;
    this.list = [...this.list.slice(1 - MOST), { id, ...message }];
    setTimeout(() => this.dismiss(id), TIME);
  }

  dismiss(id: number): void {
    this.list = this.list.filter((one) => one.id !== id);
  }
}
