// The bench: the nouns of the page, and which of them hears which message of the server.
import { Actions } from "./actions";
import type { ContextPlace } from "./actions/context";
import { Attaching } from "./attaching.svelte";
import { Cells, lossesOf } from "./cells.svelte";
import { Checks } from "./checks.svelte";
import type { Chart } from "./commands";
import { Connection } from "./connection.svelte";
import { Contacts, type Touching } from "./contacts.svelte";
import { Files } from "./files";
import { Forms } from "./forms.svelte";
import { Ghost } from "./ghost.svelte";
import { Help } from "./help.svelte";
import type { Dropped } from "./dropped";
import type { Host } from "./host";
import type { ImportPage, ImportQuestion } from "./imports";
import { Inspected } from "./inspected.svelte";
import { Jobs } from "./jobs.svelte";
import { Lamps } from "./lamps.svelte";
import { sentenceOf } from "./late.svelte";
import { Latest } from "./latest.svelte";
import { Layout } from "./layout.svelte";
import { Log } from "./log.svelte";
import { Loose } from "./loose.svelte";
import { Making } from "./making.svelte";
import { Marks } from "./marks.svelte";
import { Messages } from "./messages.svelte";
import { Missed } from "./missed";
import { Moving } from "./moving.svelte";
import { PANELS } from "./panels";
import { Panes } from "./panes.svelte";
import { Pendant } from "./pendant.svelte";
import { Picking } from "./picking.svelte";
import { PlayedContacts } from "./played_contacts.svelte";
import { Plots } from "./plots.svelte";
import { Poses } from "./poses";
import { Preferences } from "./preferences.svelte";
import { Programs } from "./programs.svelte";
import type { CellInfo, Change, ServerMessage } from "./protocol";
import { VERSION } from "./protocol";
import { ReachShown } from "./reach.svelte";
import { Recording } from "./recording.svelte";
import { shortened } from "./references";
import { type KeptCamera, resumed } from "./resumed";
import { Scene } from "./scene.svelte";
import { Selection } from "./selection.svelte";
import { Shortage } from "./shortage.svelte";
import { Sizing } from "./sizing.svelte";
import { Targets } from "./targets.svelte";
import { Time } from "./time.svelte";
import { ToolHand } from "./tool_hand.svelte";
import { Turns } from "./turns";
import { Views } from "./views.svelte";
import type { ViewControl } from "./view_control";
import { Workshop } from "./workshop.svelte";

/** A dialog or field that an action opens. */
export type Opened = "" | "help" | "palette" | "gallery" | "save-as" | "close-cell" | "add" | "import" | "export" | "film" | "preferences";

export class Bench {
  readonly connection: Connection;
  readonly cells: Cells;
  readonly scene: Scene;
  readonly selection: Selection;
  readonly time = new Time();
  readonly recording: Recording;
  readonly poses: Poses;
  readonly picking: Picking;
  readonly contacts: Contacts;
  readonly marks: Marks;
  readonly jobs: Jobs;
  readonly messages = new Messages();
  readonly log: Log;
  readonly programs: Programs;
  readonly ghost: Ghost;
  readonly pendant: Pendant;
  readonly reach: ReachShown;
  readonly targets: Targets;
  readonly checks: Checks;
  readonly played: PlayedContacts;
  readonly plots: Plots;
  readonly gantt = new Latest<Chart>();
  readonly inspected: Inspected;
  readonly toolHand: ToolHand;
  readonly moving: Moving;
  readonly sizing: Sizing;
  readonly workshop = new Workshop();
  readonly attaching: Attaching;
  readonly making = new Making();
  readonly forms: Forms;
  readonly preferences = new Preferences();
  readonly panes = new Panes();
  readonly views: Views;
  readonly lamps: Lamps;
  readonly loose: Loose;
  readonly layout: Layout;
  readonly help: Help;
  readonly files: Files;
  readonly actions: Actions;
  private readonly drops = new Turns();
  private readonly missed: Missed;
  view: ViewControl | undefined;
  /** The cameras that the panes had when this window last showed the cell. */
  cameras: (KeptCamera | undefined)[];
  /** Puts the cursor into the console; set while there is one. */
  focusConsole: (text?: string) => void = () => {};
  opened = $state<Opened>("");
  /** Where the menu of the right button is open. */
  context = $state.raw<ContextPlace>();
  /** The robot that the dialog *Add* shall replace, when it opens; "" to add one. */
  replaced = $state("");
  /** What an import asks the user. */
  importing: ImportQuestion | undefined;
  /** Shapes that are here, of those that are wanted. */
  shapes = $state({ here: 0, wanted: 0 });
  /** When the first frame was drawn, or it was known that there will be none [ms since the page loaded]. What the first frame does not need is loaded then. */
  firstFrame = $state(0);
  readonly shortage = new Shortage();

