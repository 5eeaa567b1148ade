import type { CallerRequest } from "@postern/rest";
import type { HttpRequest } from "../http-request.ts";
import type { HttpSettings } from "../options.ts";
import { credentialOf } from "./headers.ts";
import { clientAddress, fitRequestId } from "./request-head.ts";

/** The head of a message of `node:http`. */
interface NodeHead extends Pick<HttpRequest, "headers" | "rawHeaders"> {
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/**
 * What tells who sent a request that somebody else answers. Reads the head alone, so a body that was
 * read, or is still to come, does not matter. `address` is that of a web `Request`, which has none.
 */
export const callerRequest = (
  { trustProxy, requestId }: Pick<HttpSettings, "trustProxy" | "requestId">,
  request: Request | NodeHead,
  address = "unknown",
): CallerRequest => {
  const sent = "socket" in request ? request : fetchHead(request);
  const connection = "socket" in request ? (request.socket.remoteAddress ?? address) : address;
  const { headers } = sent;
  const given = headers["x-request-id"];
  return {
    headers,
    credential: credentialOf(sent),
    facts: {
      id: typeof given === "string" && fitRequestId.test(given) ? given : requestId(),
      address: clientAddress({ headers, address: connection }, trustProxy),
    },
  };
};

const fetchHead = (request: Request) => {
  const headers = Object.fromEntries(request.headers);
  return { headers, rawHeaders: Object.entries(headers).flat() };
};
