import type { Postern } from "postern";

/** What API Gateway (HTTP API, payload 2.0) or a function URL gives a Lambda function. */
interface HttpEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded: boolean;
  readonly requestContext: {
    readonly domainName: string;
    readonly http: { readonly method: string; readonly sourceIp: string };
  };
}

/**
 * Postern as a Lambda function. Open it with PostgreSQL or MySQL and `workers: false`: a function
 * that has answered is frozen, so another process runs the jobs.
 */
export const lambdaHandler = (postern: Postern) => async (event: HttpEvent) => {
  const { domainName, http } = event.requestContext;
  const body = event.body === undefined ? null : Buffer.from(event.body, event.isBase64Encoded ? "base64" : "utf8");
  const url = `https://${domainName}${event.rawPath}${event.rawQueryString === "" ? "" : `?${event.rawQueryString}`}`;
  const request = new Request(url, { method: http.method, headers: event.headers, body });
  const answer = await postern.fetch(request, { address: http.sourceIp });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const headers = Object.fromEntries(answer.headers);
  return { statusCode: answer.status, headers, body: bytes.toString("base64"), isBase64Encoded: true };
};