  /**
   * @param host the way to the server, and which of its cells is meant.
   * @param width of the window [pixels].
   */
  constructor(
    readonly host: Host,
    width = 1280,
  ) {
    const connection = (this.connection = new Connection(host));
    this.cells = new Cells(connection, host);
    this.scene = new Scene(() => connection.send({ type: "fetch-scene" }));
    this.missed = new Missed(this.scene.picture, (sentence) => {
      if (this.time.missed > 0) this.messages.note("Not shown in playback", sentence, { label: "Show now", run: () => this.time.toNow() });
    });
    this.selection = new Selection(this.scene, (things) => connection.mention({ type: "select", things }));
    this.recording = new Recording(connection, this.scene, this.time);
    this.poses = new Poses(this.scene, this.recording, this.time);
    this.picking = new Picking(connection, this.scene, this.selection, this.poses);
    this.contacts = new Contacts(connection, this.scene, this.preferences);
    this.marks = new Marks(connection, this.scene);
    this.jobs = new Jobs((job) => this.attempt("Not cancelled", () => connection.send({ type: "cancel", job })));
    this.log = new Log(connection, (line, sentence) => {
      const any = line === "undo" && sentence.includes("`undo --any`");
      this.messages.refused(`Refused: ${line}`, sentence, any ? { label: "Undo the last step, whoever made it", run: () => void this.log.press("undo --any") } : undefined);
    }, (line) => shortened(line, (name) => this.only(name)));
    this.views = new Views(connection, this.scene, this.log);
    this.lamps = new Lamps(connection, this.scene, this.log, this.workshop);
    this.loose = new Loose(connection, this.scene, this.log, this.selection, this.preferences);
    this.programs = new Programs(connection, this.log, this.time, this.recording);
    const refused = (title: string, sentence: string) => this.messages.refused(title, sentence);
    this.programs.onrefused = refused;
    this.programs.runs.onreturned = (title, sentence) => this.messages.note(title, sentence);
    this.programs.runs.onneeds = (program) => void this.programs.show(program).then(() => this.layout.show("programs"));
    this.scene.watch(() => this.programs.checkup.refresh());
    this.programs.onmarked = () => void this.messages.claim();
    this.ghost = new Ghost(connection, this.scene);
    this.pendant = new Pendant(connection, this.scene, this.selection, this.recording, this.log, this.ghost, this.time);
    this.pendant.onrefused = refused;
    this.reach = new ReachShown(connection, this.scene);
    this.targets = new Targets(connection, this.scene, this.marks, this.log);
    this.checks = new Checks(this.log, this.scene, this.recording);
    this.played = new PlayedContacts(connection, this.scene, this.preferences, this.time, this.recording, this.checks);
    this.plots = new Plots(connection, this.scene, this.selection, this.recording, this.log);
    this.forms = new Forms(connection, this.scene, this.selection, this.log, this.workshop);
    this.inspected = new Inspected(connection, this.scene, this.selection, this.log);
    this.toolHand = new ToolHand(this.pendant, this.ghost, this.scene);
    this.moving = new Moving(connection, this.scene, this.selection, this.time, this.poses, this.pendant, this.log, this.loose);
    this.moving.onrefused = refused;
    this.sizing = new Sizing(connection, this.scene, this.selection, this.time, this.pendant, this.log);
    this.sizing.onrefused = refused;
    this.workshop.onrefused = refused;
    this.attaching = new Attaching(connection, this.scene, this.picking, this.ghost, this.log);
    this.layout = new Layout(width, PANELS);
    this.help = new Help(connection, this.log, this.preferences);
    this.files = new Files(host);
    this.actions = new Actions(this);
    const { log, cameras, runs, saved } = resumed(host.recall?.(host.cell) ?? "");
    this.log.resume(log);
    this.programs.runs.resume(runs);
    if (saved) this.messages.saved(saved);
    this.cameras = cameras;
    this.cells.onsaved = (cell) => this.leave(cell.first ? "" : cell.id, cell.file);
    connection.onmessage = (message) => this.receive(message);
    connection.onlost = () => {
      this.jobs.clear();
      this.selection.forgetOthers();
      const closed = this.cells.list.length > 0 && !this.cells.current; // the server said so before
      if (!closed && connection.link === "lost") this.messages.error("Disconnected", "The server does not answer; reconnecting.");
    };
  }

