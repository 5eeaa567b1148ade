import { defineResource, ownedBy, reference, text } from "@postern/core";
import { writtenValues } from "@postern/core/internal";
import { expect, test } from "vitest";

const own = ownedBy("user_id");
const place = defineResource({
  name: "place",
  plural: "places",
  description: "A place.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Whose." }),
    name: text(20, { write: "admin", filter: "everyone", description: "Its name." }),
  },
  owner: "user_id",
  access: { read: own, update: own, delete: own },
});

test("a member that the caller cannot write may be sent with its value, though an older version stored it in another form", () => {
  const stored = { id: "1", user_id: "2", name: "cafe\u0301", revision: 1 };
  const write = { writer: { admin: false }, stored, now: "2026-11-27T12:00:00.000Z" };
  expect(writtenValues(place, { name: "caf\u00e9" }, write)).toEqual({});
  expect(() => writtenValues(place, { name: "cafe" }, write)).toThrow("You cannot set");
});
