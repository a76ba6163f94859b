// The cells of the server: the open ones, files that were open before, the samples; and the way from one to another.
import type { Connection } from "./connection.svelte";
import type { Host } from "./host";
import type { CellInfo, CellList, CellOpened, FolderList, SampleInfo, SampleList } from "./protocol";
import { Refusal } from "./wire";

/** A cell that the user wants to close, and what that would lose, in sentences. */
export interface Closing {
  cell: CellInfo;
  losses: readonly string[];
}

/**
 * What closing a cell would lose, in sentences; none if nothing would be lost.
 *
 * @param cell the one to close.
 * @param here what is known of it if it is the cell of this page.
 */
export function lossesOf(cell: CellInfo, here?: { changed: boolean; paused: boolean; unkept: readonly string[] }): string[] {
  const losses: string[] = [];
  if (!cell.file && (here?.changed ?? true)) losses.push(`${cell.name} is not saved in a file: closing it discards everything in it.`);
  if (cell.paused || here?.paused) losses.push("A run is paused in this cell; closing discards it.");
  losses.push(...(here?.unkept ?? []));
  const others = cell.clients - (here ? 1 : 0);
  if (others > 0) losses.push(`${others > 1 ? `${others} others are using it and lose` : "Somebody else is using it and loses"} typed lines that are not saved.`);
  return losses;
}

export class Cells {
  list = $state.raw<readonly CellInfo[]>([]);
  recent = $state.raw<readonly string[]>([]);
  samples = $state.raw<readonly SampleInfo[]>([]);

  /** The cell that waits for an answer whether it shall be closed. */
  closing = $state.raw<Closing>();
  /** Where the cell of this page goes on, once it was saved under another name. */
  moved = $state.raw<CellInfo>();
  /** Called before this window goes on in the file under which the cell was saved. */
  onsaved: (cell: CellInfo) => void = () => {};

  /**
   * @param connection asks the server.
   * @param host knows which cell is shown, and shows another one in this window.
   */
  constructor(
    private connection: Connection,
    private host: Pick<Host, "cell" | "go">,
  ) {}

  /** The cell of this page. */
  get current(): CellInfo | undefined {
    return this.list.find((cell) => this.isHere(cell));
  }

  isHere(cell: CellInfo): boolean {
    return this.host.cell ? cell.id === this.host.cell : cell.first;
  }

  /** Ask which cells are open. */
  async refresh(): Promise<void> {
    this.hear(await this.connection.ask<CellList>({ type: "list-cells" }));
  }

  /** The list changed. */
  hear(list: CellList): void {
    this.list = list.cells;
    this.recent = list.recent;
  }

  /** Ask for the samples, once. */
  async fetchSamples(): Promise<void> {
    if (this.samples.length > 0) return;
    this.samples = (await this.connection.ask<SampleList>({ type: "list-samples" })).samples;
  }

  show(cell: CellInfo): void {
    if (!this.isHere(cell)) this.host.go(cell.first ? "" : cell.id);
  }

  /** Show the first cell, and the gallery over it if that is wanted. */
  showFirst(gallery = false): void {
    this.host.go("", gallery);
  }

  /** What can be opened in a folder of the server; "" is the one where names begin. */
  folder(path = ""): Promise<FolderList> {
    return this.connection.ask<FolderList>({ type: "list-folder", folder: path });
  }

  async openSample(name: string): Promise<void> {
    this.show((await this.connection.ask<CellOpened>({ type: "open-sample", name })).cell);
  }

  async open(file: string): Promise<void> {
    this.show((await this.connection.ask<CellOpened>({ type: "open-cell", file })).cell);
  }

  /** Make a cell: in memory, or as a new file. */
  async make(file = ""): Promise<void> {
    this.show((await this.connection.ask<CellOpened>({ type: "new-cell", ...(file ? { file } : {}) })).cell);
  }

  /** Save the cell of this page under another name; returns the path of the file. */
  async saveAs(file: string, replace = false): Promise<string> {
    const { cell } = await this.connection.ask<CellOpened>({ type: "save-cell", file, replace });
    this.onsaved(cell);
    this.show(cell);
    await this.refresh();
    return cell.file;
  }

  async close(cell: CellInfo): Promise<void> {
    const answer = this.connection.ask<CellList>({ type: "close-cell", cell: cell.id });
    if (!this.isHere(cell)) {
      this.hear(await answer);
      return;
    }
    await answer.catch((error: unknown) => {
      // The server may disconnect the page of the closed cell before it answers.
      if (this.connection.link === "open") throw error;
    });
    this.host.go("");
  }
}

/** Why a cell was not saved; if its file exists, the sentence names the checkbox `replace` of the dialog. */
export function saveRefusal(error: unknown, replace: string): string {
  const { taken, name } = error instanceof Refusal ? error.failure.evidence : {};
  return taken ? `${String(name)} already exists. Choose another name, or tick “${replace}”.` : (error as Error).message;
}
