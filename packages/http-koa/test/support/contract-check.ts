import type { App } from "@postern/core";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "vitest";

interface Part {
  readonly $ref?: string;
  readonly [member: string]: unknown;
}

interface ResponseObject {
  readonly headers?: Readonly<Record<string, Part>>;
  readonly content?: Readonly<
    Record<string, { readonly schema: Part; readonly examples?: Readonly<Record<string, Part>> }>
  >;
}

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Part>> }>>>
  >;
}

/** Headers that an answer may bear only where its description says so. */
const described: ReadonlySet<string> = new Set([
  "etag",
  "last-modified",
  "location",
  "content-location",
  "link",
  "x-total-count",
  "ratelimit",
  "ratelimit-policy",
  "idempotency-replayed",
  "preference-applied",
  "www-authenticate",
  "deprecation",
  "sunset",
]);

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);

/** One served document, ready to hold answers against it. */
class Contract {
  readonly base: string;
  readonly #ajv: Ajv2020.default;
  readonly #document: Document;
  readonly #paths: readonly (readonly [RegExp, string])[];

  constructor(document: Document) {
    this.#document = document;
    this.base = document.servers[0]?.url ?? "";
    // `examples`, `example` and `x-…` say nothing about values; everything else ajv must know.
    this.#ajv = new Ajv2020.default({ strict: false, allErrors: true, validateFormats: true });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, "served");
    // The path with fewer parameters fits best, as in the router.
    this.#paths = Object.keys(document.paths)
      .toSorted((a, b) => a.split("{").length - b.split("{").length)
      .map((path) => [patternOf(path), path]);
  }

  /** Asserts that the answer is one that the document describes. */
  check(method: string, path: string, answer: Response, text: string): void {
    const template = this.#paths.find(([pattern]) => pattern.test(path))?.[1];
    const operation = template === undefined ? undefined : this.#document.paths[template]?.[method.toLowerCase()];
    if (template === undefined || operation === undefined) return;
    // A path in another spelling than its own is none of the document's.
    if (answer.status === 404 && text.includes('"route_not_found"')) return;
    const what = `${method} ${template} → ${answer.status}`;
    const listed = operation.responses[answer.status];
    expect(listed !== undefined || answer.status >= 400, `${what} is a success that the document does not have`).toBe(
      true,
    );
    const response = this.#resolve(listed ?? operation.responses.default) as ResponseObject;
    this.#checkHeaders(what, response, answer.headers);
    const type = answer.headers.get("content-type")?.split(";")[0];
    if (text === "") {
      expect(
        response.content === undefined || answer.headers.get("preference-applied") === "return=minimal",
        `${what} has no body`,
      ).toBe(true);
      return;
    }
    const content = type === undefined ? undefined : response.content?.[type];
    expect(content, `${what} is described as ${Object.keys(response.content ?? {})}, not ${type}`).toBeDefined();
    if (content === undefined || !type?.endsWith("json")) return;
    const body: unknown = JSON.parse(text);
    this.#checkValue(what, content.schema, body);
    if (listed !== undefined && answer.status >= 400) {
      // What can be wrong with a request as such is described once, for all operations.
      const other = (this.#resolve(operation.responses.default) as ResponseObject).content?.[type];
      const codes = [content, other].flatMap((one) => Object.keys(one?.examples ?? {}));
      expect(codes, `${what}: its codes`).toContain((body as { code: string }).code);
    }
  }

  #checkHeaders(what: string, { headers = {} }: ResponseObject, sent: Headers): void {
    const known = new Map(Object.entries(headers).map(([name, part]) => [name.toLowerCase(), part]));
    for (const [name, value] of sent) {
      const part = known.get(name);
      expect(part !== undefined || !described.has(name), `${what} has a header ${name} that is not described`).toBe(
        true,
      );
      if (part === undefined) continue;
      const { schema } = this.#resolve(part) as { schema: Part };
      this.#checkValue(`${what}: ${name}`, schema, schema.type === "integer" ? Number(value) : value);
    }
  }

  #checkValue(what: string, schema: Part, value: unknown): void {
    const whole = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"served#/'));
    const valid = this.#ajv.validate(whole, value);
    expect(
      valid ? [] : this.#ajv.errors,
      `${what} is not what the document says: ${JSON.stringify(value)?.slice(0, 500)}`,
    ).toEqual([]);
  }

  #resolve(part: Part | undefined): unknown {
    if (part?.$ref === undefined) return part;
    return part.$ref
      .replace(/^#\//, "")
      .split("/")
      .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], this.#document);
  }
}

const contracts = new WeakMap<App, readonly Contract[]>();

const contractsOf = (app: App): readonly Contract[] => {
  // As it goes over the wire.
  const made = () =>
    app.versions.map(({ id }) => new Contract(JSON.parse(JSON.stringify(app.openApi(id))) as Document));
  const known = contracts.get(app) ?? made();
  contracts.set(app, known);
  return known;
};

const plainFetch = globalThis.fetch;
const served = new Map<string, App>();

/** Answers of the app at this origin are checked from now on. */
export const checkAnswersOf = (url: string, app: App): void => {
  served.set(url, app);
};

/**
 * `fetch`, but every answer of a served app must be what its own OpenAPI document says. Paths without a version are those of the version that answered.
 */
const checkedFetch: typeof fetch = async (input, init) => {
  const answer = await plainFetch(input, init);
  const url = new URL(input instanceof Request ? input.url : String(input));
  const app = served.get(url.origin);
  const version = answer.headers.get("api-version");
  if (app === undefined || version === null) return answer;
  const method = (init?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase();
  const text = await answer.clone().text();
  const path = url.pathname.replace(/^\/api(?:\/v\d+)?(?=\/|$)/, "");
  if (method === "HEAD" || method === "OPTIONS") return answer;
  for (const contract of contractsOf(app)) {
    if (contract.base === `/api/${version}`) contract.check(method, path, answer, text);
  }
  return answer;
};

globalThis.fetch = checkedFetch;
