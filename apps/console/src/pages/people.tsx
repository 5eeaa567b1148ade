import { useState } from "preact/hooks";
import { call, useLive, withQuery } from "../api.ts";
import { href } from "../router.ts";
import { may, me } from "../session.ts";
import type { ApiKey, Client, Session, User } from "../types.ts";
import { Button, Dialog, Empty, Fault, Field, notify, PageHead, Tag, Time } from "../ui/basics.tsx";
import { Paged } from "../ui/paged.tsx";
import { Table } from "../ui/table.tsx";

/** What each built-in role may do, in a line. */
const roles: readonly (readonly [name: string, may: string])[] = [
  ["user", "Uses the API: own rows, and what others publish."],
  ["viewer", "Also reads what administrators read; payloads are masked."],
  ["operator", "Also sees payloads, replays events, and retries, cancels and pauses jobs."],
  ["admin", "Does everything, with the rows of all users."],
];
const roleChoices = roles.map(([name]) => [name, name] as const);

const Invite = ({ onClose }: { readonly onClose: () => void }) => {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState("viewer");
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void call("POST", "/admin/invitations", { name, email, role }).then(
            () => {
              notify(`${email} gets a link by mail.`);
              onClose();
            },
            (thrown: Error) => notify(thrown.message, "bad"),
          );
        }}
      >
        <Field label="Name" value={name} onInput={setName} required maxLength={100} />
        <Field label="Email" type="email" value={email} onInput={setEmail} required maxLength={254} />
        <Field label="Role" value={role} onInput={setRole} choices={roleChoices} />
        <div class="actions">
          <Button type="submit" kind="main">
            Invite
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
};

export const Users = () => {
  const [invites, setInvites] = useState(false);
  return (
    <>
      <PageHead
        title="Users"
        actions={
          may("administer") ? (
            <Button kind="main" onPress={() => setInvites(true)}>
              Invite somebody
            </Button>
          ) : undefined
        }
      />
      <Paged<User> path="/users?limit=100&sort=-created_at">
        {(rows) => (
          <Table
            caption="Users"
            rows={rows}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => href(`/users/${id}`)}
            columns={[
              { head: "Name", cell: ({ name }) => name },
              { head: "Email", cell: ({ email }) => email, isLong: true },
              { head: "Role", cell: ({ role }) => role },
              {
                head: "Second factor",
                cell: ({ second_factor_at: at }) => (
                  <Tag state={at === null ? "off" : "ok"}>{at === null ? "off" : "on"}</Tag>
                ),
                isMinor: true,
              },
              { head: "Made", cell: ({ created_at: at }) => <Time at={at} />, isNumber: true, isMinor: true },
            ]}
          />
        )}
      </Paged>
      <section class="below">
        <h2>What each role may do</h2>
        <dl class="pairs">
          {roles.map(([name, text]) => [
            <dt key={`${name}-dt`}>
              <code>{name}</code>
            </dt>,
            <dd key={name}>{text}</dd>,
          ])}
        </dl>
      </section>
      {invites ? <Invite onClose={() => setInvites(false)} /> : null}
    </>
  );
};

const Sessions = ({ userId }: { readonly userId?: string }) => (
  <Paged<Session>
    path={withQuery("/sessions", { limit: 50, include: "user", "filter[user_id]": userId, sort: "-updated_at" })}
  >
    {(rows, refresh) => (
      <Table
        caption="Sessions"
        rows={rows}
        keyOf={({ id }) => id}
        empty={<Empty title="Nobody is signed in." />}
        columns={[
          ...(userId === undefined ? [{ head: "User", cell: ({ user }: Session) => user?.name ?? "–" }] : []),
          { head: "Program", cell: ({ device }) => device ?? "–", isLong: true },
          { head: "Address", cell: ({ address }) => address ?? "–", isMinor: true },
          { head: "Used", cell: ({ last_used_at: at }) => <Time at={at} />, isNumber: true },
          { head: "Ends", cell: ({ expires_at: at }) => <Time at={at} />, isNumber: true, isMinor: true },
          {
            head: "",
            isNumber: true,
            cell: ({ id, user_id: owner }) =>
              may("administer") || owner === me.value?.id ? (
                <Button
                  kind="danger"
                  onPress={async () => {
                    await call("DELETE", `/sessions/${id}`);
                    notify("The session has ended.");
                    refresh();
                  }}
                >
                  End
                </Button>
              ) : null,
          },
        ]}
      />
    )}
  </Paged>
);