  /** The sentence of the command that was just refused, for the panel that gave it; no message repeats it. */
  refusal(): string {
    return this.messages.claim() || this.log.lastError;
  }

  /** Whether at most one thing that the page knows has this name. */
  private only(name: string): boolean {
    const things = [...this.scene.picture.nodes.values(), ...this.loose.list, ...(this.programs.info?.signals ?? [])];
    return things.filter((one) => one.name === name).length < 2;
  }

  open(): void {
    this.connection.open();
  }

  private receive(message: ServerMessage): void {
    switch (message.type) {
      case "hello":
        if (message.version !== VERSION) this.messages.error("Different version", "The server was updated. Reload the page.");
        message.notes.forEach((note) => this.log.remark(note));
        this.selection.repeat();
        this.attempt("Cannot list the cells", () => this.cells.refresh());
        break;
      case "scene":
        this.recording.begin();
        this.scene.replace(message);
        this.poses.refresh();
        break;
      case "difference":
        this.missed.hear(message);
        this.scene.apply(message);
        this.poses.refresh();
        break;
      case "cells":
        this.cells.hear(message);
        break;
      case "moved":
        this.cells.moved = message.cell;
        this.attempt("Cannot list the cells", () => this.cells.refresh());
        break;
      case "behind":
        this.scene.catchUp();
        break;
      case "recording":
        this.recording.replace(message);
        break;
      case "recorded":
        this.recording.goOn(message);
        break;
      case "run":
        this.programs.hear(message);
        break;
      case "change":
        this.hear(message);
        break;
      case "selected":
        this.selection.hear(message.who, message.things);
        break;
      case "notice":
        this.messages.error(message.who, `${message.line}: ${message.message}`);
        break;
      case "progress":
        this.jobs.note(message);
        break;
      case "error":
        this.messages.error(message.kind, message.message);
        break;
      default:
        break;
    }
  }

  /** Somebody changed the cell. Shown: a change that this window cannot see, and what others undid, redid or loaded. */
  private hear(change: Change): void {
    const own = change.who === this.connection.me;
    const line = this.log.shown(change.label || change.line);
    this.recording.hear(change);
    if (!own && change.effect !== "view") for (const hand of [this.moving, this.sizing]) hand.hear(change.who, line);
    const unseen = change.effect !== "view" && this.time.changed(own);
    const now = { label: "Show now", run: () => this.time.toNow() };
    const whose = (who: string) => (who === this.connection.me ? "this window" : who);
    if (!own && change.ended) {
      this.messages.note(`Run discarded by ${change.who}`, `${change.ended.label} (begun by ${whose(change.ended.who)})`);
    } else if (!own && change.undone) {
      const text = `${this.log.shown(change.undone.label)} (a step of ${whose(change.undone.who)})`;
      this.messages.note(`Undone by ${change.who}`, text, unseen ? now : undefined);
    } else if (!own && change.redone) {
      const text = `${this.log.shown(change.redone.label)} (a step of ${whose(change.redone.who)})`;
      this.messages.note(`Redone by ${change.who}`, text, unseen ? now : undefined);
    } else if (!own && (change.effect === "view" || change.line.startsWith("units "))) {
      this.messages.note(`By ${change.who}`, line);
    } else if (unseen) {
      this.missed.note(own ? "" : change.who, change.line);
    }
  }

