import type { OptionRules, Ports, Resource } from "@postern/core";
import { didYouMean, oneOf, option, optionFaults, refuseFaults, required } from "@postern/core/internal";
import type { InboxHandler, Provider } from "@postern/inbox";
import { handlerFaults, misplacedPath } from "@postern/inbox/internal";
import type { JobHandler, Schedule } from "@postern/jobs";
import { faultsOfJobs, faultsOfSchedules, repeated } from "@postern/jobs/internal";
import type { Deprecation, VersionDefinition } from "@postern/rest";
import { deprecationShapeFaults, productFaults, versionShapeFaults } from "@postern/rest/internal";
import { schemeNames } from "@postern/webhook-verifier/load-scheme";

/** The declarations of an application: its own and those of its parts. */
interface Declared {
  readonly handlers: readonly InboxHandler[];
  readonly jobs: readonly JobHandler[];
  readonly schedules: readonly Schedule[];
  readonly providers: readonly Provider[];
  readonly resources: readonly Resource[];
  readonly versions: readonly VersionDefinition[];
  readonly deprecations: readonly Deprecation[];
}

const lists = {
  resources: option.aList,
  providers: option.aList,
  handlers: option.aList,
  hooks: option.aList,
  jobs: option.aList,
  schedules: option.aList,
  operations: option.aList,
  versions: option.aList,
  deprecations: option.aList,
} satisfies OptionRules;

const appOptions: OptionRules = {
  ...lists,
  ports: required(option.anObject),
  parts: option.aList,
  product: option.anObject,
  user: option.anObject,
  preconditions: oneOf("optional", "required"),
  settings: option.anObject,
  configuration: option.aFunction,
  authenticate: option.aFunction,
  roles: option.anObject,
  nesting: option.anObject,
};

const everyPort: Readonly<Record<keyof Ports, true>> = {
  storage: true,
  signer: true,
  jwtVerifier: true,
  passwordHasher: true,
  oneTimeCodes: true,
  commonPasswords: true,
  clock: true,
  cronPlan: true,
  ids: true,
  randomness: true,
  rateLimits: true,
  secretBox: true,
  fetcher: true,
  alerts: true,
  mailer: true,
  telemetry: true,
  liveness: true,
  wakeup: true,
  deprecatedUses: true,
};

const missingPorts = (ports: object): readonly string[] => {
  const missing = Object.keys(everyPort).filter((name) => Reflect.get(ports, name) === undefined);
  if (missing.length === 0) return [];
  return [
    `createApp: "ports" lacks ${missing.join(", ")}; nodePorts, createKnexStorage and nodeCronPlan make them all together`,
  ];
};

/** Entries that are not objects. Nothing else about them can be checked. */
const entryFaults = (options: object): readonly string[] =>
  Object.keys(lists).flatMap((name) => {
    const entries: unknown = Reflect.get(Object(options), name);
    return (Array.isArray(entries) ? entries : []).flatMap((entry: unknown, index) =>
      option.anObject.is(entry) ? [] : optionFaults(`${name}[${index}]`, entry, {}),
    );
  });

const ofProduct = (options: object): readonly string[] => {
  const product: unknown = Reflect.get(Object(options), "product");
  return product === undefined ? [] : productFaults(product);
};

/**
 * @throws DeclarationError for options of `createApp` that do not exist or have the wrong type, and
 *   for ports that are missing.
 */
export const checkAppOptions = (options: { readonly ports: object }): void => {
  refuseFaults([...optionFaults("createApp", options, appOptions), ...entryFaults(options), ...ofProduct(options)]);
  refuseFaults(missingPorts(options.ports));
};

/** A fault if a declaration was not made by its function: only then does it lack this member. */
const madeBy = (place: string, given: unknown, member: string, maker: string): readonly string[] =>
  option.anObject.is(given) && Object.hasOwn(Object(given), member) ? [] : [`${place}: make it with ${maker}`];

const placeOf = (list: string, given: unknown, index: number): string => {
  const name: unknown = Object(given).name;
  return typeof name === "string" ? `${list} "${name}"` : `${list}[${index}]`;
};

/**
 * A sender that is not configured may still be added at run time. But a name that is close to that
 * of a sender or a scheme is probably a mistake.
 */
const senderFaults = ({ handlers, providers }: Declared): readonly string[] => {
  const known = [...providers.map(({ name }) => name), ...schemeNames];
  return handlers.flatMap(({ name, provider }) => {
    if (typeof provider !== "string" || provider === "*" || known.includes(provider)) return [];
    const meant = didYouMean([provider], known);
    return meant === "" ? [] : [`handler "${name}": there is no sender "${provider}"${meant}`];
  });
};

/**
 * Paths of `where` that lead into the payload of a configured sender's events, but not into their
 * data.
 */
const pathFaults = ({ handlers, providers }: Declared): readonly string[] =>
  handlers.flatMap(({ name, provider, where }) => {
    const scheme = providers.find((one) => one.name === provider)?.verifier?.scheme;
    if (scheme === undefined || !option.anObject.is(where)) return [];
    const misplaced = Object.keys(where ?? {}).flatMap((path) => misplacedPath(scheme, path) ?? []);
    return misplaced.map((fault) => `handler "${name}": where: ${fault}`);
  });

/** Resources whose rows somebody uses by name, and that the application does not have. */
const rowFaults = ({ handlers, jobs, schedules, resources }: Declared): readonly string[] => {
  const plurals = resources.map(({ plural }) => plural);
  return [...handlers, ...jobs, ...schedules].flatMap((one) =>
    (Array.isArray(one.resources) ? one.resources : [])
      .filter((used) => !plurals.includes(Object(used).plural))
      .map(
        (used) =>
          `handler "${one.name}": it uses the rows of "${String(Object(used).name)}", which is not declared; add it to "resources"`,
      ),
  );
};

/**
 * Checks every declaration and reports all faults at once.
 * @throws DeclarationError
 */
export const checkDeclarations = (declared: Declared, ports: Pick<Ports, "cronPlan">): void => {
  const { handlers, jobs, schedules, providers, resources, versions, deprecations } = declared;
  refuseFaults([
    ...handlers.flatMap((handler, index) => handlerFaults(handler, `handlers[${index}]`)),
    ...senderFaults(declared),
    ...pathFaults(declared),
    ...rowFaults(declared),
    ...faultsOfJobs(jobs),
    ...faultsOfSchedules(schedules, ports),
    ...providers.flatMap((provider, index) =>
      madeBy(placeOf("providers", provider, index), provider, "verifier", "defineProvider or openProvider"),
    ),
    ...resources.flatMap((resource, index) =>
      madeBy(placeOf("resources", resource, index), resource, "fieldNames", "defineResource"),
    ),
    ...versions.flatMap(versionShapeFaults),
    ...deprecations.flatMap(deprecationShapeFaults),
    ...repeated("handler", [...handlers, ...jobs, ...schedules]),
    ...repeated("provider", providers),
    ...repeated("resource", resources),
  ]);
};
