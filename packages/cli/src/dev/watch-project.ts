import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join, relative } from "node:path";

/** Folders whose files the application does not consist of. Those with a dot are none of it either. */
const others: ReadonlySet<string> = new Set(["node_modules", "data", "dist", "contracts", "coverage"]);
const isSource = (name: string): boolean => /\.(?:[cm]?[jt]sx?|json)$/.test(name) || name === ".env";

/** An editor writes a file in several steps, and a command writes several files. */
const settleMs = 60;

/**
 * Calls `onChange` with the files that were saved, when nothing was saved for a moment. Each folder
 * is watched by itself: to watch a tree would watch each file of `node_modules`.
 */
export const watchProject = (root: string, onChange: (files: readonly string[]) => void): { close(): void } => {
  const watched = new Map<string, FSWatcher>();
  const saved = new Set<string>();
  let settling: NodeJS.Timeout | undefined;

  const note = (file: string): void => {
    saved.add(relative(root, file));
    clearTimeout(settling);
    settling = setTimeout(() => {
      const files = [...saved].toSorted();
      saved.clear();
      onChange(files);
    }, settleMs);
  };

  const look = (folder: string): void => {
    if (!watched.has(folder)) {
      const watcher = watch(folder, (_event, name) => {
        if (name === null) return;
        if (isSource(name)) note(join(folder, name));
        // It may be a new folder.
        else if (!name.includes(".")) look(folder);
      });
      watcher.on("error", () => {
        watcher.close();
        watched.delete(folder);
      });
      watched.set(folder, watcher);
    }
    for (const entry of foldersIn(folder)) if (!watched.has(join(folder, entry))) look(join(folder, entry));
  };

  look(root);
  return {
    close: () => {
      clearTimeout(settling);
      for (const watcher of watched.values()) watcher.close();
    },
  };
};

const foldersIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !others.has(entry.name))
      .map(({ name }) => name);
  } catch {
    // It has gone meanwhile.
    return [];
  }
};
