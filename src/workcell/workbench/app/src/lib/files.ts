// Files of the server, for the user to keep.
import { type Host, place } from "./host";

/** A file that the server refused to take or to give, in its sentence. */
export class FileRefused extends Error {}

export class Files {
  constructor(private host: Host) {}

  /** Fetch a file that was written for this page, or one of the folder of the cell, and hand it to the user. */
  async download(name: string): Promise<void> {
    const answer = await this.host.fetch(place(this.host, `files/${encodeURIComponent(name)}`)).catch(() => {
      throw new FileRefused(`The server does not answer; ${name} was not fetched.`);
    });
    if (!answer.ok) throw new FileRefused(await answer.text());
    this.hand(name.slice(name.lastIndexOf("/") + 1), await answer.blob());
  }

  /** Hand what the page made to the user, as a file. */
  hand(name: string, content: Blob): void {
    const place = URL.createObjectURL(content);
    const link = Object.assign(document.createElement("a"), { href: place, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(place));
  }
}
