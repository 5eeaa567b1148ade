import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Address, api, type RowOf } from "../address.ts";
import { call, useLive } from "../api.ts";
import { isoOf } from "../format.ts";
import { scopesOf, useOpenApi } from "../openapi.ts";
import { Problem } from "../problem.ts";
import { isAdministrator, may, me } from "../session.ts";
import { type Endable, EndButton, Question } from "../ui/asking.tsx";
import { Button, CodeBlock, Dialog, DialogWithForm, Empty, Field, OwnPassword, PageHead, Time } from "../ui/basics.tsx";
import { Paged } from "../ui/paged.tsx";
import { Table } from "../ui/table.tsx";

interface OwnedProps {
  /** Only those of this user. */
  readonly userId?: string;
}

interface Owned {
  readonly id: string;
  readonly user_id: string;
  readonly user?: { readonly name?: string } | null;
}

interface OwnedRows {
  readonly pathOf: (id: string) => Endable;
  /** What is said when one has ended. */
  readonly said: string;
  readonly userId: string | undefined;
  readonly refresh: () => void;
}

const mayChange = ({ user_id: owner }: Owned): boolean => isAdministrator() || owner === me.value?.id;

/** The columns that credentials have in common: whose it is, and the button that ends it. */
const ownedColumns = ({ pathOf, said, userId, refresh }: OwnedRows) => ({
  owner: userId === undefined ? [{ head: "User", cell: ({ user }: Owned) => user?.name ?? "–" }] : [],
  end: {
    head: "",
    isNumber: true,
    cell: (row: Owned) => (mayChange(row) ? <EndButton {...{ at: pathOf(row.id), said, refresh }} /> : null),
  },
});

export const Sessions = ({ userId }: OwnedProps) => (
  <Paged path={api("/sessions", { limit: 50, include: "user", "filter[user_id]": userId, sort: "-updated_at" })}>
    {(rows, refresh, total) => {
      const { owner, end } = ownedColumns({
        pathOf: (id) => api("/sessions/{id}", { id }),
        said: "The session has ended.",
        userId,
        refresh,
      });
      return (
        <Table
          caption="Sessions"
          noun="session"
          rows={rows}
          total={total}
          keyOf={({ id }) => id}
          empty={<Empty title="Nobody is signed in." />}
          columns={[
            ...owner,
            { head: "Program", cell: ({ device }) => device ?? "–", isLong: true },
            { head: "Address", cell: ({ address }) => address ?? "–", isMinor: true },
            { head: "Used", cell: ({ last_used_at: at }) => <Time at={at} />, isNumber: true },
            { head: "Ends", cell: ({ expires_at: at }) => <Time at={at} />, isNumber: true, isMinor: true },
            end,
          ]}
        />
      );
    }}
  </Paged>
);

export const SessionsPage = () => (
  <>
    <PageHead title="Sessions" lead="Sign-ins that can still be used." />
    <Sessions />
  </>
);

export const Keys = ({ userId }: OwnedProps) => {
  const [replaced, setReplaced] = useState<RowOf<"/api-keys"> | undefined>();
  return (
    <Paged path={api("/api-keys", { limit: 50, include: "user", "filter[user_id]": userId, sort: "-created_at" })}>
      {(rows, refresh, total) => {
        const { owner, end } = ownedColumns({
          pathOf: (id) => api("/api-keys/{id}", { id }),
          said: "The key has ended.",
          userId,
          refresh,
        });
        return (
          <>
            <Table
              caption="API keys"
              noun="key"
              rows={rows}
              total={total}
              keyOf={({ id }) => id}
              empty={
                <Empty title="There is no API key.">
                  <p>
                    With a key a program calls the API without a password. Make one here, or with{" "}
                    <code>postern keys create</code>, and give it no more scopes than the program needs.
                  </p>
                </Empty>
              }
              columns={[
                { head: "Name", cell: ({ name }) => name },
                ...owner.map((column) => ({ ...column, isMinor: true })),
                { head: "Scopes", cell: ({ scopes }) => <code>{scopes.join(" ")}</code>, isLong: true },
                { head: "Used", cell: ({ last_used_at: at }) => <Time at={at} />, isNumber: true },
                { head: "Ends", cell: ({ expires_at: at }) => <Time at={at} />, isNumber: true, isMinor: true },
                {
                  ...end,
                  cell: (row) => (
                    <div class="actions">
                      {mayChange(row) ? (
                        <Button label={`Rotate ${row.name}`} onPress={() => setReplaced(row)}>
                          Rotate
                        </Button>
                      ) : null}
                      {end.cell(row)}
                    </div>
                  ),
                },
              ]}
            />
            {replaced === undefined ? null : (
              <RotateKey
                replaced={replaced}
                onClose={() => {
                  setReplaced(undefined);
                  refresh();
                }}
              />
            )}
          </>
        );
      }}
    </Paged>
  );
};

