import assert from "node:assert/strict";
import type { Ids } from "../ports/ids.ts";
import type { Contract } from "./contract.ts";

/** The canonical spelling of a UUIDv7 (RFC 9562, section 5.7). */
export const uuidV7Form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const idsContract: Contract<Ids> = {
  "makes UUIDv7 in lower case": async (ids) => {
    for (let made = 0; made < 100; made++) assert.match(ids.uuid(), uuidV7Form);
  },
  "makes each id greater than all before": async (ids) => {
    let previous = "";
    for (let made = 0; made < 10_000; made++) {
      const id = ids.uuid();
      assert.ok(id > previous, `${id} came after ${previous}`);
      previous = id;
    }
  },
};
