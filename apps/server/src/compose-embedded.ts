import type { Ports } from "@postern/core";
import { handWrittenResources, type Nesting } from "@postern/core/parts";
import type { Gateway } from "@postern/http";
import { configFileFaults } from "./check-config-file.ts";
import { checkSecrets } from "./check-secrets.ts";
import { type Composition, compose } from "./compose.ts";
import { openGateway } from "./compose-http.ts";
import type { ServerConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import type { PosternConfig } from "./config-file.ts";
import { ensureFirstAdmin } from "./first-admin.ts";

/**
 * The composition with its HTTP for an application that has a server of its own. The tables are up
 * to date, and nothing runs yet.
 * @throws ConfigError for options that cannot work, or what the database throws; everything is
 *   closed then.
 */
export const composeEmbedded = async (
  config: ServerConfig,
  file: PosternConfig,
  replaced: Partial<Ports> = {},
  nesting?: Nesting,
): Promise<{ readonly composition: Composition; readonly gateway: Gateway }> => {
  const faults = [...configFileFaults(file), ...handWrittenResources(file.resources)];
  if (faults.length > 0) throw new ConfigError(faults);
  const composition = await compose(config, file, replaced, nesting);
  const { app, ports, parts, storage } = composition;
  try {
    const gateway = openGateway(app, config, { ...file.http, telemetry: ports.telemetry });
    await composition.migrate();
    await checkSecrets(ports, parts);
    if (config.admin !== undefined && parts.includes("users")) await ensureFirstAdmin(app, storage, config.admin);
    return { composition, gateway };
  } catch (thrown) {
    await composition.close();
    throw thrown;
  }
};