interface ScopesProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** The scopes that the operations of this server name, to choose from. */
const Scopes = ({ chosen, onChange }: ScopesProps) => {
  const { data } = useOpenApi();
  return (
    <fieldset class="scopes">
      <legend>Scopes</legend>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reached by keyboard */}
      <div tabIndex={0}>
        {(data === undefined ? [] : scopesOf(data)).map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(checked ? [...chosen, scope] : chosen.filter((one) => one !== scope))
              }
            />{" "}
            <code>{scope}</code>
          </label>
        ))}
      </div>
    </fieldset>
  );
};

interface MakeProps {
  readonly title: string;
  readonly verb: string;
  /** Sends the request, and answers with what is shown once. */
  readonly make: () => Promise<readonly (readonly [name: string, text: string])[]>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog that makes a credential, and then shows its secret this once. */
const MakeCredential = ({ title, verb, make, onClose, children }: MakeProps) => {
  const [made, setMade] = useState<Awaited<ReturnType<MakeProps["make"]>> | undefined>();
  if (made !== undefined) {
    return (
      <Dialog title={title} onClose={onClose}>
        <p>Copy it now. It is not stored, and is not shown again.</p>
        {made.map(([name, text]) => (
          <div key={name} class="once">
            <p class="soft">{name}</p>
            <CodeBlock text={text} />
          </div>
        ))}
        <Button kind="main" onPress={onClose}>
          Done
        </Button>
      </Dialog>
    );
  }
  return (
    <DialogWithForm {...{ title, verb, onClose }} send={async () => setMade(await make())}>
      {children}
    </DialogWithForm>
  );
};

const dayMs = 86_400_000;

/** Sends what only its owner may do. When the server finds the sign-in too old, there is a field for the password. */
const usePresence = () => {
  const [password, setPassword] = useState("");
  const [asks, setAsks] = useState(false);
  const send = async <Answer, Body extends object>(
    path: Address<{ POST: { answer: Answer; body: Body } }>,
    body: Body,
  ): Promise<Answer> => {
    try {
      return await call("POST", path, { ...body, ...(password === "" ? {} : { current_password: password }) });
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.code === "sign_in_too_old") setAsks(true);
      throw thrown;
    }
  };
  const field = asks ? <OwnPassword email={me.value?.email ?? ""} value={password} onInput={setPassword} /> : null;
  return { send, field };
};

const MakeKey = ({ onClose }: { readonly onClose: () => void }) => {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const [days, setDays] = useState("90");
  const { send, field } = usePresence();
  const make = async () => {
    const ends = days === "" ? null : isoOf(Date.now() + Number(days) * dayMs);
    const { key } = await send(api("/api-keys"), { name, scopes, expires_at: ends });
    return [["Key", key] as const];
  };
  return (
    <MakeCredential title="Make an API key" verb="Make" make={make} onClose={onClose}>
      <Field label="Name" hint="What it is for." value={name} onInput={setName} required maxLength={100} />
      <Field
        label="Ends"
        value={days}
        onInput={setDays}
        choices={[
          ["7", "in a week"],
          ["90", "in 90 days"],
          ["365", "in a year"],
          ["", "never"],
        ]}
      />
      <Scopes chosen={scopes} onChange={setScopes} />
      {field}
    </MakeCredential>
  );
};

const daySeconds = dayMs / 1_000;

const RotateKey = ({ replaced, onClose }: { readonly replaced: RowOf<"/api-keys">; onClose: () => void }) => {
  const [overlap, setOverlap] = useState(String(daySeconds));
  const { send, field } = usePresence();
  const make = async () => {
    const path = api("/api-keys/{id}/rotate", { id: replaced.id });
    const { key } = await send(path, { overlap_seconds: Number(overlap) });
    return [["New key", key] as const];
  };
  return (
    <MakeCredential title={`Rotate ${replaced.name}`} verb="Rotate" make={make} onClose={onClose}>
      <p>
        <Question method="POST" at={api("/api-keys/{id}/rotate", { id: replaced.id })} /> The new one has the same name
        and scopes.
      </p>
      <Field
        label="The old key ends"
        hint="Until then both are valid, so that you can put the new one in place."
        value={overlap}
        onInput={setOverlap}
        choices={[
          ["0", "at once"],
          ["3600", "in an hour"],
          [String(daySeconds), "in a day"],
          [String(7 * daySeconds), "in a week"],
        ]}
      />
      {field}
    </MakeCredential>
  );
};