export const SessionsPage = () => (
  <>
    <PageHead title="Sessions" lead="Sign-ins that can still be used." />
    <Sessions />
  </>
);

const Keys = ({ userId }: { readonly userId?: string }) => (
  <Paged<ApiKey>
    path={withQuery("/api-keys", { limit: 50, include: "user", "filter[user_id]": userId, sort: "-created_at" })}
  >
    {(rows, refresh) => (
      <Table
        caption="API keys"
        rows={rows}
        keyOf={({ id }) => id}
        empty={<Empty title="There is no API key." />}
        columns={[
          { head: "Name", cell: ({ name }) => name },
          ...(userId === undefined
            ? [{ head: "User", cell: ({ user }: ApiKey) => user?.name ?? "–", isMinor: true }]
            : []),
          { head: "Scopes", cell: ({ scopes }) => <code>{scopes.join(" ")}</code>, isLong: true },
          { head: "Used", cell: ({ last_used_at: at }) => <Time at={at} />, isNumber: true },
          { head: "Ends", cell: ({ expires_at: at }) => <Time at={at} />, isNumber: true, isMinor: true },
          {
            head: "",
            isNumber: true,
            cell: ({ id, user_id: owner }) =>
              may("administer") || owner === me.value?.id ? (
                <Button
                  kind="danger"
                  onPress={async () => {
                    await call("DELETE", `/api-keys/${id}`);
                    notify("The key has ended.");
                    refresh();
                  }}
                >
                  End
                </Button>
              ) : null,
          },
        ]}
      />
    )}
  </Paged>
);

export const KeysPage = () => (
  <>
    <PageHead title="API keys" lead="Made by users for their programs. Their text is not stored." />
    <Keys />
  </>
);

export const ClientsPage = () => (
  <>
    <PageHead title="Clients" lead="Services and applications that sign in with OAuth 2." />
    <Paged<Client> path="/admin/clients">
      {(rows) => (
        <Table
          caption="Clients"
          rows={rows}
          keyOf={({ id }) => id}
          empty={<Empty title="No client is registered.">postern clients create adds one.</Empty>}
          columns={[
            { head: "Name", cell: ({ name }) => name },
            { head: "Kind", cell: ({ kind }) => kind, isMinor: true },
            { head: "Scopes", cell: ({ scopes }) => <code>{scopes.join(" ")}</code>, isLong: true },
            { head: "Used", cell: ({ last_used_at: at }) => <Time at={at} />, isNumber: true },
          ]}
        />
      )}
    </Paged>
  </>
);

export const UserPage = ({ id }: { readonly id: string }) => {
  const { data: user, fault, refresh } = useLive<User>(`/users/${encodeURIComponent(id)}`);
  const [role, setRole] = useState<string | undefined>();
  if (user === undefined) return <Fault fault={fault} />;
  return (
    <>
      <PageHead
        title={user.name}
        back={[href("/users"), "Users"]}
        lead={
          <>
            {user.email} · {user.role} · made <Time at={user.created_at} />
          </>
        }
      />
      <section>
        <dl class="pairs">
          <dt>Address</dt>
          <dd>{user.verified_email === user.email ? "verified" : "not verified"}</dd>
          <dt>Second factor</dt>
          <dd>
            <Tag state={user.second_factor_at === null ? "off" : "ok"}>
              {user.second_factor_at === null ? "off" : "on"}
            </Tag>
          </dd>
        </dl>
      </section>
      {may("administer") ? (
        <section class="aside-form">
          <h2>Role</h2>
          <form
            class="inline"
            onSubmit={(event) => {
              event.preventDefault();
              void call("PATCH", `/users/${id}`, { role: role ?? user.role }).then(
                () => {
                  notify("The role has changed. It holds from the next request on.");
                  refresh();
                },
                (thrown: Error) => notify(thrown.message, "bad"),
              );
            }}
          >
            <Field label="Role" hidesLabel value={role ?? user.role} onInput={setRole} choices={roleChoices} />
            <Button type="submit">Change</Button>
          </form>
        </section>
      ) : null}
      <section>
        <h2>Sessions</h2>
        <Sessions userId={id} />
      </section>
      <section>
        <h2>API keys</h2>
        <Keys userId={id} />
      </section>
    </>
  );
};
