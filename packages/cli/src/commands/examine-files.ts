import { statSync } from "node:fs";
import { profilesFile } from "../chosen-server.ts";
import { loadServer } from "../load-server.ts";
import type { Session } from "../session.ts";
import type { Terminal } from "../terminal.ts";
import type { Finding } from "./finding.ts";

const ownerOnly = 0o600;
const notOwner = 0o077;

/** Whether files with secrets can be read by their owner alone. Windows has no modes. */
export const examineFiles = async (
  terminal: Pick<Terminal, "environment">,
  { database, secretKey }: Session["config"],
): Promise<readonly Finding[]> => {
  if (process.platform === "win32") return [];
  const { keyFileOf } = await loadServer();
  const keyFile = secretKey === undefined ? keyFileOf(database) : undefined;
  const files = [
    ["secret key file", keyFile],
    ["servers of login", profilesFile(terminal)],
  ] as const;
  return files.flatMap(([check, file]): Finding[] => {
    const mode = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.mode;
    if (file === undefined || mode === undefined) return [];
    if ((mode & notOwner) === 0) return [{ check, ok: true, text: "only its owner can read it" }];
    const octal = (mode & 0o777).toString(8).padStart(4, "0");
    const text = `others may read ${file} (mode ${octal}); run chmod 600 ${file}`;
    return [{ check, ok: false, text, fix: { file, mode: ownerOnly } }];
  });
};