export const KeysPage = () => {
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState(0);
  return (
    <>
      <PageHead
        title="API keys"
        lead="A program acts with a key for the user who made it, as far as the scopes go."
        actions={
          <Button kind="main" onPress={() => setMaking(true)}>
            Make a key
          </Button>
        }
      />
      <Keys key={made} />
      {isMaking ? (
        <MakeKey
          onClose={() => {
            setMaking(false);
            setMade(made + 1);
          }}
        />
      ) : null}
    </>
  );
};

const RegisterClient = ({ onClose }: { readonly onClose: () => void }) => {
  const users = useLive(api("/users", { limit: 100, fields: ["id", "name"], sort: "created_at" }));
  const [name, setName] = useState("");
  const [kind, setKind] = useState("confidential");
  const [userId, setUserId] = useState(me.value?.id ?? "");
  const [uris, setUris] = useState("");
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const make = async () => {
    const body = { name, kind, user_id: userId, scopes, redirect_uris: uris.split(/\s+/).filter(Boolean) };
    const { id, secret } = await call("POST", api("/admin/clients"), body);
    return [["client_id", id] as const, ...(secret === null ? [] : [["client_secret", secret] as const])];
  };
  return (
    <MakeCredential title="Register a client" verb="Register" make={make} onClose={onClose}>
      <Field label="Name" value={name} onInput={setName} required maxLength={100} />
      <Field
        label="Kind"
        value={kind}
        onInput={setKind}
        choices={[
          ["confidential", "a server: it can keep a secret"],
          ["public", "an app or a page: it cannot"],
        ]}
      />
      <Field
        label="Acts for"
        hint="The account whose rows it may use with client credentials."
        value={userId}
        onInput={setUserId}
        choices={(users.data?.data ?? []).map(({ id, name: who }) => [id, who] as const)}
      />
      <Field
        label="Redirect URIs"
        hint="One a line, if people sign in with it. Without them it uses client credentials."
        value={uris}
        onInput={setUris}
        lines={2}
      />
      <Scopes chosen={scopes} onChange={setScopes} />
    </MakeCredential>
  );
};

export const ClientsPage = () => {
  const [isMaking, setMaking] = useState(false);
  return (
    <>
      <PageHead
        title="Clients"
        lead="Services and applications that sign in with OAuth 2."
        actions={
          may("clients:write") ? (
            <Button kind="main" onPress={() => setMaking(true)}>
              Register a client
            </Button>
          ) : undefined
        }
      />
      <Paged path={api("/admin/clients")}>
        {(rows, refresh, total) => (
          <>
            <Table
              caption="Clients"
              noun="client"
              rows={rows}
              total={total}
              keyOf={({ id }) => id}
              empty={
                <Empty title="No client is registered.">
                  <p>
                    Register one here, or with <code>postern clients create</code>.
                  </p>
                </Empty>
              }
              columns={[
                { head: "Name", cell: ({ name }) => name },
                { head: "Kind", cell: ({ kind }) => kind, isMinor: true },
                { head: "Gets tokens by", cell: ({ grant_types: types }) => types.join(", "), isMinor: true },
                { head: "Scopes", cell: ({ scopes }) => <code>{scopes.join(" ")}</code>, isLong: true },
                { head: "Used", cell: ({ last_used_at: at }) => <Time at={at} />, isNumber: true },
                {
                  head: "",
                  isNumber: true,
                  cell: ({ id }) =>
                    may("clients:write") ? (
                      <EndButton
                        at={api("/admin/clients/{id}", { id })}
                        said="The client and its tokens have ended."
                        refresh={refresh}
                      />
                    ) : null,
                },
              ]}
            />
            {isMaking ? (
              <RegisterClient
                onClose={() => {
                  setMaking(false);
                  refresh();
                }}
              />
            ) : null}
          </>
        )}
      </Paged>
    </>
  );
};
