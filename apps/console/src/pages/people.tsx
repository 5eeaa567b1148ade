import { useState } from "preact/hooks";
import { api } from "../address.ts";
import { call, useLive } from "../api.ts";
import { useOpenApi } from "../openapi.ts";
import { href } from "../router.ts";
import { isAdministrator, may } from "../session.ts";
import {
  Button,
  CodeBlock,
  Dialog,
  DialogWithForm,
  Field,
  NotRead,
  notify,
  PageHead,
  Tag,
  Time,
} from "../ui/basics.tsx";
import { Paged } from "../ui/paged.tsx";
import { Table } from "../ui/table.tsx";
import { Keys, Sessions } from "./credentials.tsx";
import { Roles } from "./roles.tsx";

/** The roles of this server. */
const useRoles = (): readonly (readonly [string, string])[] => {
  const { data } = useOpenApi();
  return Object.keys(data?.["x-roles"] ?? {}).map((name) => [name, name] as const);
};

const Invite = ({ onClose }: { readonly onClose: () => void }) => {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState("viewer");
  const [link, setLink] = useState<string | undefined>();
  const roles = useRoles();
  const send = async (): Promise<void> => {
    const { link: given } = await call("POST", api("/admin/invitations"), { name, email, role });
    if (given !== null) return setLink(new URL(given, location.origin).href);
    notify(`${email} gets a link by mail.`);
    onClose();
  };
  if (link !== undefined) {
    return (
      <Dialog title={`Give this link to ${name}`} onClose={onClose}>
        <p>
          This server sends no mail. The link works once, within seven days: {email} chooses a password with it. It is
          not shown again.
        </p>
        <div class="once">
          <CodeBlock text={link} />
        </div>
        <Button kind="main" onPress={onClose}>
          Done
        </Button>
      </Dialog>
    );
  }
  return (
    <DialogWithForm title="Invite somebody" verb="Invite" {...{ send, onClose }}>
      <Field label="Name" value={name} onInput={setName} required maxLength={100} />
      <Field label="Email" type="email" value={email} onInput={setEmail} required maxLength={254} />
      <Field label="Role" value={role} onInput={setRole} choices={roles} />
    </DialogWithForm>
  );
};

export const Users = () => {
  const [invites, setInvites] = useState(false);
  const [invited, setInvited] = useState(0);
  return (
    <>
      <PageHead
        title="Users"
        actions={
          may("invitations:write") ? (
            <Button kind="main" onPress={() => setInvites(true)}>
              Invite somebody
            </Button>
          ) : undefined
        }
      />
      <Paged key={invited} path={api("/users", { limit: 100, sort: "-created_at" })}>
        {(rows, _refresh, total) => (
          <Table
            caption="Users"
            noun="user"
            rows={rows}
            total={total}
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
      <Roles />
      {invites ? (
        <Invite
          onClose={() => {
            setInvites(false);
            setInvited(invited + 1);
          }}
        />
      ) : null}
    </>
  );
};

export const UserPage = ({ id }: { readonly id: string }) => {
  const { data: user, fault, refresh } = useLive(api("/users/{id}", { id }));
  const [role, setRole] = useState<string | undefined>();
  const roles = useRoles();
  if (user === undefined) return <NotRead fault={fault} back={[href("/users"), "Users"]} />;
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
      {isAdministrator() ? (
        <section class="aside-form">
          <h2>Role</h2>
          <form
            class="inline"
            onSubmit={(event) => {
              event.preventDefault();
              void call("PATCH", api("/users/{id}", { id }), { role: role ?? user.role }).then(
                () => {
                  notify("The role has changed. It holds from the next request on.");
                  refresh();
                },
                (thrown: Error) => notify(thrown.message, "bad"),
              );
            }}
          >
            <Field label="Role" hidesLabel value={role ?? user.role} onInput={setRole} choices={roles} />
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
