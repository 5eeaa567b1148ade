/** Names of fields, by their last word, that hold a credential whatever their value looks like. */
const secretName =
  /(?:password|passwd|passphrase|secret|token|authorization|cookie|credential|api_?key|private_?key)s?$/i;

/**
 * Texts that are credentials whatever field or message they stand in: authorization headers,
 * passwords in URLs, JWTs, PEM keys, and keys with a known prefix. Each pattern runs in linear
 * time.
 */
const secretTexts: readonly RegExp[] = [
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}/gi,
  /(?<=:\/\/)[^\s/@:]{0,100}:[^\s/@]{1,200}(?=@)/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /-----BEGIN [A-Z ]{1,40}-----[^-]*/g,
  /\b(?:whsec|whsk|prt|ak|sk|rk|pk|ghp|gho|xox[a-z])_(?:live_|test_)?[\w+/=-]{8,}/g,
];

/**
 * What could drive a terminal or disguise a line: control characters, C1 included, and those that
 * change direction or break lines.
 */
const unprintable = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
const longest = 2_048;

const escaped = (character: string): string => {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
};

/**
 * Matches texts that can hold neither a credential nor an unprintable character. Most texts in a
 * log are such: ids and names.
 */
const harmless = /^(?!.*eyJ)[A-Za-z0-9./{}-]{0,64}$/;

/**
 * Makes `text` fit for a line of the log: takes credentials out, cuts it after 2,048 characters,
 * and escapes every unprintable character.
 */
export const logText = (text: string): string => {
  if (harmless.test(text)) return text;
  // Cut first, with room for a credential that lies across the edge, so that no text is too long
  // for the patterns.
  let result = text.slice(0, longest * 2);
  for (const pattern of secretTexts) result = result.replace(pattern, "[redacted]");
  const cut = text.length > longest * 2 || result.length > longest;
  return (cut ? `${result.slice(0, longest)}…` : result).replace(unprintable, escaped);
};

/** What the name of a field tells about it. */
export interface FieldName {
  /** As it may be logged. */
  readonly text: string;
  /** The same as a further member of a JSON object, up to the colon. */
  readonly member: string;
  /** Its value must not be shown, whatever it looks like. */
  readonly secret: boolean;
}

/** What a name tells about its field. */
export const fieldName = (name: string): FieldName => {
  const text = logText(name);
  return { text, member: `,${JSON.stringify(text)}:`, secret: secretName.test(name) };
};

/**
 * An object as JSON, for programs in JavaScript: the types allow none. A member whose name says that it is a
 * credential is taken out.
 */
const objectText = (value: object): string => {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  const redacted = (name: string, member: unknown): unknown => {
    if (name !== "" && secretName.test(name)) return "[redacted]";
    return typeof member === "bigint" ? String(member) : member;
  };
  try {
    return JSON.stringify(value, redacted) ?? "[object]";
  } catch {
    return "[object]";
  }
};

/**
 * Makes a field's value fit for the log. Nothing of it is shown if the name says that it is a
 * credential.
 */
export const logValue = ({ secret }: FieldName, value: unknown): string | number | boolean | null => {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "boolean") return value;
  if (secret) return "[redacted]";
  if (value === null) return null;
  return logText(typeof value === "object" ? objectText(value) : String(value));
};

/** Whether a value is logged as it is, and JSON has nothing to escape in it. */
export const isHarmless = ({ secret }: FieldName, value: unknown): value is string =>
  typeof value === "string" && !secret && harmless.test(value);
