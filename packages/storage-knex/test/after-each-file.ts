import { afterAll } from "vitest";
import { dropDatabases } from "./databases.ts";

// A setup file runs before each file of tests, also where they share a process and its modules.
afterAll(dropDatabases);
