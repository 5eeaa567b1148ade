import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Programs for other processes are built into it before the tests. */
export const programsFolder = fileURLToPath(new URL("../node_modules/.programs", import.meta.url));

/** The arguments of Node that run a program of `processes/`. */
export const program = (name: string): string => join(programsFolder, `${name}.js`);
