import { decodeBase64 } from "./base64.ts";

/** One component identifier of RFC 9421: a name and its parameters. */
export interface Component {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string | true>;
  /** As written. */
  readonly text: string;
}

/** One member of `Signature-Input`. */
export interface SignatureParams {
  readonly components: readonly Component[];
  readonly parameters: ReadonlyMap<string, string | number | true>;
  /** As written, for the last line of the signature base. */
  readonly text: string;
}

/** Divides at commas that stand neither in a string nor in a list (RFC 8941); undefined if quotes or brackets are open. */
const splitMembers = (text: string): readonly string[] | undefined => {
  const members: string[] = [];
  let from = 0;
  let quoted = false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted) {
      if (character === "\\") at++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "(") depth++;
    else if (character === ")") depth--;
    else if (character === "," && depth === 0) {
      members.push(text.slice(from, at));
      from = at + 1;
    }
  }
  members.push(text.slice(from));
  return quoted || depth !== 0 ? undefined : members.map((member) => member.trim());
};

/** A dictionary as texts by key; undefined when it is none, or a key comes twice. */
export const readDictionary = (text: string): ReadonlyMap<string, string> | undefined => {
  const members = splitMembers(text);
  const found = new Map<string, string>();
  for (const member of members ?? [""]) {
    const match = /^([a-z*][a-z0-9_.*-]*)=(.+)$/s.exec(member);
    const [, key = "", value = ""] = match ?? [];
    if (match === null || found.has(key)) return undefined;
    found.set(key, value);
  }
  return found;
};

/** The bytes of `:<base64>:`. */
export const readBytes = (text: string): Uint8Array | undefined => {
  const digits = /^:([A-Za-z0-9+/=]*):$/.exec(text)?.[1];
  return digits === undefined ? undefined : decodeBase64(digits);
};

const parameter = /^;\s*([a-z*][a-z0-9_.*-]*)(?:=("(?:[ !#-[\]-~]|\\["\\])*"|-?\d{1,15}|[A-Za-z*][^\s;()",]*))?/;

const unquoted = (text: string): string => text.slice(1, -1).replace(/\\(["\\])/g, "$1");

/** Parameters from the start of `text`, and what is left of it. */
const readParameters = (
  text: string,
): { readonly found: Map<string, string | number | true>; readonly rest: string } => {
  const found = new Map<string, string | number | true>();
  let rest = text;
  for (let match = parameter.exec(rest); match !== null; match = parameter.exec(rest)) {
    const [whole, name = "", value] = match;
    found.set(
      name,
      value === undefined
        ? true
        : value.startsWith('"')
          ? unquoted(value)
          : /^-?\d/.test(value)
            ? Number(value)
            : value,
    );
    rest = rest.slice(whole.length);
  }
  return { found, rest };
};

/** A member of `Signature-Input`: a list of component identifiers with parameters; undefined when it is none. */
export const readSignatureParams = (text: string): SignatureParams | undefined => {
  const components: Component[] = [];
  let rest = text.startsWith("(") ? text.slice(1).trimStart() : "!";
  while (!rest.startsWith(")")) {
    const name = /^"([!-~]+?)"/.exec(rest);
    if (name === null) return undefined;
    const after = readParameters(rest.slice(name[0].length));
    const written = rest.slice(0, rest.length - after.rest.length);
    const parameters = new Map<string, string | true>();
    for (const [key, value] of after.found) parameters.set(key, value === true ? true : String(value));
    components.push({ name: name[1] ?? "", parameters, text: written });
    rest = after.rest.trimStart();
    if (components.length > 50) return undefined;
  }
  const { found, rest: left } = readParameters(rest.slice(1));
  return left === "" ? { components, parameters: found, text } : undefined;
};
