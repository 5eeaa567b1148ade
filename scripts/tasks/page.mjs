/** Reads from a page what a reader would copy: its files, its commands and its addresses. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** As GitHub makes it. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");

const fence = /^( *)```(\w*)\n(.*?)^ *```$/gms;

/** The text below a heading, up to the next heading of the same or a higher rank. Code has no headings. */
const below = (text, anchor) => {
  const covered = text.replaceAll(fence, (block) => block.replaceAll("#", " "));
  const headings = [...covered.matchAll(/^(#+) (.*)$/gm)];
  const at = headings.findIndex(([, , heading]) => anchorOf(heading) === anchor);
  if (at === -1) return undefined;
  const end = headings.slice(at + 1).find(([, marks]) => marks.length <= headings[at][1].length);
  return text.slice(headings[at].index, end?.index);
};

const withoutMargin = (code, margin) => code.replaceAll(new RegExp(`^${margin}`, "gm"), "");

/** Commands of a block: lines without what follows `#`, and a line that ends with `\` goes on. */
const commandsOf = (code) =>
  code
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.replace(/(?:^|\s{2,})#.*$/, "").trim())
    .filter((line) => line !== "");

/**
 * A part of a page, such as `docs/operate.md#an-event-is-dead`. What is asked of it and is not there
 * throws an error that names the page.
 */
export const partOf = (place) => {
  const [path, anchor] = place.split("#");
  const page = readFileSync(join(root, path), "utf8");
  const text = anchor === undefined ? page : below(page, anchor);
  const found = (what, value) => {
    if (value === undefined) throw new Error(`${place} has no ${what}.`);
    return value;
  };
  found("such heading", text);
  const blocks = [...text.matchAll(fence)].map(([, margin, language, code]) => ({
    language,
    code: withoutMargin(code, margin),
  }));
  const commands = blocks.filter(({ language }) => language === "sh").flatMap(({ code }) => commandsOf(code));
  const files = blocks.flatMap(({ code }) => {
    const [line, name] = /^(?:\/\/|#) (\S+\.[a-z]+)\n/.exec(code) ?? [];
    return name === undefined ? [] : [[name, code.slice(line.length)]];
  });
  // Or the sentence in front of the block ends with the name.
  for (const [, name, code] of text.matchAll(/`([^`\s]+\.[a-z]+)`:\n\n```\w+\n(.*?)^```$/gms)) files.push([name, code]);
  return {
    /** The files whose blocks begin with a comment that names them, or follow a sentence that does, by name. */
    files: Object.fromEntries(files),
    /** The code of one of these files. */
    file: (name) => found(`file ${name}`, Object.fromEntries(files)[name]),
    /** The only block of code of a language. */
    code: (language) => {
      const all = blocks.filter((block) => block.language === language);
      if (all.length > 1) throw new Error(`${place} has ${all.length} blocks of ${language}.`);
      return found(`block of ${language}`, all[0]).code;
    },
    /**
     * The command that begins so. Each `…` in it, and each name in angle brackets, is replaced by the
     * next of `values`: there the page says to put in one's own.
     */
    command: (beginning, ...values) => {
      const command = found(
        `command \`${beginning}\``,
        commands.find((line) => line.startsWith(beginning)),
      );
      const own = [...values];
      const filled = command.replaceAll(/\S*…\S*/g, (word) => {
        const value = found(`place for another value in \`${beginning}\``, own.shift());
        const [, before = ""] = /^([\w-]+=)/.exec(word) ?? [];
        return `${before}${value}`;
      });
      if (own.length > 0) throw new Error(`${place}: \`${command}\` takes ${values.length - own.length} values.`);
      return filled;
    },
    /** The page says this, in these words. Returns them. */
    says: (words) => {
      const plain = text.replaceAll(/\s+/g, " ");
      return found(`sentence "${words}"`, plain.includes(words.replaceAll(/\s+/g, " ")) ? words : undefined);
    },
  };
};
