// The jobs of all windows: what is in progress, and cancelling it.
import type { Progress } from "./protocol";

export class Jobs {
  list = $state<Progress[]>([]);

  constructor(private cancelJob: (job: string) => void) {}

  note(progress: Progress): void {
    const rest = this.list.filter((job) => job.job !== progress.job);
    const number = (job: Progress) => Number(job.job.replace(/\D/g, ""));
    this.list = progress.done ? rest : [...rest, progress].sort((a, b) => number(a) - number(b));
  }

  clear(): void {
    this.list = [];
  }

  cancel(job: string): void {
    this.cancelJob(job);
  }
}
