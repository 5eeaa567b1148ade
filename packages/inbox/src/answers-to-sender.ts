import type { Scheme } from "@postern/webhook-verifier";

/** The form of an answer to a sender. */
interface AnswerForm {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "OPTIONS";
  readonly status: number;
  /** The media type of its body; absent if it has none. */
  readonly type?: string | undefined;
}

const mediaType = (headers: Readonly<Record<string, string>>): string =>
  headers["content-type"]?.split(";", 1)[0] ?? "text/plain";

/** A scheme of somebody's own need not say which handshakes it has. */
const anyHandshake: NonNullable<Scheme["handshakes"]> = (["GET", "POST"] as const).flatMap((by) => [
  { by },
  { by, type: "text/plain" },
  { by, type: "application/json" },
]);

/**
 * The answers that a sender gets in place of the usual ones: what it needs to a delivery, a refusal
 * without a body if it needs that, and those to its handshakes.
 */
export const answersToSender = ({
  answer,
  handshake,
  handshakes = handshake === undefined ? [] : anyHandshake,
  methods = [],
}: Scheme): readonly AnswerForm[] => {
  const delivers = (["POST", "GET", "PUT"] as const).filter((one) => one === "POST" || methods.includes(one));
  const isEmpty = answer?.body === "";
  return [
    ...delivers.flatMap((method): readonly AnswerForm[] => {
      if (answer === undefined) return [];
      const { status, headers } = answer;
      return isEmpty
        ? [
            { method, status },
            { method, status: 401 },
          ]
        : [{ method, status, type: mediaType(headers) }];
    }),
    ...(methods.includes("HEAD") ? [{ method: "HEAD", status: 200 } as const] : []),
    ...handshakes.map(({ by, status = 200, type }) => ({ method: by, status, type })),
  ];
};
