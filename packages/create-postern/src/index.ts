/** `create-postern`: makes a project that uses Postern. `npm create postern@latest` runs it. */
export { createProject } from "./create-project.ts";
export { runCreate } from "./run-create.ts";
