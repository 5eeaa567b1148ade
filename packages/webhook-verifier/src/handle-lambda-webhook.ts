import { answerAfter, checkReceiver, type HandleDelivery, type HandlerOptions, receive } from "./answer-webhook.ts";
import { decodeBase64 } from "./base64.ts";
import type { Verifier } from "./verify.ts";

/** Values by name, as AWS Lambda gives headers and queries. */
interface Values<Value> {
  readonly [name: string]: Value | undefined;
}

/**
 * The parts of an AWS Lambda event that are used. It may come from a function URL, an HTTP API
 * (payload 1.0 or 2.0), a REST API, or an application load balancer, with multi-value headers or
 * without.
 */
export interface LambdaEvent {
  readonly body?: string | null | undefined;
  /**
   * True if the body is in base64. API Gateway and function URLs encode bodies unless they know the
   * content type as text.
   */
  readonly isBase64Encoded?: boolean | undefined;
  readonly headers?: Values<string> | null | undefined;
  /** All values of each header. A load balancer with multi-value headers gives only these. */
  readonly multiValueHeaders?: Values<readonly string[]> | null | undefined;
  readonly httpMethod?: string | undefined;
  readonly path?: string | undefined;
  readonly queryStringParameters?: Values<string> | null | undefined;
  readonly multiValueQueryStringParameters?: Values<readonly string[]> | null | undefined;
  readonly rawPath?: string | undefined;
  readonly rawQueryString?: string | undefined;
  readonly requestContext?:
    | {
        readonly http?: { readonly method?: string | undefined } | undefined;
        readonly path?: string | undefined;
        /** Present if the event comes from a load balancer. */
        readonly elb?: object | undefined;
      }
    | undefined;
}

/** The answer that Lambda sends back, in the form that the event's source takes. */
export interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  /** In place of `headers`, for a load balancer with multi-value headers. */
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly isBase64Encoded: false;
  readonly body: string;
}

/**
 * The query as the sender wrote it. REST APIs and load balancers pass on only its fields: REST APIs
 * decode them, load balancers do not.
 */
const queryOf = ({
  rawQueryString,
  multiValueQueryStringParameters,
  queryStringParameters,
  requestContext,
}: LambdaEvent): string => {
  const written = (text: string): string => (requestContext?.elb ? text : encodeURIComponent(text));
  const query =
    rawQueryString ??
    Object.entries(multiValueQueryStringParameters ?? queryStringParameters ?? {})
      .flatMap(([name, values = ""]) => [values].flat().map((value) => `${written(name)}=${written(value)}`))
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
    const headers = event.multiValueHeaders ?? event.headers ?? {};
    const [host = "localhost"] = [Object.entries(headers).find(([name]) => name.toLowerCase() === "host")?.[1]].flat();
    const path = event.rawPath ?? event.requestContext?.path ?? event.path ?? "/";
    const text = event.body ?? "";
    const request = {
      method: event.httpMethod ?? event.requestContext?.http?.method ?? "POST",
      url: `https://${host}${path}${queryOf(event)}`,
      headers,
      body: event.isBase64Encoded === true ? (decodeBase64(text) ?? text) : text,
    };
    const received = await receive(verifier, request, options);
    const answer = "answer" in received ? received.answer : answerAfter(verifier, await handle(received.delivery));
    return {
      statusCode: answer.status,
      // A load balancer with multi-value headers gives no `headers`, and takes none.
      ...(event.multiValueHeaders && !event.headers
        ? {
            multiValueHeaders: Object.fromEntries(
              Object.entries(answer.headers).map(([name, value]) => [name, [value]]),
            ),
          }
        : { headers: { ...answer.headers } }),
      isBase64Encoded: false,
      body: answer.body,
    };
  };
};
