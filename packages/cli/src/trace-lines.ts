import type { AnswerOf } from "./operations.ts";
import { escaped } from "./terminal.ts";

/** How a delivery was verified. */
export type Trace = AnswerOf<"admin.events.trace">;

const bytesText = (told: NonNullable<Trace["body"]>): string => `${told.bytes} bytes, sha256 ${told.sha256}`;

const headerText = ({ name, length, value }: Trace["headers"][number], isStored: boolean): string => {
  if (length === null) return `${name}: ${isStored ? "not kept" : "not there, or there twice"}`;
  return value === null ? `${name}: ${length} characters, not shown` : `${name}: ${value}`;
};

const keysText = ({ tried, named, matched, id }: NonNullable<Trace["keys"]>): string => {
  const which = id === null ? "" : ` (${id})`;
  const asked = named === null ? "" : `; the message names ${named}`;
  if (matched !== null) return `number ${matched} of ${tried ?? "those tried"} fits${which}${asked}`;
  return tried === null ? `${id ?? "not kept"}` : `${tried} tried, none fits${asked}`;
};

const timeText = ({
  signed_at,
  skew_seconds: skew,
  tolerance_seconds: tolerance,
}: NonNullable<Trace["time"]>): string => {
  const when = skew < 0 ? `${-skew} s after it came` : `${skew} s before it came`;
  return `signed ${signed_at}, ${when}${tolerance === null ? "" : `; ${tolerance} s are allowed`}`;
};

/** What tells repeats of a delivery, in words. */
const repeatText = ({ by, window_seconds: window, key }: NonNullable<Trace["repeat"]>): string => {
  const within = window === null ? "" : ` within ${window} seconds`;
  const told =
    {
      id: "told by an id that is signed",
      unsigned_id: "told by an id that is not signed",
      body: `told by the body${within}`,
      none: "nothing tells them",
    }[by] ?? by;
  return key === null ? told : `${told}: ${key}`;
};

/** A trace for a person: a line for each thing that was looked at. Nothing that strangers wrote stays unescaped. */
export const traceLines = (shown: Trace, isStored = false): string => {
  const { headers, content, signed, body, keys, time, repeat } = shown;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["scheme", shown.scheme ?? "not known any more"],
    ["verdict", shown.valid ? "valid" : `refused: ${shown.code}`],
    ["why", shown.message ?? undefined],
    ["do", shown.hint ?? undefined],
    ...headers.map((header) => ["header", headerText(header, isStored)] as const),
    ["signatures", shown.signatures === null ? undefined : `${shown.signatures} found`],
    ["covered", shown.covered.join(", ")],
    ["signed", [content, signed && bytesText(signed)].filter(Boolean).join(": ") || undefined],
    ["body", body === null ? undefined : bytesText(body)],
    ["keys", keys === null ? undefined : keysText(keys)],
    ["time", time === null ? undefined : timeText(time)],
    ["repeats", repeat === null ? undefined : repeatText(repeat)],
  ];
  return facts
    .flatMap(([name, text]) => (text === undefined ? [] : [escaped(`${name.padEnd(10)}  ${text}\n`)]))
    .join("");
};
