import { useMemo, useState } from "preact/hooks";
import { api, type RowOf } from "../address.ts";
import { call, useLive } from "../api.ts";
import { count, isoOf, span } from "../format.ts";
import { serverAddress } from "../root.ts";
import { go, href } from "../router.ts";
import { may } from "../session.ts";
import { EndButton, Question } from "../ui/asking.tsx";
import {
  Button,
  CodeBlock,
  DialogWithForm,
  Empty,
  Fault,
  Field,
  NameOfPassword,
  NotRead,
  notify,
  PageHead,
  Tag,
  Time,
} from "../ui/basics.tsx";
import { Paged } from "../ui/paged.tsx";
import { Table } from "../ui/table.tsx";
import { NewestEvents } from "./newest-events.tsx";
import { Refusals } from "./trace.tsx";

/** The whole address of a sender's webhooks, as this browser reaches the server. */
const urlOf = (path: string): string => (path.startsWith("http") ? path : serverAddress + path);

const repeatOf = ({ dedupe }: RowOf<"/admin/providers">): string => {
  if (dedupe === null) return "as its scheme says";
  if (dedupe.by === "none") return "nothing: each delivery is an event of its own";
  if (dedupe.by === "id") return "the same id";
  return `the same body${dedupe.window_seconds === undefined ? "" : ` within ${span(dedupe.window_seconds * 1000)}`}`;
};

/** Schemes by their titles; those that have the same one are told apart by their names. */
const titlesOf = (schemes: readonly { readonly name: string; readonly title: string }[]) => {
  const named = schemes.map(({ name, title }): readonly [string, string] => [
    name,
    schemes.some((other) => other.name !== name && other.title === title) ? `${title} (${name})` : title,
  ]);
  return named.toSorted(([, left], [, right]) => left.localeCompare(right, "en"));
};

interface KeyDialogProps {
  readonly title: string;
  readonly sender?: string;
  readonly onClose: () => void;
}

/** Adds a sender, or gives one its next key. */
const KeyDialog = ({ title, sender, onClose }: KeyDialogProps) => {
  const [name, setName] = useState("");
  const [scheme, setScheme] = useState("");
  const schemes = useLive(sender === undefined ? api("/admin/schemes") : undefined);
  const [key, setKey] = useState("");
  const [overlap, setOverlap] = useState("86400");
  const save = async (): Promise<void> => {
    if (sender === undefined) {
      await call("POST", api("/admin/providers"), { name, scheme, ...(key === "" ? {} : { key }) });
      notify(`${name} can send now.`);
      onClose();
      go(`/senders/${name}`);
      return;
    }
    const body = { key, overlap_seconds: Number(overlap) };
    await call("POST", api("/admin/providers/{name}/keys", { name: sender }), body);
    notify(
      overlap === "0" ? "Only the new key is taken from now on." : "Both keys are taken until the overlap is over.",
    );
    onClose();
  };
  return (
    <DialogWithForm title={title} verb={sender === undefined ? "Add" : "Rotate"} send={save} onClose={onClose}>
      {sender === undefined ? (
        <>
          <Fault fault={schemes.fault} />
          <Field
            label="Scheme"
            hint="Who sends, or how it signs. Many sign as Standard Webhooks says."
            value={scheme}
            onInput={(chosen) => {
              // The usual name, unless another one has been typed.
              if (name === "" || name === scheme) setName(chosen);
              setScheme(chosen);
            }}
            choices={[["", "Choose one"], ...titlesOf(schemes.data?.data ?? [])]}
            required
          />
          <Field label="Name" hint="It stands in the URL." value={name} onInput={setName} required maxLength={64} />
        </>
      ) : null}
      {sender === undefined ? null : (
        <p>
          <Question method="POST" at={api("/admin/providers/{name}/keys", { name: sender })} />
        </p>
      )}
      <NameOfPassword name={sender ?? name} />
      <Field
        label="Signing key"
        type="password"
        hint="As the sender shows it. It is stored encrypted and never shown again."
        value={key}
        onInput={setKey}
        autocomplete="new-password"
        required={sender !== undefined}
      />
      {sender === undefined ? null : (
        <Field
          label="The old key stays valid for"
          value={overlap}
          onInput={setOverlap}
          choices={[
            ["0", "no longer: it ends now"],
            ["3600", "an hour"],
            ["86400", "a day"],
            ["604800", "a week"],
          ]}
        />
      )}
    </DialogWithForm>
  );
};

type Sender = RowOf<"/admin/providers">;

const dayMs = 86_400_000;
const countsEveryMs = 60_000;

/** What came of each sender within a day, by its name. */
const useDay = () => {
  // Asked for by a begin that stays, so that the address of the request stays the same.
  const from = useMemo(() => isoOf(Math.floor(Date.now() / countsEveryMs) * countsEveryMs - dayMs), []);
  const { data } = useLive(api("/admin/counts/providers", { step: "hour", from }), countsEveryMs);
  return data === undefined ? undefined : new Map(data.providers.map((one) => [one.provider, one]));
};

const mayRotate = ({ source }: Sender): boolean => may("providers:write") && source === "stored";

/** How many keys are valid, or where they are. */
const keysOf = ({ keys, source }: Sender): string => {
  if (source === "configuration") return "in the configuration";
  return count(keys.filter(({ state }) => state === "good").length);
};

