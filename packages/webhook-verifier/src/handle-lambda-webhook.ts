import { answerAfter, checkReceiver, type HandleDelivery, type HandlerOptions, receive } from "./answer-webhook.ts";
import { decodeBase64 } from "./base64.ts";
import type { Verifier } from "./verify.ts";

/**
 * The parts of an AWS Lambda event that are used. It may come from a function URL, API Gateway
 * (REST or HTTP) or a load balancer.
 */
export interface LambdaEvent {
  readonly body?: string | null | undefined;
  /**
   * True if the body is in base64. API Gateway and function URLs encode bodies unless they know the
   * content type as text.
   */
  readonly isBase64Encoded?: boolean | undefined;
  readonly headers?: { readonly [name: string]: string | undefined } | null | undefined;
  readonly httpMethod?: string | undefined;
  readonly path?: string | undefined;
  readonly queryStringParameters?: { readonly [name: string]: string | undefined } | null | undefined;
  readonly rawPath?: string | undefined;
  readonly rawQueryString?: string | undefined;
  readonly requestContext?:
    | { readonly http?: { readonly method?: string | undefined } | undefined; readonly path?: string | undefined }
    | undefined;
}

/** The answer that Lambda sends back. */
export interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The query as the sender wrote it. REST APIs and load balancers pass on only its fields. */
const queryOf = ({ rawQueryString, queryStringParameters }: LambdaEvent): string => {
  const query =
    rawQueryString ??
    Object.entries(queryStringParameters ?? {})
      .map(([name, value = ""]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .join("&");
  return query === "" ? "" : `?${query}`;
};

/**
 * A receiver for AWS Lambda. It decodes base64 bodies and answers as `handleWebhook` does. It
 * throws what `handle` throws.
 * @throws WebhookConfigError `setting_invalid`, at once, if the verifier or `handle` is missing.
 */
export const handleLambdaWebhook = <Payload>(
  verifier: Verifier<Payload>,
  handle: HandleDelivery<Payload>,
  options: HandlerOptions = {},
): ((event: LambdaEvent) => Promise<LambdaAnswer>) => {
  checkReceiver(verifier, handle);
  return async (event) => {
    const headers = event.headers ?? {};
    const host = Object.entries(headers).find(([name]) => name.toLowerCase() === "host")?.[1] ?? "localhost";
    const path = event.rawPath ?? event.requestContext?.path ?? event.path ?? "/";
    const text = event.body ?? "";
    const request = {
      method: event.httpMethod ?? event.requestContext?.http?.method ?? "POST",
      url: `https://${host}${path}${queryOf(event)}`,
      headers,
      body: event.isBase64Encoded === true ? (decodeBase64(text) ?? text) : text,
    };
    const received = await receive(verifier, request, options);
    const answer = "answer" in received ? received.answer : answerAfter(await handle(received.delivery));
    return { statusCode: answer.status, headers: answer.headers, body: answer.body };
  };
};
