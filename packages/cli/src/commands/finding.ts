/** What `postern doctor` found out about one thing. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly text: string;
  /** True for what works now, and should be looked at all the same. */
  readonly warning?: boolean;
  /** What `doctor --fix` can do about it; absent if a person must. */
  readonly fix?: Fix;
}

/** `migrate`: apply what is missing. `{ file, mode }`: give a file this mode. */
export type Fix = "migrate" | { readonly file: string; readonly mode: number };

/** A finding that is good, or a warning. */
export const finding = (check: string, ok: boolean, good: string, bad: string): Finding => ({
  check,
  ok,
  ...(ok ? {} : { warning: true }),
  text: ok ? good : bad,
});
