import { resourcesOfParts } from "@postern/app";
import { createKnexStorage } from "../../src/index.ts";
import { type FieldShape, resourceOf } from "../laws/shapes.ts";

/**
 * Migrates a database to the given fields. Prints when it begins and when it is done. A test may
 * kill it in between.
 */
const [, , url = "", shapes = "[]"] = process.argv;
const { migrate, close } = createKnexStorage({
  url,
  parts: ["users"],
  // The law that started this process has written them.
  resources: [...resourcesOfParts(["users"]), resourceOf(JSON.parse(shapes) as FieldShape[])],
});
process.stdout.write("begins\n");
await migrate.latest();
process.stdout.write("done\n");
await close();
