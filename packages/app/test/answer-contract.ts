import type { App } from "@postern/app";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "vitest";

/** An answer as the caller gets it, whatever it came through. */
export interface ReceivedAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Iterable<readonly [name: string, value: string]>;
  readonly text: string;
}

interface Part {
  readonly $ref?: string;
  readonly [member: string]: unknown;
}

interface ResponseObject {
  readonly headers?: Readonly<Record<string, Part>>;
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Part }>>;
  readonly "x-postern-may-be-empty"?: boolean;
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Part>> }>>>
  >;
}

/** Headers that an answer may have only if its description lists them. */
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

/** The served document of a version, ready to hold answers against it. */
export class AnswerContract {
  readonly #ajv: Ajv2020.default;
  readonly #document: Document;
  readonly #paths: readonly (readonly [RegExp, string])[];
  readonly #validators = new WeakMap<Part, ValidateFunction>();

  private constructor(document: Document) {
    this.#document = document;
    // `examples`, `example` and `x-…` say nothing about values; everything else ajv must know.
    this.#ajv = new Ajv2020.default({ strict: false, allErrors: true, validateFormats: true });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, "served");
    // The path with fewer parameters fits best, as in the router.
    this.#paths = Object.keys(document.paths)
      .toSorted((a, b) => a.split("{").length - b.split("{").length)
      .map((path) => [patternOf(path), path]);
  }

  /**
   * The contract of one version of an app. Apps without declarations of their own share one,
   * because it takes long to make.
   */
  static of(app: App, version: string, declares: "nothing" | "something" = "something"): AnswerContract {
    const made =
      (declares === "nothing" ? undeclared.get(version) : known.get(app)?.get(version)) ??
      AnswerContract.#made(app, version);
    if (declares === "nothing") undeclared.set(version, made);
    else known.set(app, (known.get(app) ?? new Map<string, AnswerContract>()).set(version, made));
    return made;
  }

  static #made(app: App, version: string): AnswerContract {
    // As it goes over the wire.
    return new AnswerContract(JSON.parse(JSON.stringify(app.openApi(version))) as Document);
  }

  /**
   * Asserts that the document describes the answer. `path` is relative to the version, without a
   * query.
   */
  check(method: string, path: string, answer: ReceivedAnswer): void {
    const template = this.#paths.find(([pattern]) => pattern.test(path))?.[1];
    const heads = method === "HEAD";
    const methods = template === undefined ? undefined : this.#document.paths[template];
    const operation = methods?.[method.toLowerCase()] ?? (heads ? methods?.get : undefined);
    // A path in another spelling than its own does not occur in the document.
    if (template === undefined || operation === undefined) {
      this.checkProblem(`${method} ${path}`, answer);
      return;
    }
    const what = `${method} ${template} → ${answer.status}`;
    const listed = operation.responses[answer.status];
    expect(listed !== undefined || answer.status >= 400, `${what} is a success that the document does not have`).toBe(
      true,
    );
    const response = this.#resolve(listed ?? operation.responses.default) as ResponseObject;
    this.#checkHeaders(what, response, answer.headers);
    const headers = new Map(answer.headers);
    const type = headers.get("content-type")?.split(";")[0];
    if (answer.text === "") {
      const mayBeEmpty = heads || response.content === undefined || response["x-postern-may-be-empty"] === true;
      expect(mayBeEmpty, `${what} has no body`).toBe(true);
      return;
    }
    const content = type === undefined ? undefined : (response.content?.[type] ?? response.content?.["*/*"]);
    expect(content, `${what} is described as ${Object.keys(response.content ?? {})}, not ${type}`).toBeDefined();
    if (type === undefined || content === undefined || !/[/+]json$/.test(type)) return;
    const body: unknown = JSON.parse(answer.text);
    this.#checkValue(what, content.schema, body);
    if (listed !== undefined && answer.status >= 400) {
      // What can be wrong with a request as such is described once, for all operations.
      const other = this.#resolve(operation.responses.default) as ResponseObject;
      const codes = [response, other].flatMap(({ description = "" }) =>
        [...description.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code),
      );
      expect(codes, `${what}: its codes`).toContain((body as { code: string }).code);
    }
  }

  /**
   * Asserts the answer to a request outside the document (an unknown path or method, bytes that are
   * not HTTP): it must be a problem as the document describes problems.
   */
  checkProblem(what: string, { status, headers, text }: ReceivedAnswer): void {
    if (status < 400) return;
    const bySaid = new Map(headers);
    expect(bySaid.get("content-type"), `${what} → ${status}`).toBe("application/problem+json");
    if (text !== "")
      this.#checkValue(`${what} → ${status}`, { $ref: "#/components/schemas/problem" }, JSON.parse(text));
  }

  #checkHeaders(what: string, { headers = {} }: ResponseObject, sent: ReceivedAnswer["headers"]): void {
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
    const validate = this.#validators.get(schema) ?? this.#ajv.compile(servedPart(schema));
    this.#validators.set(schema, validate);
    expect(
      validate(value) ? [] : validate.errors,
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

/** A schema of the document, compiled on its own: what it refers to is in the whole. */
const servedPart = (schema: Part): Part => JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"served#/')) as Part;

/** Contracts by version: of each app, and of all apps that declare nothing. */
const known = new WeakMap<App, Map<string, AnswerContract>>();
const undeclared = new Map<string, AnswerContract>();
