import type { Nesting } from "@postern/core";
import { handWrittenResources } from "@postern/core/internal";
import type { Gateway } from "@postern/http";
import { checkSecrets } from "./check-secrets.ts";
import { type Composition, compose } from "./compose.ts";
import { openGateway } from "./compose-http.ts";
import { ConfigError } from "./config-error.ts";
import { type EmbeddedOptions, readOptions } from "./embedded-config.ts";
import { ensureFirstAdmin } from "./first-admin.ts";

/**
 * The composition with its HTTP for an application that has a server of its own. The tables are up
 * to date, and nothing runs yet.
 * @throws ConfigError for options that cannot work, or what the database throws; everything is
 *   closed then.
 */
export const composeEmbedded = async (
  options: EmbeddedOptions,
  nesting?: Nesting,
): Promise<{ readonly composition: Composition; readonly gateway: Gateway }> => {
  const { config, file } = readOptions(options);
  const faults = handWrittenResources(file.resources);
  if (faults.length > 0) throw new ConfigError(faults);
  const composition = await compose(config, file, options.ports, nesting);
  const { app, ports, parts, storage } = composition;
  try {
    const gateway = openGateway(app, config, { ...file.http, telemetry: ports.telemetry });
    await composition.migrate();
    await checkSecrets(ports, parts, config);
    if (config.admin !== undefined && parts.includes("users")) await ensureFirstAdmin(app, storage, config.admin);
    return { composition, gateway };
  } catch (thrown) {
    await composition.close();
    throw thrown;
  }
};
