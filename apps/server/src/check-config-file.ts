import { type OptionRules, option, optionFaults, required } from "@postern/core/parts";
import { httpLimitNames, limitNames, rateNames } from "./limit-names.ts";

const wholeNumber = {
  is: (value: unknown) => Number.isInteger(value) && Number(value) >= 0,
  says: "a whole number, 0 or more",
};
const textOrTexts = {
  is: (value: unknown) =>
    option.aText.is(value) || (Array.isArray(value) && value.length > 0 && value.every(option.aText.is)),
  says: "a text or a list of texts",
};

const settings: OptionRules = {
  providers: option.anObject,
  routes: option.aList,
  handlers: option.aList,
  jobs: option.aList,
  schedules: option.aList,
  queues: option.anObject,
  http: option.anObject,
  quotas: option.anObject,
  limits: option.anObject,
  resources: option.aList,
  storage: option.anObject,
  parts: option.aList,
  authenticate: option.aFunction,
  roles: option.anObject,
  outsideIssuer: option.anObject,
  blockAddresses: option.aList,
  versions: option.aList,
  deprecations: option.aList,
  meter: option.anObject,
};

/** Every member of the configuration file. */
export const memberNames: readonly string[] = Object.keys(settings);

const providerOptions: OptionRules = {
  scheme: {
    is: (value) => option.aText.is(value) || option.anObject.is(value),
    says: "a scheme's name or a scheme of your own",
  },
  // The code that reads the keys reports missing ones. A secret from an unset environment variable
  // is `undefined`, which is not text.
  secret: textOrTexts,
  publicKey: textOrTexts,
  jwksUrl: option.aText,
  keySource: option.anObject,
  settings: option.anObject,
  schemas: option.anObject,
  toleranceSeconds: wholeNumber,
  allowShort: option.trueOrFalse,
  headers: {
    is: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
    says: 'a list of names of headers, such as ["x-shop", "x-acme-*"]',
  },
  replayOnResend: option.trueOrFalse,
  keepRefusedBodies: option.trueOrFalse,
  dedupe: {
    is: (value) => option.aText.is(value) || option.anObject.is(value),
    says: '"id", "body", "none" or { by: "body", windowSeconds: 600 }',
  },
};

const routeOptions: OptionRules = {
  provider: option.aText,
  type: option.aText,
  where: option.anObject,
  to: required({
    is: (value) => value === "log" || option.anObject.is(value),
    says: '"log" or { url: "https://…", secret: "whsec_…" }',
  }),
  name: option.aText,
  retry: option.anObject,
  queue: option.aText,
};

const targetOptions: OptionRules = {
  url: required(option.aText),
  secret: required(textOrTexts),
  timeoutMs: wholeNumber,
  allowPrivate: option.trueOrFalse,
  query: option.trueOrFalse,
};

const aboveZero = {
  is: (value: unknown) => typeof value === "number" && Number.isFinite(value) && value > 0,
  says: "a number above 0",
};
const queueOptions: OptionRules = { concurrency: aboveZero, globalConcurrency: aboveZero, perSecond: aboveZero };

const httpOptions: OptionRules = Object.fromEntries(httpLimitNames.map((name) => [name, wholeNumber]));

const wholeFromOne = {
  is: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 1,
  says: "a whole number, 1 or more",
};
const limitOptions: OptionRules = {
  ...Object.fromEntries(limitNames.map((name) => [name, wholeFromOne])),
  rates: option.anObject,
};
const rateOptions: OptionRules = { limit: required(wholeFromOne), windowMs: required(wholeFromOne) };
const ratesOptions: OptionRules = Object.fromEntries(rateNames.map((name) => [name, option.anObject]));

const units: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** The number of bytes that `"50MB"` means; `undefined` for a text that is not a size. */
export const bytesIn = (given: unknown): number | undefined => {
  const [, digits, unit = ""] = /^(\d+) ?([kKMG]?i?B?)$/.exec(String(given)) ?? [];
  const bytes = Number(digits) * (units[unit] ?? Number.NaN);
  return Number.isSafeInteger(bytes) && bytes >= 1 ? bytes : undefined;
};
const quotaOptions: OptionRules = {
  rows: wholeFromOne,
  bytes: { is: (value) => bytesIn(value) !== undefined, says: 'a number of bytes, or a text such as "50MB"' },
};

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  option.anObject.is(value) ? Object.entries(Object(value)) : [];

const limitFaults = (limits: { readonly rates?: unknown }): readonly string[] => [
  ...optionFaults("limits", limits, limitOptions),
  ...(option.anObject.is(limits.rates) ? optionFaults("limits.rates", limits.rates, ratesOptions) : []),
  ...entriesOf(limits.rates).flatMap(([name, given]) =>
    option.anObject.is(given) ? optionFaults(`limits.rates, ${name}`, given, rateOptions) : [],
  ),
];

/**
 * Everything in the configuration file's own settings that does not exist or has the wrong type.
 */
export const configFileFaults = (file: object): readonly string[] => {
  const { providers, routes, queues, http, quotas, limits } = file as Readonly<Record<string, unknown>>;
  return [
    ...optionFaults("the configuration file", file, settings),
    // A text is a secret. The code that reads the keys reports one that is missing.
    ...entriesOf(providers).flatMap(([name, given]) =>
      typeof given === "string" || given === undefined
        ? []
        : optionFaults(`provider "${name}"`, given, providerOptions),
    ),
    ...(Array.isArray(routes) ? routes : []).flatMap((route: unknown, index) => {
      const target: unknown = Object(route).to;
      return [
        ...optionFaults(`routes[${index}]`, route, routeOptions),
        ...(option.anObject.is(target) ? optionFaults(`routes[${index}].to`, target, targetOptions) : []),
      ];
    }),
    ...entriesOf(queues).flatMap(([name, given]) => optionFaults(`queue "${name}"`, given, queueOptions)),
    ...entriesOf(quotas).flatMap(([name, given]) => optionFaults(`quotas.${name}`, given, quotaOptions)),
    ...(option.anObject.is(limits) ? limitFaults(Object(limits)) : []),
    ...(option.anObject.is(http) ? optionFaults("http", http, httpOptions) : []),
  ];
};
