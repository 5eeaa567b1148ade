import { afterEach, beforeEach } from "vitest";
import { makeDirectory, removeDirectory } from "./command-line.ts";

// A setup file runs before each file of tests, also where they share a process and its modules.
beforeEach(makeDirectory);
afterEach(removeDirectory);
