import { resourcesOfParts } from "@postern/app";
import { createKnexStorage } from "../../src/index.ts";
import { type FieldShape, resourceOf } from "../laws/shapes.ts";

/**
 * Migrates a database to the fields that it is told; says when it begins and when it is done.
 * Somebody may kill it in between.
 */
const [, , url = "", shapes = "[]"] = process.argv;
const { migrate, close } = createKnexStorage({
  url,
  parts: ["users"],
  // Written by the law that started us.
  resources: [...resourcesOfParts(["users"]), resourceOf(JSON.parse(shapes) as FieldShape[])],
});
process.stdout.write("begins\n");
await migrate.latest();
process.stdout.write("done\n");
await close();
