// Which programs start together in this window: those that the user chose, or those of the run that the recording shows.
import type { ProgramInfo, RunInfo } from "./protocol";

/** Programs that start together, by their ids, in the order in which they go on at the same instant. */
interface Group {
  ids: readonly string[];
  /** Whether the user chose it; a run of others does not change it then. */
  chosen: boolean;
}

/** Whether a program needs values that the user must give. */
export const needsValues = (program: ProgramInfo): boolean => (program.parameters ?? []).some((one) => one.required);

/** Whether a program can start beside others: Agent lines run alone. */
export const canJoin = (program: ProgramInfo): boolean => program.language === "commands";

export class Company {
  /** A program is in one group at most. Removed programs stay in theirs, since undo brings them back. */
  private groups = $state.raw<readonly Group[]>([]);
  /** The run that was proposed last. */
  private heard = "";

  constructor(private programs: { readonly info: RunInfo | undefined }) {}

  /** A run of several programs is proposed for each of them, unless the user chose something else for one of them. */
  hear(info: RunInfo): void {
    const ids = info.ran?.flatMap((name) => this.named(name)?.id ?? []) ?? [];
    if (ids.length < 2 || ids.join() === this.heard) return;
    this.heard = ids.join();
    if (!ids.some((id) => this.groupOf(id)?.chosen)) this.put(ids, false);
  }

  /** The programs that start when this one does, in their order; the one that needs values, or is to be the first, comes first. */
  of(name: string, first = ""): string[] {
    const members = this.members(name);
    const head = members.find((one) => one.name === first) ?? members.find(needsValues) ?? members[0];
    return head ? [head, ...members.filter((one) => one !== head)].map((one) => one.name) : [name];
  }

  /** Let a program start together with another one, or no longer. */
  choose(name: string, other: string, together: boolean): void {
    const [own, id] = [this.members(name).map((one) => one.id), this.named(other)?.id];
    if (id) this.put(together ? [...own, id] : own.filter((one) => one !== id), true);
  }

  /** Let a program of a company go on before the others at the same instant. */
  lead(name: string): void {
    const [own, id] = [this.members(name).map((one) => one.id), this.named(name)?.id];
    if (id) this.put([id, ...own.filter((one) => one !== id)], true);
  }

  /** What the window keeps, and takes up again. */
  get kept(): unknown {
    return this.groups;
  }

  resume(kept: unknown): void {
    const groups = (Array.isArray(kept) ? kept : []) as Partial<Group>[];
    this.groups = groups.flatMap((one) => (Array.isArray(one?.ids) ? [{ ids: one.ids.map(String), chosen: !!one.chosen }] : []));
  }

  private named(name: string): ProgramInfo | undefined {
    return this.programs.info?.programs.find((one) => one.name === name);
  }

  private groupOf(id: string): Group | undefined {
    return this.groups.find(({ ids }) => ids.includes(id));
  }

  /** A program and those that start with it, as far as they exist and can. */
  private members(name: string): ProgramInfo[] {
    const own = this.named(name);
    const group = own && canJoin(own) ? this.groupOf(own.id) : undefined;
    if (!own || !group) return own ? [own] : [];
    return group.ids.flatMap((id) => this.programs.info?.programs.find((one) => one.id === id && canJoin(one)) ?? []);
  }

  /** Make a group of these programs; they leave those in which they were. */
  private put(ids: readonly string[], chosen: boolean): void {
    const others = this.groups.map((one) => ({ ...one, ids: one.ids.filter((id) => !ids.includes(id)) }));
    this.groups = [...others.filter((one) => one.ids.length > 0), { ids, chosen }];
  }
}
