import { allRows, type Row } from "@postern/core";
import { timestampOf, uuidPattern } from "@postern/core/internal";
import { networkOf, type RootedRequest } from "@postern/rest";
import { z } from "zod";
import { client } from "../resources/client.ts";
import { noteAt } from "./audit-note.ts";
import { assertionFault, assertionType, clientOfAssertion } from "./client-assertion.ts";
import { OAuthFault } from "./oauth-fault.ts";
import type { OAuthParts } from "./oauth-parts.ts";

const system = allRows("OAuth");
const notedEveryMs = 60_000;

/** The identity of the client that a request claims, with the proof. */
interface Presented {
  readonly id: string;
  readonly secret: string | undefined;
  /** In place of a secret: a JWT that the client has signed. */
  readonly assertion?: string;
}

/** ASCII out of base64; `undefined` for any other text. */
const asciiOf = (text: string): string | undefined => {
  if (text.length > 1_000 || !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text))
    return undefined;
  const ascii = String.fromCharCode(...z.util.base64ToUint8Array(text));
  return /^[\x20-\x7e]*$/.test(ascii) ? ascii : undefined;
};

const challenge = { "www-authenticate": 'Basic realm="postern"' } as const;

const invalidClient = (description = "The client is not known, or its secret is wrong."): OAuthFault =>
  new OAuthFault("invalid_client", description, challenge);

/** Id and secret in `Authorization`, each form-encoded (RFC 6749, section 2.3.1). */
const basicOf = (header: string): Presented => {
  const [, text = ""] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(header) ?? [];
  const [, id = "", secret = ""] = /^([^:]*):(.*)$/.exec(asciiOf(text) ?? "") ?? [];
  try {
    const decode = (part: string): string => decodeURIComponent(part.replaceAll("+", " "));
    return { id: decode(id), secret: decode(secret) };
  } catch {
    throw invalidClient();
  }
};

/**
 * @throws OAuthFault `invalid_request` for an assertion of another type, and for an assertion
 * together with another proof.
 */
const presentedAssertion = (
  parts: OAuthParts,
  request: RootedRequest,
  form: ReadonlyMap<string, string>,
): Presented => {
  const assertion = form.get("client_assertion") ?? "";
  if (form.get("client_assertion_type") !== assertionType) {
    throw new OAuthFault("invalid_request", `The client_assertion_type must be ${assertionType}.`);
  }
  if (request.header("authorization") !== undefined || form.has("client_secret")) {
    throw new OAuthFault("invalid_request", "Prove the client in one way: by its assertion or by a secret.");
  }
  const id = clientOfAssertion(parts, assertion);
  const named = form.get("client_id");
  if (id === undefined || (named !== undefined && named !== id)) {
    throw invalidClient("The assertion is of another client, or no JWT. Its iss and sub must both be the client_id.");
  }
  return { id, secret: undefined, assertion };
};

/** @throws OAuthFault `invalid_request` for a client that proves itself in two ways. */
const presentedBy = (parts: OAuthParts, request: RootedRequest, form: ReadonlyMap<string, string>): Presented => {
  if (form.has("client_assertion") || form.has("client_assertion_type")) {
    return presentedAssertion(parts, request, form);
  }
  const header = request.header("authorization");
  const id = form.get("client_id");
  const secret = form.get("client_secret");
  if (header === undefined) return { id: id ?? "", secret };
  const basic = basicOf(header);
  if (secret !== undefined || (id !== undefined && id !== basic.id)) {
    throw new OAuthFault("invalid_request", "Name the client and its secret once: in Authorization or in the form.");
  }
  return basic;
};

const isGenuine = async (
  { ports }: Pick<OAuthParts, "ports">,
  row: Row | undefined,
  secret: string | undefined,
): Promise<boolean> => {
  // The digest is made in any case, so that a known id takes as long as an unknown one.
  const digest = await ports.secretBox.digest(secret ?? "");
  if (row === undefined) return false;
  return row.kind === "public" ? secret === undefined : secret !== undefined && row.secret_digest === digest;
};

/** The fault in a client's proof; `undefined` if the proof is good. */
const proofFault = async (
  parts: OAuthParts,
  row: Row | undefined,
  { secret, assertion }: Presented,
): Promise<string | undefined> => {
  if (assertion === undefined) {
    const told = "The client is not known, or its secret is wrong.";
    return (await isGenuine(parts, row, secret)) ? undefined : told;
  }
  const fault = await assertionFault(parts, row, assertion);
  return fault === undefined ? undefined : `The client_assertion is refused. ${fault}`;
};

/** A client by its id. */
export const findClient = async (
  { ports }: Pick<OAuthParts, "ports">,
  id: string | undefined,
): Promise<Row | undefined> =>
  id !== undefined && uuidPattern.test(id) ? ports.storage.resources.find(client, id, system) : undefined;

/**
 * Finds the client that sends a request. A confidential client must prove that it has its secret or
 * its private key. After twenty failures from one network in a minute, further failures are
 * answered 429.
 * @throws OAuthFault `invalid_client`, `invalid_request`; AppError `rate_limited`.
 */
export const authenticateClient = async (
  parts: OAuthParts,
  request: RootedRequest,
  form: ReadonlyMap<string, string>,
): Promise<Row> => {
  const { ports, limitsFor } = parts;
  const presented = presentedBy(parts, request, form);
  const row = await findClient(parts, presented.id);
  const fault = await proofFault(parts, row, presented);
  if (row !== undefined && fault === undefined) {
    await noteUse(parts, row);
    return row;
  }
  await limitsFor().take("sign-in", networkOf(request.address));
  await noteAt(ports.storage.audit, ports.clock, request, {
    actor: { kind: "anonymous" },
    action: "oauth.authenticate-client",
    result: "invalid_client",
    ...(row === undefined ? {} : { resource: client.name, id: String(row.id) }),
  });
  throw invalidClient(fault);
};

/** Notes the use of a client, once a minute. A write that fails is not repeated. */
const noteUse = async ({ ports }: OAuthParts, { id, last_used_at: last, revision }: Row): Promise<void> => {
  const now = ports.clock.now();
  if (last !== null && last !== undefined && now - Date.parse(String(last)) < notedEveryMs) return;
  try {
    const changes = { last_used_at: timestampOf(now) };
    const expectedRevision = Number(revision);
    await ports.storage.resources.update(client, { id: String(id), scope: system }, changes, { expectedRevision });
  } catch (thrown) {
    ports.telemetry.log("warn", "the last use of a client could not be noted", { client: String(id) }, thrown);
  }
};
