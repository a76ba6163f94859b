// The word at the end of what is typed, which a completion replaces.

interface Word {
  /** The word before the cursor. */
  typed: RegExp;
  /** What may be typed on while the completions stay the same but fewer. */
  same: RegExp;
}

const NAME: Word = { typed: /[\p{L}_][\p{L}\p{N}_-]*$/u, same: /^[\p{L}_][\p{L}\p{N}_-]*$/u };
/** In the Agent language a word may be a file, and each folder has files of its own; numbers are not completed. */
const AGENT: Word = { typed: /(?<![^\s,;\\=:])(?:[\p{L}_]|\.{0,2}\/)(?:[^\s,;\\=:]|:\/)*$/u, same: /^[^\s,;\\=:/]*$/u };

export const wordOf = (language: string): Word => (language === "agent" ? AGENT : NAME);
