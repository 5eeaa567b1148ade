import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import { expect, test } from "vitest";
import { testApi } from "./api.ts";

/** The API, and which network each hash was made for since the last time that was asked. */
const watchedApi = () => {
  const { passwordHasher } = memoryPorts();
  let networks: (string | undefined)[] = [];
  const watched: MemoryPorts["passwordHasher"] = {
    ...passwordHasher,
    hash: (password, whose) => {
      networks.push(whose?.network);
      return passwordHasher.hash(password, whose);
    },
    verify: (password, hash, whose) => {
      networks.push(whose?.network);
      return passwordHasher.verify(password, hash, whose);
    },
  };
  const seen = () => {
    const all = networks;
    networks = [];
    return all;
  };
  return { api: testApi({}, { passwordHasher: watched }), seen };
};

const password = "correct horse battery";

test("every hash is made for the caller's network", async () => {
  const { api, seen } = watchedApi();
  const email = "ada@example.com";
  const from = (address: string, body: object) => ({ address, body });
  const ada = await api.call("POST", "/users", from("192.0.2.1", { name: "Ada", email, password }));
  expect(seen()).toEqual(["192.0.2.1"]);

  const signedIn = await api.call("POST", "/sessions", from("192.0.2.2", { email, password }));
  await api.call("POST", "/sessions", from("192.0.2.3", { email, password: "another horse battery" }));
  await api.call("POST", "/sessions", from("2001:db8:1:2:3::4", { email: "nobody@example.com", password }));
  await api.call("POST", "/sessions", from("2001:db8:1:2:5::6", { email: "nobody@example.com", password }));
  const [known, wrong, ...ofOneNetwork] = seen();
  expect([known, wrong]).toEqual(["192.0.2.2", "192.0.2.3"]);
  expect(ofOneNetwork).toHaveLength(2);
  expect(new Set(ofOneNetwork).size).toBe(1);
  expect(ofOneNetwork[0]).toContain("2001:db8:1:2");

  const changed = await api.call("PUT", `/users/${ada.body.id}/password`, {
    ...from("192.0.2.4", { current_password: password, new_password: "nine loud violet kettles" }),
    token: signedIn.body.access_token,
  });
  expect(changed.status).toBe(204);
  expect(seen()).toEqual(["192.0.2.4", "192.0.2.4"]);

  const admin = await api.admin();
  seen();
  const byAdmin = await api.call("PUT", `/users/${ada.body.id}/password`, {
    ...from("192.0.2.5", { new_password: "seven quiet green kettles" }),
    token: admin.token,
  });
  expect(byAdmin.status).toBe(204);
  expect(seen()).toEqual(["192.0.2.5"]);
});
