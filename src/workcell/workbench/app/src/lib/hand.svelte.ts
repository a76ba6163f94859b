// A hand in the view: the things that it holds, the drag or the typed value as it is shown, and what becomes of it when somebody else changes them.
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import type { Scene } from "./scene.svelte";
import type { TreeNode } from "./tree";
import { TypedHand, type TypedValue } from "./typed_hand.svelte";

/** What a hand holds: the line of the tree at which it is, and those that it takes along. */
export interface Holding {
  node: TreeNode;
  taking: readonly TreeNode[];
}

const AGAIN = "Drag it again from where it is now.";

/**
 * The rule of all hands: what was dragged is put only if the thing is still as it was when the drag began. Otherwise the drag ends
 * with a sentence, and nothing is lost of what somebody else did. A typed value is a change of the thing as it is when it is taken.
 */
export abstract class Hand<Held extends Holding, Typed extends TypedValue> extends TypedHand<Typed> {
  held = $state.raw<Held>();
  /** Why the selected things cannot be held; "" if they can, or if the hand is not in use. */
  reason = $state("");
  /** Called with a title and a sentence when a drag ended by itself. */
  onrefused: (title: string, sentence: string) => void = () => {};
  /** What this hand did not do when its drag ends, and what it was doing to one thing or to several. */
  protected abstract readonly words: { not: string; one: string; several: string };
  private turn = 0;
  private busy = false;
  private heard: string[] = [];

  constructor(
    protected connection: Connection,
    protected scene: Scene,
    protected log: Log,
  ) {
    super();
  }

  /** Whether the hand is in use. */
  protected abstract get active(): boolean;
  /** The things that it shall hold. */
  protected abstract get nodes(): TreeNode[];
  /** Whether a drag is shown. */
  protected abstract get dragging(): boolean;
  protected abstract refusal(nodes: readonly TreeNode[]): string;
  /** What the server knows of things, or why they cannot be held. */
  protected abstract ask(nodes: readonly TreeNode[]): Promise<Held | string>;
  /** Whether a drag of what was held is one of what is there now. */
  protected abstract unchanged(held: Held, now: Held): boolean;
  /** Show a drag again, of what is held now. */
  protected abstract showAgain(): void;

  /** Take back what is shown. */
  override cancel(): void {
    super.cancel();
    this.heard = [];
  }

  /** Somebody else changed the cell. */
  hear(who: string, line: string): void {
    if (this.dragging) this.heard.push(`${who} (${line})`);
  }

  /** Ask what can be held; call it when the selection, the cell or the time that is shown changed. */
  async refresh(): Promise<void> {
    if (this.busy) return; // it asks again when its command is answered
    const turn = (this.turn += 1);
    const { nodes } = this;
    if (this.keep() && idsOf(this.things) !== idsOf(nodes)) this.held = undefined;
    if (!this.held || !this.inHand) {
      this.cancel();
      this.reason = this.active ? this.refusal(nodes) : "";
      if (!this.active || nodes.length === 0 || this.reason || this.connection.link !== "open") {
        this.held = undefined;
        return;
      }
    } else if (this.connection.link !== "open") return; // in the hand until the server is back
    const heard = this.heard.length;
    const found = await this.find(nodes);
    if (turn !== this.turn) return;
    if (!this.held || !this.inHand) {
      this.hold(found);
    } else if (typeof found === "string") {
      this.end(found);
      this.reason = found;
    } else if (this.unchanged(this.held, found)) {
      this.heard.splice(0, heard);
      this.held = found;
      this.showAgain();
    } else if (this.typed) {
      this.held = found;
      this.preview(this.typed.text);
    } else {
      this.end(this.changedBy());
      await this.refresh();
    }
  }

  private get inHand(): boolean {
    return this.dragging || this.typed !== undefined;
  }

  private get things(): TreeNode[] {
    return this.held ? [...this.held.taking, this.held.node] : [];
  }

  /** What the server knows of things, or why they cannot be held; a failure is such a reason. */
  private find(nodes: readonly TreeNode[]): Promise<Held | string> {
    return this.ask(nodes).catch((error: unknown) => (error as Error).message);
  }

  private hold(found: Held | string): void {
    this.reason = typeof found === "string" ? found : "";
    this.held = typeof found === "string" ? undefined : found;
  }

  /** Hold things now; returns them, or undefined with the reason. */
  protected async grasp(nodes: readonly TreeNode[]): Promise<Held | undefined> {
    const turn = (this.turn += 1);
    const found = await this.find(nodes);
    if (turn === this.turn) this.hold(found);
    return this.held;
  }

  /** What is held, as it is called now; a drag of a thing that is gone ends. */
  private keep(): Held | undefined {
    const { held, things } = this;
    if (!held) return undefined;
    const now = things.map((one) => this.scene.node(one.id));
    const gone = things.filter((_, i) => !now[i]).map((one) => one.name);
    if (gone.length === 0) return (this.held = now.every((one, i) => one === things[i]) ? held : { ...held, node: now.at(-1)!, taking: now.slice(0, -1) });
    const [were, what] = gone.length > 1 ? ["were", this.words.several] : ["was", this.words.one];
    if (this.inHand) this.end(`${gone.join(", ")} ${were} removed while ${what}.`);
    this.held = undefined;
    this.cancel();
    return undefined;
  }

  /** End a drag by itself. */
  private end(sentence: string): void {
    const { held } = this;
    this.held = undefined;
    this.cancel();
    if (held) this.onrefused(`${this.words.not}: ${held.node.name}`, sentence);
  }

  private changedBy(): string {
    const name = this.held?.node.name ?? "";
    return this.heard.length > 0 ? `${name} was changed during the drag by ${[...new Set(this.heard)].join(", ")}. ${AGAIN}` : `${name} was changed during the drag. ${AGAIN}`;
  }

  /**
   * Do something with what is held, as it is now; a drag ends instead if somebody else changed it meanwhile.
   *
   * @param dragged whether it was dragged, and not typed.
   */
  protected async carryOut(dragged: boolean, work: (held: Held) => Promise<boolean>): Promise<boolean> {
    const held = this.keep();
    if (!held) return false;
    if (this.busy) {
      this.onrefused(`${this.words.not}: ${held.node.name}`, "The previous change is not finished yet.");
      return false;
    }
    this.busy = true;
    this.turn += 1;
    try {
      const now = await this.find(this.things);
      if (typeof now === "string") this.end(now);
      else if (dragged && !this.unchanged(held, now)) this.end(this.changedBy());
      else return await work((this.held = now));
      return false;
    } finally {
      this.busy = false;
      this.cancel();
      void this.refresh();
    }
  }
}

/** Which things these are, in their order: the hand is at the last one. */
function idsOf(nodes: readonly TreeNode[]): string {
  return nodes.map((node) => node.id).join(" ");
}
