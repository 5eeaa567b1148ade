import { isObject } from "@postern/core/internal";
import { marks } from "../json-schema/json-schema.ts";
import type { Operation } from "../operations/operation.ts";
import { mapMembers, objectIn, type Part, reference } from "./document-parts.ts";

/** An answer that some senders of webhooks get in place of the usual ones. */
export interface SenderAnswer {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "OPTIONS";
  readonly status: number;
  /** The media type of its body; absent if it has none. */
  readonly type?: string | undefined;
}

/** Says of an answer with a body that some requests get it without one, which OpenAPI cannot say. */
const mayBeEmpty = "x-postern-may-be-empty";

const whatSendersWant = "The answer that some senders want, byte for byte.";

const schemaOf = (type: string): Part =>
  type.endsWith("json") ? { description: whatSendersWant, type: ["array", "object"] } : { type: "string" };

/** The usual content, and that of these senders. */
const contentWith = (usual: Part, types: readonly string[]): Part => {
  const added = types.filter((type) => !("*/*" in usual) && !type.startsWith("application/problem"));
  return Object.fromEntries([
    ...Object.entries(usual),
    ...added.map((type) => {
      const known = objectIn(usual, type, "schema");
      const forms = Array.isArray(known.anyOf) ? known.anyOf : [known];
      return [type, { schema: type in usual ? { anyOf: [...forms, schemaOf(type)] } : schemaOf(type) }];
    }),
  ]);
};

/** An answer that only some senders get. */
const onlyForSenders = (status: string): Part => {
  const isRefusal = Number(status) >= 400;
  const headers = isRefusal ? ["X-Request-Id"] : ["X-Request-Id", "API-Version"];
  return {
    [marks.part]: status,
    description: isRefusal
      ? `A refusal of a handshake, with the status ${status} that its sender knows.`
      : `What some senders want to be answered, with the status ${status}.`,
    headers: Object.fromEntries(headers.map((name) => [name, reference("headers", name)])),
  };
};

const responseWith = (status: string, known: Part, answers: readonly SenderAnswer[]): Part => {
  const usual = Object.keys(known).length === 0 ? onlyForSenders(status) : known;
  const types = [...new Set(answers.flatMap(({ type }) => type ?? []))].toSorted();
  const isEmpty = answers.some(({ type }) => type === undefined);
  const content = contentWith(objectIn(usual, "content"), types);
  const hasContent = Object.keys(content).length > 0;
  const { [marks.part]: part, description, ...rest } = usual;
  const note = isEmpty && hasContent ? " Some senders get it without a body." : "";
  return {
    ...(typeof part === "string" ? { [marks.part]: `${part}_sender` } : {}),
    description: `${String(description)}${note}`,
    ...rest,
    ...(hasContent ? { content } : {}),
    ...(note === "" ? {} : { [mayBeEmpty]: true }),
  };
};

const operationWith = (operation: Part, answers: readonly SenderAnswer[]): Part => {
  const usual = objectIn(operation, "responses");
  const statuses = [...new Set(answers.map(({ status }) => String(status)))];
  const changed = statuses.map((status) => [
    status,
    responseWith(
      status,
      objectIn(usual, status),
      answers.filter((answer) => String(answer.status) === status),
    ),
  ]);
  const { default: other, ...byStatus } = { ...usual, ...Object.fromEntries(changed) };
  return { ...operation, responses: { ...byStatus, default: other } };
};

const text = (description: string, example: string): Part => ({
  description,
  schema: { type: "string", maxLength: 8192, examples: [example] },
});

/** What a sender that asks before it delivers reads in the answer (CloudEvents, HTTP webhooks, section 4). */
const leave: Part = {
  Allow: text("The methods by which it may deliver.", "POST"),
  "WebHook-Allowed-Origin": text("The origin that may deliver.", "eventemitter.example.com"),
  "WebHook-Allowed-Rate": text("How many deliveries a minute it may send; `*`: any number.", "120"),
};

/** How a sender asks whether it may deliver: the operation of its GET, without what a delivery gets. */
const asking = (method: "HEAD" | "OPTIONS", byGet: Part): Part => {
  const { operationId: _id, requestBody: _body, ...rest } = byGet;
  const refusals = Object.entries(objectIn(byGet, "responses")).filter(([status]) => !status.startsWith("2"));
  const isHead = method === "HEAD";
  return {
    operationId: isHead ? "webhooks.askByHead" : "webhooks.askByOptions",
    ...rest,
    summary: isHead ? "Ask whether the address is there" : "Ask whether the address takes deliveries of an origin",
    responses: {
      200: isHead
        ? { description: "The address is there." }
        : { description: "The sender may deliver.", headers: leave },
      ...Object.fromEntries(refusals),
    },
  };
};

/**
 * The document of a server that takes webhooks: on the path to which senders deliver, it has the
 * answers that the senders of this server get, and the methods by which they ask first.
 */
export const withSenderAnswers = (
  document: Part,
  operations: readonly Operation[],
  answers: readonly SenderAnswer[],
): Part => {
  const paths = new Set(operations.filter(({ body }) => body === "raw").map(({ path }) => path));
  if (answers.length === 0) return document;
  const by = (wanted: string) => answers.filter(({ method }) => method === wanted.toUpperCase());
  return {
    ...document,
    paths: mapMembers(document.paths, (methods, path) => {
      if (!paths.has(path)) return methods;
      const asked = (["HEAD", "OPTIONS"] as const).filter((method) => by(method).length > 0);
      const byGet = objectIn(methods, "get");
      const all = {
        ...methods,
        ...Object.fromEntries(asked.map((method) => [method.toLowerCase(), asking(method, byGet)])),
      };
      return mapMembers(all, (operation, method) =>
        isObject(operation) && by(method).length > 0 ? operationWith(operation, by(method)) : operation,
      );
    }),
  };
};
