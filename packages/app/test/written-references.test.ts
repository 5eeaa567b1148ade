import { builtInVersions } from "@postern/app";
import {
  anyOf,
  defineResource,
  nobody as nobodyAtAll,
  nullable,
  ownedBy,
  reference,
  signedIn,
  text,
  through,
  where,
} from "@postern/core";
import { renameField } from "@postern/rest";
import { beforeEach, describe, expect, test } from "vitest";
import { type Api, testApi } from "./api.ts";

const own = ownedBy("user_id");
const project = defineResource({
  name: "project",
  plural: "projects",
  description: "A project.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Whose." }),
    title: text(20, { description: "What it is called." }),
  },
  owner: "user_id",
  access: { read: anyOf(own, where("title", "shared")), update: own, delete: own },
});
const task = defineResource({
  name: "task",
  plural: "tasks",
  description: "A task.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Whose." }),
    project_id: nullable(reference("project", { onDelete: "cascade", description: "What for." })),
    title: text(20, { default: "task", description: "What it is called." }),
  },
  owner: "user_id",
  access: { read: own, update: own, delete: own },
});

const nobody = "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a";
const noSuchProject = {
  status: 404,
  body: {
    code: "not_found",
    errors: [{ pointer: "/project_id", code: "not_found", detail: "there is no such project" }],
  },
};

test("callers write a reference, unless it is the owner or the parent, or the declaration says otherwise", () => {
  const { fields } = defineResource({
    name: "step",
    plural: "steps",
    description: "A step.",
    fields: {
      user_id: reference("user", { onDelete: "cascade", description: "Whose." }),
      task_id: reference("task", { onDelete: "cascade", description: "Of what." }),
      next_id: nullable(reference("step", { onDelete: "cascade", description: "What follows." })),
      checked_by_id: nullable(reference("user", { onDelete: "cascade", write: "admin", description: "By whom." })),
    },
    owner: "user_id",
    parent: { resource: "task", field: "task_id", createRequires: "update" },
    access: { read: own, update: own, delete: own },
  });
  const writers = Object.entries(fields).flatMap(([name, { kind, write }]) =>
    kind === "reference" ? [[name, write]] : [],
  );
  expect(Object.fromEntries(writers)).toEqual({
    user_id: "nobody",
    task_id: "nobody",
    next_id: "everyone",
    checked_by_id: "admin",
  });
});

describe("a reference in a body", () => {
  let api: Api;
  let ada: { id: string; token: string };
  let own: string;
  let shared: string;
  let foreign: string;
  let existing: string;

  beforeEach(async () => {
    api = testApi({ resources: [project, task] });
    ada = await api.user("ada");
    const bob = await api.user("bob");
    const made = async (token: string, title: string): Promise<string> =>
      (await api.call("POST", "/projects", { token, body: { title } })).body.id;
    own = await made(ada.token, "own");
    shared = await made(bob.token, "shared");
    foreign = await made(bob.token, "private");
    existing = (await api.call("POST", "/tasks", { token: ada.token, body: { project_id: own } })).body.id;
  });

  const writes = [
    ["POST", () => "/tasks"],
    ["PUT", () => `/tasks/${existing}`],
    ["PATCH", () => `/tasks/${existing}`],
  ] as const;

  test.each(writes)("of %s to a row that the caller may not read is a missing id", async (method, path) => {
    const { token } = ada;
    const hidden = await api.call(method, path(), { token, body: { project_id: foreign } });
    const missing = await api.call(method, path(), { token, body: { project_id: nobody } });
    expect(hidden).toMatchObject(noSuchProject);
    expect(hidden.body).toEqual(missing.body);
    expect((await api.call("GET", `/tasks/${existing}`, { token })).body.project_id).toBe(own);
    expect((await api.call("GET", "/tasks", { token })).body.data).toHaveLength(1);
  });

  test.each(writes)(
    "of %s to a row that the caller may read is taken, also when another user owns it",
    async (method, path) => {
      const { token } = ada;
      for (const project_id of [own, shared, null]) {
        const answer = await api.call(method, path(), { token, body: { project_id } });
        expect(answer).toMatchObject({ status: method === "POST" ? 201 : 200, body: { project_id } });
      }
    },
  );

  test("may go on as it is when its row can no longer be read", async () => {
    const admin = await api.admin();
    const { token } = ada;
    await api.call("PATCH", `/tasks/${existing}`, { token: admin.token, body: { project_id: foreign } });
    const renamed = await api.call("PUT", `/tasks/${existing}`, { token, body: { project_id: foreign, title: "new" } });
    expect(renamed).toMatchObject({ status: 200, body: { title: "new", project_id: foreign } });
  });

  test("is any row for an administrator, but a missing one is missing for them, too", async () => {
    const { token } = await api.admin();
    expect((await api.call("POST", "/tasks", { token, body: { project_id: foreign } })).status).toBe(201);
    expect(await api.call("POST", "/tasks", { token, body: { project_id: nobody } })).toMatchObject(noSuchProject);
  });

  test("is pointed to by the name that it has in the requested version", async () => {
    const older = testApi({
      resources: [project, task],
      versions: [
        ...builtInVersions,
        {
          id: "v3",
          released: "2027-01-01",
          changes: [
            {
              id: "plans-are-projects",
              kind: "renamed",
              title: "A plan is called project",
              why: "It is one.",
              migration: "Write `project_id`.",
              effects: [renameField({ resource: "task", from: "plan_id", to: "project_id" })],
            },
          ],
        },
      ],
    });
    const { token } = await older.user("ada");
    const answer = await older.call("POST", "/tasks", { token, body: { plan_id: nobody } });
    expect(answer).toMatchObject({ status: 404, body: { errors: [{ pointer: "/plan_id" }] } });
  });
});

