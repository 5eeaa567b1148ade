import { spawn } from "node:child_process";
import { once } from "node:events";
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
      const { supervise, withoutEnvFile } = await import("../dev/supervise.ts");
      const program = process.argv[1] ?? "";
      await supervise({
        root: terminal.directory,
        program,
        line: ["serve"],
        tell: (text) => void terminal.stderr.write(text),
        mend: async (said) => {
          if (terminal.stdin.isTTY !== true || !said.includes("the tables cannot be brought to")) return false;
          // Only a new process sees the files as they are now.
          const args = [...process.execArgv, program, "migrate", "up", "--by-hand"];
          const asking = spawn(process.execPath, args, { stdio: "inherit", env: withoutEnvFile(terminal.directory) });
          const [code] = await once(asking, "exit");
          return code === 0;
        },
      });
    });
};
