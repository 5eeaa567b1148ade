import { newestOf } from "@postern/rest";
import { loadServer } from "../load-server.ts";
import { CommandError, exitCodes, type Terminal } from "../terminal.ts";

type Part = Readonly<Record<string, unknown>>;

/** The API of the application, as its configuration declares it. */
export interface DeclaredApi {
  /** The ids of its versions, oldest first. */
  readonly versions: readonly string[];
  readonly newest: string;
  /**
   * The OpenAPI document of a version without what is Postern's own: what operators use, and the door
   * of webhooks.
   * @throws CommandError for a version that there is not.
   */
  documentOf(version: string): Part;
}

/**
 * Reads the configuration file alone. Its environment may be empty, and no database is opened.
 * @throws ConfigError for declarations that cannot work.
 */
export const declaredApi = async ({ environment, directory }: Terminal): Promise<DeclaredApi> => {
  const { declaredApp, loadConfigFile } = await loadServer();
  const app = declaredApp(await loadConfigFile(environment.POSTERN_CONFIG, directory));
  const versions = app.versions.map(({ id }) => id);
  return {
    versions,
    newest: newestOf(app.versions).id,
    documentOf: (version) => {
      const declared = app.versions.find(({ id }) => id === version);
      if (declared !== undefined) return ownPart({ ...app.openApi(declared.id) });
      throw new CommandError(exitCodes.usage, `There is no version ${version}; there are ${versions.join(", ")}.`);
    },
  };
};

const objects = (value: unknown): readonly (readonly [string, Part])[] =>
  Object.entries(Object(value)).filter((entry): entry is [string, Part] => Object(entry[1]) === entry[1]);

const isPosterns = ({ operationId }: Part): boolean => /^(?:admin|webhooks)\./.test(String(operationId));

const ownPart = (document: Part): Part => {
  const paths = objects(document.paths).flatMap(([path, methods]) => {
    const own = Object.entries(methods).filter(([, operation]) => !isPosterns(Object(operation)));
    return own.some(([, operation]) => "operationId" in Object(operation)) ? [[path, Object.fromEntries(own)]] : [];
  });
  return withoutUnused({ ...document, paths: Object.fromEntries(paths) });
};

const referred = /"#\/components\/(\w+)\/([^"]+)"/g;

/** Leaves out the components to which nothing leads. */
const withoutUnused = (document: Part): Part => {
  const { components, ...rest } = document;
  const kept = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, kind = "", name = ""] of JSON.stringify(part).matchAll(referred)) {
      const place = `${kind} ${name}`;
      if (kept.has(place)) continue;
      kept.add(place);
      follow(Object(Object(components)[kind])[name] ?? {});
    }
  };
  follow(rest);
  const left = objects(components).map(([kind, named]) => [
    kind,
    // Requests name a scheme without a reference.
    kind === "securitySchemes"
      ? named
      : Object.fromEntries(Object.entries(named).filter(([name]) => kept.has(`${kind} ${name}`))),
  ]);
  return { ...rest, components: Object.fromEntries(left) };
};
