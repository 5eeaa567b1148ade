import type { Terminal } from "./terminal.ts";

const barWidth = 30;
/** How long nothing is said where lines cannot be written over. */
const quietMs = 10_000;
const redrawMs = 100;

/** How far a long work is. */
export interface Progress {
  /** `share`: from 0 to 1; `undefined` if the end is not known. */
  show(text: string, share?: number): void;
  /** Takes the bar away. */
  end(): void;
}

/** A bar on a terminal, elsewhere a line every ten seconds, on stderr. */
export const progressOn = ({ stderr, redraw }: Pick<Terminal, "stderr" | "redraw">): Progress => {
  let shownAt = redraw === undefined ? performance.now() : Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  return {
    show: (text, share) => {
      const now = performance.now();
      if (now - shownAt < (redraw === undefined ? quietMs : redrawMs)) return;
      shownAt = now;
      if (redraw === undefined) return void stderr.write(`${text}\n`);
      isDrawn = true;
      const full = Math.round(Math.min(1, share ?? 0) * barWidth);
      redraw(share === undefined ? text : `[${"#".repeat(full)}${"-".repeat(barWidth - full)}] ${text}`);
    },
    end: () => {
      if (isDrawn) redraw?.("");
    },
  };
};