describe("a rule that looks at a field which callers write", () => {
  /** The owner of a project may change its cards. Everybody may read them. */
  const ofOwnProject = through("project_id", "project", own);
  const card = defineResource({
    name: "card",
    plural: "cards",
    description: "A card of a project.",
    fields: {
      user_id: reference("user", { onDelete: "cascade", as: "author", description: "Whose." }),
      project_id: reference("project", { onDelete: "cascade", description: "Of what." }),
      title: text(20, { default: "card", description: "What it says." }),
    },
    owner: "user_id",
    access: { read: signedIn, update: ofOwnProject, delete: ofOwnProject },
  });
  const log = defineResource({
    name: "entry",
    plural: "entries",
    description: "What happened; nobody changes it.",
    fields: {
      user_id: reference("user", { onDelete: "cascade", as: "author", description: "Whose." }),
      title: text(20, { description: "What it says." }),
    },
    owner: "user_id",
    access: { read: signedIn, create: own, update: nobodyAtAll, delete: nobodyAtAll },
  });

  const scene = async () => {
    const api = testApi({ resources: [project, card, log] });
    const [ada, bob] = [await api.user("ada"), await api.user("bob")];
    const made = async (token: string, title: string): Promise<string> =>
      (await api.call("POST", "/projects", { token, body: { title } })).body.id;
    return { api, ada, own: await made(ada.token, "own"), shared: await made(bob.token, "shared") };
  };

  test("is asked about the row as it becomes: by POST, PATCH and PUT", async () => {
    const { api, ada, own, shared } = await scene();
    const { token } = ada;
    const refused = await api.call("POST", "/cards", { token, body: { project_id: shared } });
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
    const made = await api.call("POST", "/cards", { token, body: { project_id: own } });
    expect(made.status).toBe(201);
    const path = `/cards/${made.body.id}`;
    const headers = { "if-match": "*" };
    for (const [method, body] of [
      ["PATCH", { project_id: shared }],
      ["PUT", { project_id: shared, title: "moved" }],
    ] as const) {
      const moved = await api.call(method, path, { token, headers, body });
      expect([method, moved.status, moved.body.code]).toEqual([method, 403, "forbidden"]);
    }
    expect((await api.call("PATCH", path, { token, headers, body: { title: "new" } })).status).toBe(200);
    expect((await api.call("GET", path, { token })).body).toMatchObject({ project_id: own, title: "new" });
  });

  test("lets rows be made that nobody may change, administrators included", async () => {
    const { api, ada } = await scene();
    const made = await api.call("POST", "/entries", { token: ada.token, body: { title: "began" } });
    expect(made.status).toBe(201);
    const admin = await api.admin();
    const path = `/entries/${made.body.id}`;
    const changed = await api.call("PATCH", path, {
      token: admin.token,
      headers: { "if-match": "*" },
      body: { title: "x" },
    });
    expect([changed.status, changed.body.code]).toEqual([403, "forbidden"]);
    expect((await api.call("GET", path, { token: admin.token })).status).toBe(200);
  });

  test("that lets nobody make rows holds for administrators, too", async () => {
    const closed = { ...log, access: { ...log.access, create: nobodyAtAll } };
    const api = testApi({ resources: [closed] });
    const { token } = await api.admin();
    const body = { title: "began" };
    expect((await api.call("POST", "/entries", { token, body })).status).toBe(403);
  });
});