export const Senders = () => {
  const [adds, setAdds] = useState(false);
  const within = useDay();
  const numberOf = (sender: Sender, read: (one: { readonly received: number; readonly refused: number }) => number) => {
    if (within === undefined) return "";
    const one = within.get(sender.name);
    return one === undefined ? "–" : count(read(one));
  };
  return (
    <>
      <PageHead
        title="Senders"
        lead="Who may deliver webhooks here, and by which keys they prove it."
        actions={
          may("providers:write") ? (
            <Button kind="main" onPress={() => setAdds(true)}>
              Add a sender
            </Button>
          ) : undefined
        }
      />
      <Paged path={api("/admin/providers", { limit: 100 })} everyMs={countsEveryMs}>
        {(rows, _refresh, total) => (
          <Table
            caption="Senders"
            noun="sender"
            rows={rows}
            total={total}
            keyOf={({ name }) => name}
            hrefOf={({ name }) => href(`/senders/${name}`)}
            empty={<Empty title="No sender is set up yet." />}
            columns={[
              { head: "Name", cell: ({ name }) => name },
              { head: "Scheme", cell: ({ title }) => title, isLong: true, isMinor: true },
              {
                head: "Received in a day",
                cell: (sender) => numberOf(sender, ({ received }) => received),
                isNumber: true,
              },
              { head: "Refused", cell: (sender) => numberOf(sender, ({ refused }) => refused), isNumber: true },
              { head: "Last event", cell: ({ last_event_at: at }) => <Time at={at} />, isNumber: true },
              { head: "Valid keys", cell: keysOf, isNumber: true, isMinor: true },
            ]}
          />
        )}
      </Paged>
      {adds ? <KeyDialog title="Add a sender" onClose={() => setAdds(false)} /> : null}
    </>
  );
};

/** Where the keys of a sender of the configuration are, and how to rotate them there. */
const ConfiguredKeys = ({ name }: { readonly name: string }) => (
  <section>
    <h2>Keys</h2>
    <p>
      The keys are in the configuration of this server, so they cannot be rotated here. Put the new key beside the old
      one there, restart the server, change the key at the sender, and take the old one out. In the environment:
    </p>
    <CodeBlock text={`WEBHOOK_${name.toUpperCase().replaceAll("-", "_")}_SECRET=<new key>,<old key>`} />
    <p>In the configuration file:</p>
    <CodeBlock text={`secret: ["<new key>", "<old key>"]`} />
  </section>
);

export const SenderPage = ({ name }: { readonly name: string }) => {
  const { data: sender, fault, refresh } = useLive(api("/admin/providers/{name}", { name }));
  const newest = useLive(api("/admin/events", { "filter[provider]": name, limit: 5 }), 5_000);
  const [rotates, setRotates] = useState(false);
  if (sender === undefined) return <NotRead fault={fault} back={[href("/senders"), "Senders"]} />;
  const url = urlOf(sender.path);
  return (
    <>
      <PageHead
        title={sender.name}
        back={[href("/senders"), "Senders"]}
        lead={`${sender.title}, ${sender.source === "configuration" ? "from the configuration" : "added at run time"}`}
        actions={
          mayRotate(sender) ? (
            <Button kind="main" onPress={() => setRotates(true)}>
              Rotate the key
            </Button>
          ) : undefined
        }
      />
      <section>
        <h2>At the sender</h2>
        <p class="soft">Enter this as the URL of the webhook:</p>
        <CodeBlock text={url} />
      </section>
      <section>
        <h2>Send a test</h2>
        <CodeBlock text={`postern send ${sender.name} --url ${urlOf("")}`} />
      </section>
      <section>
        <h2>About it</h2>
        <dl class="pairs">
          <dt>A repeat is</dt>
          <dd>{repeatOf(sender)}</dd>
          {sender.tolerance_seconds === null ? null : (
            <>
              <dt>Its clock may differ by</dt>
              <dd>{span(sender.tolerance_seconds * 1000)}</dd>
            </>
          )}
          {sender.schema_types.length === 0 ? null : (
            <>
              <dt>Types with a schema</dt>
              <dd>{sender.schema_types.join(", ")}</dd>
            </>
          )}
        </dl>
      </section>
      {sender.source === "configuration" ? <ConfiguredKeys name={sender.name} /> : null}
      {sender.keys.length === 0 ? null : (
        <section>
          <h2>Keys</h2>
          <Table
            caption="Keys"
            noun="key"
            rows={sender.keys}
            keyOf={({ id }) => id}
            columns={[
              // Ids begin with their time, so those of one minute begin alike.
              { head: "Key", cell: ({ id, key_id: keyId }) => <code>{keyId ?? `…${id.slice(-8)}`}</code> },
              { head: "State", cell: ({ state }) => <Tag state={state}>{state === "good" ? "valid" : state}</Tag> },
              {
                head: "Valid from",
                cell: ({ not_before: at }) => <Time at={at} whole />,
                isNumber: true,
                isMinor: true,
              },
              { head: "Until", cell: ({ not_after: at }) => <Time at={at} whole />, isNumber: true },
              {
                head: "",
                isNumber: true,
                cell: ({ id, state }) =>
                  mayRotate(sender) && state !== "ended" ? (
                    <EndButton
                      at={api("/admin/providers/{name}/keys/{id}", { name, id })}
                      said="The key has ended."
                      refresh={refresh}
                    />
                  ) : null,
              },
            ]}
          />
        </section>
      )}
      <section>
        <h2>
          Newest events <a href={href("/events", { provider: name })}>all</a>
        </h2>
        <NewestEvents rows={newest.data?.data} isOfOneSender empty="It has sent nothing yet." />
      </section>
      <Refusals sender={name} />
      {rotates ? (
        <KeyDialog
          title={`Rotate the key of ${name}`}
          sender={name}
          onClose={() => {
            setRotates(false);
            refresh();
          }}
        />
      ) : null}
    </>
  );
};