  /** What touches at the time that is shown. */
  get touching(): Touching {
    return this.time.live ? this.contacts : this.played;
  }

  /** What was made in this window and is not in the cell, in sentences; leaving the page would lose it. */
  get unkept(): string[] {
    return [this.programs.unkept ? "Lines that you typed into a program are not saved." : "", this.workshop.unkept].filter((one) => one !== "");
  }

  /** This window shows another page soon: keep the console and the cameras for when it shows the cell, which was just `saved`, again. */
  leave(cell = this.host.cell, saved = ""): void {
    const cameras = this.panes.list.slice(0, this.panes.count).flatMap(({ square }, i) => {
      const camera = this.view?.cameraOf(i);
      return camera ? { ...camera, square } : [];
    });
    this.host.keep?.(cell, JSON.stringify({ log: this.log.entries.filter(({ state }) => state !== "busy"), cameras, runs: this.programs.runs.kept, saved }));
  }

  /** Forget what is not kept. */
  forgetUnkept(): void {
    this.programs.forgetAll();
    this.workshop.close();
  }

  /** Close a cell; if that would lose something, or if others use it, ask first. */
  closeCell({ id }: CellInfo): void {
    this.attempt("Not closed", async () => {
      await this.cells.refresh(); // who uses it now, and whether a run is paused in it
      const cell = this.cells.list.find((one) => one.id === id);
      if (!cell) return;
      const here = this.cells.isHere(cell) ? { changed: !!this.scene.facts?.undo, paused: this.programs.paused, unkept: this.unkept } : undefined;
      const losses = lossesOf(cell, here);
      if (losses.length === 0) return this.cells.close(cell);
      this.cells.closing = { cell, losses };
      this.opened = "close-cell";
    });
  }

  /**
   * Read files into the cell that the user dropped or chose; what is new is selected and in the view.
   *
   * @param spot where they were dropped in the scene [m].
   */
  take(files: readonly Dropped[], spot?: readonly number[]): void {
    const { connection, log, scene, host } = this;
    this.attempt("Not imported", async () => {
      const { importFiles } = await import("./imports");
      const before = new Set(scene.picture.bodies.keys());
      const page: ImportPage = {
        connection,
        log,
        host,
        units: scene.units,
        taken: () => [...scene.picture.nodes.values()].map(({ name }) => name),
        ask: (asked) =>
          new Promise((resolve) => {
            this.importing = { files: asked, answer: resolve };
            this.opened = "import";
          }),
        open: (file) => this.cells.open(file),
        failed: (path, sentence) => this.messages.error(`Not imported: ${path}`, sentence),
        noted: (path, sentence) => this.messages.note(`Imported: ${path}`, sentence),
        leftOut: (which, sentence) => this.messages.note(`Not imported: ${which}`, sentence),
      };
      const made = await this.drops.take(() => importFiles(page, files, spot));
      if (made.length > 0) this.selection.selectWhenThere(...made.map(({ kind, name }) => [kind, name] as const));
      this.view?.reveal(before);
    });
  }

  /** Copy the selected things, with parts of their own if `deep`, and do something `after` that. */
  copy(deep: boolean, after: () => void = () => {}): void {
    this.attempt("Not copied", async () => {
      const { copyThings } = await import("./copying");
      if (await copyThings(this, this.selection.things, deep)) after();
    });
  }

  /** Do something that answers why it was not done, or ""; the reason is shown. */
  tried(title: string, work: () => Promise<string>): void {
    this.attempt(title, async () => {
      const reason = await work();
      if (reason) this.messages.error(title, reason);
    });
  }

  /** Do something that may fail; the failure is shown. */
  attempt(title: string, work: () => void | Promise<void>): void {
    const shown = (error: unknown) => this.messages.error(title, sentenceOf(error));
    try {
      void Promise.resolve(work()).catch(shown);
    } catch (error) {
      shown(error);
    }
  }
}
