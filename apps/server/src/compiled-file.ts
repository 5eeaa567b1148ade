import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";

/** The length of a digest. A kept file begins with two: of the source, and of the code. */
const digestBytes = 32;

const digest = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/**
 * The kept code, if it was made from this source by this Node. V8 itself checks its version and
 * flags, but only the length of the source, and nothing of the code. So a file that a power cut
 * left half written would end the process.
 */
const keptCode = (path: string, source: Buffer): Buffer | undefined => {
  try {
    const kept = readFileSync(path);
    const code = kept.subarray(2 * digestBytes);
    return kept.subarray(0, 2 * digestBytes).equals(Buffer.concat([source, digest(code)])) ? code : undefined;
  } catch {
    return undefined;
  }
};

const keepCode = (path: string, source: Buffer, code: Buffer): void => {
  // Several processes may do so at once; each puts a whole file in place.
  const written = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(written, Buffer.concat([source, digest(code), code]));
    renameSync(written, path);
  } catch {
    // The folder cannot be written. The next start compiles again.
  }
};

/**
 * Compiles a file whose text is one function with the parameters `exports`, `require`, `module`,
 * `__filename`, `__dirname` and `importModule`. Compiling the server takes a third of a start's
 * processor time, and Node keeps compiled code by itself only from version 22.8 on.
 */
export const compiledFile = (file: string, cachePath: string) => {
  // The build writes ASCII only: a string of one byte for each character, half the memory.
  const text = readFileSync(file, "latin1");
  const source = digest(process.version, process.arch, text);
  const cachedData = keptCode(cachePath, source);
  const script = new Script(text, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) });
  const reused = cachedData !== undefined && script.cachedDataRejected === false;
  return {
    /** Whether V8 took the code that an earlier process has kept. */
    reused,
    /**
     * Runs the file, and returns what it exports. The file gets `importModule` as its `import()`,
     * which a script with kept code cannot use.
     */
    run: (importModule: (specifier: string) => Promise<unknown>): Readonly<Record<string, unknown>> => {
      const module = { exports: {} };
      script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file), importModule);
      return module.exports;
    },
    /**
     * Keeps what V8 has compiled of the file up to now, for the next process. The next process must
     * have set the same flags of V8 as this one has now. Does nothing if this process has reused such
     * code, or if the folder cannot be written.
     */
    keep: (): void => {
      if (!reused) keepCode(cachePath, source, script.createCachedData());
    },
  };
};
