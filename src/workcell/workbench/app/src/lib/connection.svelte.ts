// The connection: the socket, recovery after a loss, who this window is, and calls of commands.
import type { Commands } from "./commands";
import { type Host, place } from "./host";
import type { ClientMessage, Completions, Hello, Result, ServerMessage, Status } from "./protocol";
import { type Link, type Question, Wire } from "./wire";

export class Connection {
  link = $state<Link>("connecting");
  /** Why the server does not let this page in, and what to do; empty if it does, or does not answer. */
  refusal = $state("");
  /** Why the server is gone for good, and what to do; empty if it is not, or if only the cell was closed. */
  farewell = $state("");
  /** Whether the server has not taken for a while what this page sent. */
  waiting = $state(false);
  hello = $state.raw<Hello>();
  status = $state.raw<Status>();
  /** Called with every message that answers no request. */
  onmessage: (message: ServerMessage) => void = () => {};
  /** Called when an open connection was lost. */
  onlost: () => void = () => {};
  private wire: Wire;

  constructor(private host: Host) {
    this.wire = new Wire((ears) => host.connect(ears), {
      message: (message) => this.receive(message),
      state: (state, reason) => this.change(state, reason),
      slow: (waiting) => (this.waiting = waiting),
    });
  }

  open(): void {
    this.wire.open();
  }

  /** The name of this window, as the server and the other windows call it. */
  get me(): string {
    return this.hello?.client ?? "";
  }

  private receive(message: ServerMessage): void {
    if (message.type === "hello") {
      this.hello = message;
      this.host.identity = message.identity;
    } else if (message.type === "status") this.status = message;
    this.onmessage(message);
  }

  private change(state: Link, reason = ""): void {
    this.farewell = reason;
    const before = this.link;
    this.link = state === "connecting" && before === "lost" ? "lost" : state;
    if (state === "open") this.refusal = "";
    if ((state === "lost" || state === "gone") && before === "open") this.onlost();
    if (state === "lost" && before !== "open") void this.askWhy();
  }

  /** A refused socket gives no reason; a plain request does. */
  private async askWhy(): Promise<void> {
    try {
      const answer = await this.host.fetch(place(this.host, "glb/none"));
      this.refusal = answer.status === 403 ? await answer.text() : "";
    } catch {
      // no server: the top bar shows that the page is reconnecting
    }
  }

  send(message: ClientMessage): void {
    this.wire.send(message);
  }

  /** Send a message that nobody waits for; without a connection nothing happens. */
  mention(message: ClientMessage): void {
    if (this.link === "open") this.wire.send(message);
  }

  ask<T extends ServerMessage | ArrayBuffer>(message: Question): Promise<T> & { request: number } {
    return this.wire.ask<T>(message);
  }

  /** Carry out a command with typed parameters in SI units; returns the whole answer. */
  carryOut<Name extends keyof Commands>(command: Name, parameters: Commands[Name]["parameters"]): Promise<Result> {
    return this.wire.ask<Result>({ type: "call", command, parameters });
  }

  /** Carry out a command with typed parameters in SI units; returns its typed value. */
  async call<Name extends keyof Commands>(
    command: Name,
    parameters: Commands[Name]["parameters"],
  ): Promise<Commands[Name]["result"]> {
    return (await this.carryOut(command, parameters)).value as Commands[Name]["result"];
  }

  /** What may come next in a command line, or in a program up to a place; nothing without a connection. */
  async complete(text: string, program = false): Promise<{ text: string; help: string }[]> {
    try {
      return (await this.wire.ask<Completions>({ type: "complete", text, program })).options;
    } catch {
      return [];
    }
  }

  measure(reset: boolean): Promise<Status> {
    return this.wire.ask<Status>({ type: "fetch-status", reset });
  }
}
