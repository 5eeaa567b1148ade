import { asText, at } from "./places.ts";
import type { FoundItem, Scheme } from "./scheme.ts";

/** The texts at these paths, joined by a full stop; `undefined` if there is none. */
const textIn = (event: unknown, paths: string | readonly string[] = []): string | undefined =>
  [paths]
    .flat()
    .flatMap((path) => asText(at(event, path)) ?? [])
    .join(".") || undefined;

/**
 * The events of a batch: the list at the path `list`, or the payload itself where that is absent.
 * `id` and `type` are paths in each event.
 */
export const itemsAt =
  (
    list: string | undefined,
    { id, type }: { readonly id?: string; readonly type?: string | readonly string[] },
  ): NonNullable<Scheme["items"]> =>
  (payload) => {
    const events = list === undefined ? payload : at(payload, list);
    if (!Array.isArray(events)) return undefined;
    return events.map(
      (event: unknown): FoundItem => ({ id: textIn(event, id), type: textIn(event, type), payload: event }),
    );
  };
