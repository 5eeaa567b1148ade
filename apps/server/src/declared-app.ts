import { type App, allParts, builtInVersions, createApp } from "@postern/app";
import { DeclarationError } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { boundsOf } from "./bounds.ts";
import { declarationsOf } from "./compose.ts";
import { ConfigError } from "./config-error.ts";
import type { PosternConfig } from "./config-file.ts";

/**
 * The application that a configuration file declares, in memory: for what describes its API. It needs
 * no database, no environment and no secret, so it has no senders and no handlers.
 * @throws ConfigError for declarations that cannot work.
 */
export const declaredApp = (file: PosternConfig): App => {
  // As a server has them.
  const { parts = allParts, versions = builtInVersions, outsideIssuer } = file;
  try {
    return createApp({
      ports: memoryPorts(),
      parts,
      versions,
      settings: { ...boundsOf(file), ...(outsideIssuer === undefined ? {} : { outsideIssuer }) },
      ...declarationsOf({ ...file, schedules: [] }),
    });
  } catch (thrown) {
    if (thrown instanceof DeclarationError) throw new ConfigError(thrown.faults);
    throw thrown instanceof TypeError ? new ConfigError([thrown.message]) : thrown;
  }
};
