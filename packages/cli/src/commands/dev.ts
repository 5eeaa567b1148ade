import type { Command } from "commander";
import type { Terminal } from "../terminal.ts";

/** `postern dev`. It runs until it is stopped. */
export const addDevCommand = (dev: Command, terminal: Terminal): void => {
  dev
    .addHelpText(
      "after",
      "\nA new process starts beside the old one and takes over when it takes requests. If it cannot, it says\nwhy, and the old one goes on serving.",
    )
    .action(async () => {
      const { supervise } = await import("../dev/supervise.ts");
      await supervise({
        root: terminal.directory,
        program: process.argv[1] ?? "",
        line: ["serve"],
        tell: (text) => void terminal.stderr.write(text),
        mend: async () => false,
      });
    });
};
