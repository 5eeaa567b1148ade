import { fingerprint } from "../fingerprint.ts";

/** What failures of one cause have in common. */
interface CauseFacts {
  /** The name of the handler that failed. */
  readonly handler: string;
  /** The name of the error: `TypeError`. Absent if something else was thrown. */
  readonly error: string | undefined;
  /** The message, with `#` in the place of numbers, ids, addresses and quoted values. */
  readonly message: string;
  /** The innermost frames of the application's own code, at most two: `charge (pay.ts)`. */
  readonly frames: readonly string[];
}

/** A message is read up to here, and shown up to there. Both are lengths in characters. */
const longestRead = 1_000;
const longestShown = 300;
const mostFrames = 2;
const longestFrame = 100;

const placeholder = "#";

const url = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'`<>()[\]{}]+/gi;
const email = /[^\s@"'`<>()[\]{},;:]{1,64}@[^\s@"'`<>()[\]{},;:]{1,255}/g;
/** Text in quotes. An apostrophe inside a word opens and closes nothing. */
const quoted = /(?<!\w)(["'`])([^"'`\n]{1,200})\1(?!\w)/g;
/** A word with all that may be inside a number, an id, a time or an address. */
const word = /[+-]?\w(?:[\w.,:+%-]*\w)?%?/g;
/** The names of fields, types and files: what a programmer has written, and no value. */
const identifier = /^[A-Za-z_$][\w$.-]*$/;
/** `cus_NffrFeUfNVHib`: one id in twelve of this form has no digit. */
const mixedId = /^[a-z]{2,8}_(?=\w*[a-z])(?=\w*[A-Z])[A-Za-z]{10,}$/;

/** In front of the code of an error in the text that describes it: such a number is no value. */
const codeMark = "[code ";
const code = /\[code ([\w.-]{1,64})\]/g;
const mostCodes = 8;
/** The description of a failure without its stack is no longer. */
const longestFailure = 4_096;

/** A message without what differs from failure to failure. */
const withoutValues = (message: string): string => {
  const whole = message.trim();
  // A word that is cut could be the beginning of an id, so it goes as a whole.
  const read = whole.length <= longestRead ? whole : whole.slice(0, longestRead).replace(/\S+$/, "");
  return read
    .replaceAll(url, placeholder)
    .replaceAll(email, placeholder)
    .replaceAll(quoted, (text, mark: string, inside: string) =>
      identifier.test(inside) ? text : `${mark}${placeholder}${mark}`,
    )
    .replaceAll(word, (text, at: number, all: string) => {
      if (!(/\d/.test(text) || mixedId.test(text))) return text;
      return all.slice(0, at).endsWith(codeMark) ? text : placeholder;
    })
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, longestShown);
};

/** Only a name that says of itself that it is an error's: other text could be a value. */
const named =
  /^([A-Za-z_$][\w$.]{0,63}(?:Error|Exception)|AlreadyCommitted|Error|LeaseLost|Permanent|RetryAt|Snooze): ?([\s\S]*)$/;

const stackLine = /^\s+at \S/;

/** A line of a stack, taken apart. */
interface Frame {
  readonly file: string;
  readonly name: string;
}

const frameOf = (line: string): Frame | undefined => {
  const text = line.trim().replace(/^at (?:async )?/, "");
  const [, name = "", inParentheses] = /^(.*?) ?\(([^()]*)\)$/.exec(text) ?? [];
  const place = inParentheses ?? text;
  const file = place.replace(/(?::\d+){1,2}$/, "");
  // Without a line there is no file: `native`, `<anonymous>`, `index 0` of a `Promise.all`.
  return file === place ? undefined : { file, name };
};

const folderOf = (file: string): string => file.slice(0, Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);

const firstFrame = (stack: string | undefined): Frame | undefined => {
  for (const line of stack?.split("\n") ?? []) {
    const frame = stackLine.test(line) ? frameOf(line) : undefined;
    if (frame !== undefined) return frame;
  }
  return undefined;
};

/** Where this code is, and with it the code that calls handlers. */
const thisFolder = folderOf(firstFrame(new Error("here").stack)?.file ?? "");
/** In a clone of Postern it is not in `node_modules`. In a bundle, it is where the application is. */
const ownFolder = /[\\/]core[\\/](?:src[\\/]jobs|dist)[\\/]$/.test(thisFolder) ? thisFolder : undefined;

const isForeign = ({ file }: Frame): boolean =>
  /^node:|[\\/]node_modules[\\/]/.test(file) || (ownFolder !== undefined && file.startsWith(ownFolder));

/** A frame without places: they change with every edit, and the names of bundled files with every build. */
const written = ({ file, name }: Frame): string => {
  const base = file
    .slice(folderOf(file).length)
    .replace(/[?#].*$/, "")
    .replace(/[-.](?:[A-Z0-9]{8}|[0-9a-f]{8,})(?=\.\w+$)/, "");
  const called = name.replace(/ \[as [^\]]*\]$/, "").replace(/^(?:Object\.)?<anonymous>$/, "");
  return (called === "" ? base : `${called} (${base})`).slice(0, longestFrame);
};

/**
 * What the cause of a failure consists of. `failure` is the text that is stored: the error, and
 * below it the lines of its stack. It is hostile input: anything can be thrown.
 */
export const causeFacts = (handler: string, failure: string): CauseFacts => {
  const lines = failure.split("\n");
  const stackAt = lines.findIndex((line) => stackLine.test(line));
  const text = (stackAt === -1 ? lines : lines.slice(0, stackAt)).join("\n");
  const frames: string[] = [];
  for (const line of stackAt === -1 ? [] : lines.slice(stackAt)) {
    const frame = stackLine.test(line) ? frameOf(line) : undefined;
    if (frame !== undefined && !isForeign(frame)) frames.push(written(frame));
    if (frames.length === mostFrames) break;
  }
  const [, error, message = text] = named.exec(text) ?? [];
  return { handler, error, message: withoutValues(message), frames };
};

/** 64 bits: among a million causes, two have one id once in 40 million. */
const idWords = 2;

/**
 * The id of a failure's cause: 12 letters and digits. Failures of one handler with the same error,
 * at the same place, have one id, whatever ids and numbers their messages name.
 */
export const causeId = (handler: string, failure: string): string => {
  const { error = "", message, frames } = causeFacts(handler, failure);
  // A message is cut, and the codes of what it was caused by stand at its end.
  const codes = Array.from(failure.slice(0, longestFailure).matchAll(code), ([, one = ""]) => one).slice(0, mostCodes);
  // No hyphen in front: a command would take it for an option.
  return fingerprint([handler, error, message, ...frames, ...codes].join("\n"), idWords).replaceAll(/[-_]/g, "0");
};
