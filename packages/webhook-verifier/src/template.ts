import { misconfigured, refuse } from "./errors.ts";
import { getHeader, type HeaderSource } from "./headers.ts";
import type { Piece } from "./platform/contract.ts";
import type { Covered } from "./scheme.ts";

/** The parts a template can name. */
export interface TemplateValues {
  readonly headers: HeaderSource;
  readonly body: Uint8Array;
  readonly id: string | undefined;
  /** As the sender wrote it. */
  readonly timestamp: string | undefined;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly "key-id": string | undefined;
  /** Lower-case hex. Present only if the template names it. */
  readonly "body-sha256": string | undefined;
}

/** A parsed template: texts and names of parts alternate, and texts are first and last. */
export type Template = readonly string[];

const parts = /^(body|body-sha256|id|timestamp|method|url|key-id|header:[a-z0-9-]+)$/;

/**
 * Parses `{id}.{timestamp}.{body}`. Parts: `body`, `body-sha256` (lower-case hex), `id`,
 * `timestamp`, `method`, `url`, `key-id`, `header:<lower-case name>`.
 * @throws WebhookConfigError `setting_invalid` for an unknown part, or a second `{body}`.
 */
export const parseTemplate = (template: string): Template => {
  const segments = template.split(/\{([^}]*)\}/);
  for (const [index, name] of segments.entries())
    if (index % 2 === 1 && !(parts.test(name) && (name !== "body" || segments.indexOf(name) === index)))
      misconfigured(
        "setting_invalid",
        `A template cannot have {${name}} there. Its parts are {body} once, {body-sha256}, {id}, {timestamp}, {method}, {url}, {key-id} and {header:<name in lower case>}.`,
      );
  return segments;
};

/** The parts that a template covers. */
export const coveredBy = (template: Template): readonly Covered[] =>
  template
    .filter((_, index) => index % 2 === 1)
    // `parseTemplate` accepts only names of covered parts, and the digest of a body covers it.
    .map((part) => (part === "body-sha256" ? "body" : (part as Covered)));

const partOf = (part: string, values: TemplateValues): Piece =>
  part.startsWith("header:")
    ? getHeader(values.headers, part.slice(7))
    : // `parseTemplate` accepts no other name.
      (values[part as keyof Omit<TemplateValues, "headers">] ??
      refuse("request_incomplete", `The signature covers the ${part}: give it.`));

/**
 * The signed content: texts in one piece, and the body unchanged. @throws WebhookVerificationError
 */
export const fill = (template: Template, values: TemplateValues): readonly Piece[] => {
  let before = "";
  let after = "";
  let body: Uint8Array | undefined;
  for (let index = 0; index < template.length; index++) {
    const segment = template[index] ?? "";
    const piece = index % 2 === 0 ? segment : partOf(segment, values);
    if (typeof piece !== "string") body = piece;
    else if (body === undefined) before += piece;
    else after += piece;
  }
  // This is written out, because growing lists and empty pieces would cost more than all the rest.
  if (body === undefined) return [before];
  if (after === "") return before === "" ? [body] : [before, body];
  return before === "" ? [body, after] : [before, body, after];
};
