import type { RenderedAnswer } from "./render.ts";

/** What differs between two refusals for the same reason. */
export interface RefusedRequest {
  readonly id: string;
  readonly fullPath: string;
}

interface Written {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, cut where the marks stood. */
  readonly pieces: readonly string[];
  /** What stood between two pieces. */
  readonly between: readonly ("id" | "path")[];
}

/** No real id or path looks like these. */
const marks = { id: "refused-request-0000-id", path: "/refused-request-0000-path" } as const;
const markOf = new RegExp(`${marks.id}|${marks.path}`);
const allMarks = new RegExp(markOf.source, "g");

/**
 * Writes refusals that differ only in the request's id and path: each kind is made once, with marks
 * in their place. Under overload a refusal must cost a small part of an answer.
 */
export const createWrittenRefusals = (make: (kind: string, request: RefusedRequest) => RenderedAnswer) => {
  const written = new Map<string, Written>();

  const write = (kind: string): Written => {
    const { status, headers, body = "" } = make(kind, { id: marks.id, fullPath: marks.path });
    const between = [...body.matchAll(allMarks)].map(([mark]) => (mark === marks.id ? "id" : "path"));
    const made = { status, headers, pieces: body.split(markOf), between } as const;
    written.set(kind, made);
    return made;
  };

  return (kind: string, { id, fullPath }: RefusedRequest): RenderedAnswer => {
    const { status, headers, pieces, between } = written.get(kind) ?? write(kind);
    let body = pieces[0] ?? "";
    for (const [n, what] of between.entries()) {
      body += (what === "id" ? id : JSON.stringify(fullPath).slice(1, -1)) + (pieces[n + 1] ?? "");
    }
    const length = String(Buffer.byteLength(body));
    return { status, headers: { ...headers, "x-request-id": id, "content-length": length }, body };
  };
};
