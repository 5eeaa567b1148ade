import { misconfigured, refuse } from "./errors.ts";
import { getHeader, type HeaderSource } from "./headers.ts";
import type { Piece } from "./platform/contract.ts";
import type { Covered } from "./scheme.ts";

/** The parts a template can name. */
export interface TemplateValues {
  readonly headers: HeaderSource;
  readonly body: Uint8Array;
  readonly id: string | undefined;
  /** As written by the sender. */
  readonly timestamp: string | undefined;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly keyId: string | undefined;
  /** Lower-case hex; only where the template names it. */
  readonly bodySha256: string | undefined;
}

/** A template taken apart once: literal text, or the name of a part. */
type Segment = { readonly text: string } | { readonly part: string };

const parts = /^(body|body-sha256|id|timestamp|method|url|key-id|header:[a-z0-9-]+)$/;

/**
 * Takes `{id}.{timestamp}.{body}` apart. Parts: `body`, `body-sha256` (lower-case hex), `id`, `timestamp`, `method`, `url`,
 * `key-id`, `header:<lower-case name>`.
 * @throws WebhookConfigError `setting_invalid` for a part it does not know.
 */
export const parseTemplate = (template: string): readonly Segment[] =>
  template
    .split(/\{([^}]*)\}/)
    .map((text, index) => (index % 2 === 0 ? { text } : { part: text }))
    .filter((segment) => !("text" in segment && segment.text === ""))
    .map((segment) =>
      "part" in segment && !parts.test(segment.part)
        ? misconfigured("setting_invalid", `Unknown part {${segment.part}}.`)
        : segment,
    );

/** What a template covers. */
export const coveredBy = (template: readonly Segment[]): readonly Covered[] =>
  template.flatMap((segment) => {
    if (!("part" in segment)) return [];
    // `parseTemplate` lets only names of covered parts through, and a body is covered by its digest.
    return segment.part === "body-sha256" ? ["body"] : [segment.part as Covered];
  });

const partOf = (part: string, values: TemplateValues): Piece => {
  if (part === "body") return values.body;
  if (part.startsWith("header:")) return getHeader(values.headers, part.slice("header:".length));
  const value =
    part === "body-sha256"
      ? values.bodySha256
      : part === "key-id"
        ? values.keyId
        : // `parseTemplate` lets no other name through.
          values[part as "id" | "timestamp" | "method" | "url"];
  return value ?? refuse("request_incomplete", `The signature covers the ${part}: give it.`);
};

/** The signed content: neighbouring texts as one piece, bytes as they are. @throws WebhookVerificationError */
export const fill = (template: readonly Segment[], values: TemplateValues): readonly Piece[] => {
  const pieces: Piece[] = [];
  let text = "";
  for (const segment of template) {
    const piece = "text" in segment ? segment.text : partOf(segment.part, values);
    if (typeof piece === "string") {
      text += piece;
      continue;
    }
    if (text !== "") pieces.push(text);
    text = "";
    pieces.push(piece);
  }
  if (text !== "") pieces.push(text);
  return pieces;
};
