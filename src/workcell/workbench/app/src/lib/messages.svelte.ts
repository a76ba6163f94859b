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

const TIME = 7000; // ms
const MOST = 4;

export class Messages {
  list = $state<Message[]>([]);
  private counter = 0;

  /** Show that something went wrong. */
  error(title: string, text: string): void {
    this.add({ title, text, tone: "error" });
  }

  /** Show that something happened, with one press that the user may want. */
  note(title: string, text: string, offer?: Offer): void {
    this.add({ title, text, tone: "note", ...(offer ? { offer } : {}) });
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
