// Prints what fills the recorded documents, in bytes of JSON without blanks: the bytes of each kind
// of part, and how many of them are references.
//   node scripts/document-size.mjs [path of a document …]
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const recorded = ["v1", "v2"].map((version) => join(root, "contracts", version, "openapi.json"));

const sizeOf = (value) => Buffer.byteLength(JSON.stringify(value));

/** The size of a member: its name, quotes, colon and comma, and its value. */
const memberSize = (name, value) => sizeOf(name) + sizeOf(value) + 2;

const countIn = (document) => {
  const bytes = new Map();
  const add = (kind, size) => bytes.set(kind, (bytes.get(kind) ?? 0) + size);
  for (const [name, parts] of Object.entries(document.components ?? {})) add(`shared ${name}`, sizeOf(parts));
  for (const methods of Object.values(document.paths)) {
    for (const operation of Object.values(methods)) {
      for (const [name, part] of Object.entries(operation)) {
        if (name !== "responses") {
          add(`operations: ${name}`, memberSize(name, part));
          continue;
        }
        for (const [status, response] of Object.entries(part)) {
          if ("$ref" in response) add("operations: references to shared answers", memberSize(status, response));
          else
            for (const [key, inside] of Object.entries(response))
              add(`operations: answers' ${key}`, memberSize(key, inside));
        }
      }
    }
  }
  return bytes;
};

/** The bytes of all references, by the kind of part that they point to. */
const referencesIn = (text) => {
  const bytes = new Map();
  for (const [whole, kind] of text.matchAll(/\{"\$ref":"#\/components\/([a-z]+)\/[^"]+"\}/gi)) {
    bytes.set(kind, (bytes.get(kind) ?? 0) + Buffer.byteLength(whole));
  }
  return bytes;
};

const print = (bytes) => {
  for (const [kind, size] of [...bytes].toSorted(([, a], [, b]) => b - a)) {
    process.stdout.write(`${String(size).padStart(9)}  ${kind}\n`);
  }
};

const asked = process.argv.slice(2);
for (const path of asked.length > 0 ? asked : recorded) {
  const document = JSON.parse(readFileSync(path, "utf8"));
  const text = JSON.stringify(document);
  const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length;
  process.stdout.write(`\n${path}: ${Buffer.byteLength(text)} bytes, ${operations} operations\n`);
  print(countIn(document));
  process.stdout.write("  Of that, references by what they lead to:\n");
  print(referencesIn(text));
}
