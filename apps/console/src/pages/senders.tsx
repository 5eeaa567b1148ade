import { useState } from "preact/hooks";
import { api, type RowOf } from "../address.ts";
import { call, useLive } from "../api.ts";
import { span } from "../format.ts";
import { serverAddress } from "../root.ts";
import { go, href } from "../router.ts";
import { may } from "../session.ts";
import { EndButton } from "../ui/asking.tsx";
import {
  Button,
  CodeBlock,
  DialogWithForm,
  Empty,
  Fault,
  Field,
  NameOfPassword,
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

interface KeyDialogProps {
  readonly title: string;
  readonly sender?: string;
  readonly onClose: () => void;
}

/** Adds a sender, or gives one its next key. */
const KeyDialog = ({ title, sender, onClose }: KeyDialogProps) => {
  const [name, setName] = useState("");
  const [scheme, setScheme] = useState("");
  const [key, setKey] = useState("");
  const [overlap, setOverlap] = useState("86400");
  const save = async (): Promise<void> => {
    if (sender === undefined) {
      const optional = Object.entries({ scheme, key }).filter(([, value]) => value !== "");
      await call("POST", api("/admin/providers"), { name, ...Object.fromEntries(optional) });
      notify(`${name} can send now.`);
      onClose();
      go(`/senders/${name}`);
      return;
    }
    const body = { key, overlap_seconds: Number(overlap) };
    await call("POST", api("/admin/providers/{name}/keys", { name: sender }), body);
    notify("Both keys are taken until the overlap is over.");
    onClose();
  };
  return (
    <DialogWithForm title={title} verb={sender === undefined ? "Add" : "Rotate"} send={save} onClose={onClose}>
      {sender === undefined ? (
        <>
          <Field
            label="Name"
            hint="Such as stripe; it stands in the URL."
            value={name}
            onInput={setName}
            required
            maxLength={64}
          />
          <Field
            label="Scheme"
            hint="How it signs, if its name does not say so."
            value={scheme}
            onInput={setScheme}
            maxLength={64}
          />
        </>
      ) : null}
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
          label="The old key stays good for"
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

export const Senders = () => {
  const [adds, setAdds] = useState(false);
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
      <Paged path={api("/admin/providers", { limit: 100 })}>
        {(rows) => (
          <Table
            caption="Senders"
            rows={rows}
            keyOf={({ name }) => name}
            hrefOf={({ name }) => href(`/senders/${name}`)}
            empty={<Empty title="No sender is set up yet." />}
            columns={[
              { head: "Name", cell: ({ name }) => name },
              { head: "Scheme", cell: ({ title }) => title, isLong: true },
              { head: "From", cell: ({ source }) => source, isMinor: true },
              {
                head: "Good keys",
                cell: ({ keys, source }) =>
                  source === "configuration" && keys.length === 0
                    ? "–"
                    : keys.filter(({ state }) => state === "good").length,
                isNumber: true,
              },
            ]}
          />
        )}
      </Paged>
      {adds ? <KeyDialog title="Add a sender" onClose={() => setAdds(false)} /> : null}
    </>
  );
};

export const SenderPage = ({ name }: { readonly name: string }) => {
  const { data: sender, fault, refresh } = useLive(api("/admin/providers/{name}", { name }));
  const newest = useLive(api("/admin/events", { "filter[provider]": name, limit: 5 }), 5_000);
  const [rotates, setRotates] = useState(false);
  if (sender === undefined) return <Fault fault={fault} />;
  const url = urlOf(sender.path);
  return (
    <>
      <PageHead
        title={sender.name}
        back={[href("/senders"), "Senders"]}
        lead={`${sender.title}, ${sender.source === "configuration" ? "from the configuration" : "added at run time"}`}
        actions={
          may("providers:write") && sender.source === "stored" ? (
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
      {sender.keys.length === 0 ? null : (
        <section>
          <h2>Keys</h2>
          <Table
            caption="Keys"
            rows={sender.keys}
            keyOf={({ id }) => id}
            columns={[
              { head: "Key", cell: ({ id, key_id: keyId }) => <code>{keyId ?? id.slice(0, 8)}</code> },
              { head: "State", cell: ({ state }) => <Tag state={state} /> },
              {
                head: "Good from",
                cell: ({ not_before: at }) => <Time at={at} whole />,
                isNumber: true,
                isMinor: true,
              },
              { head: "Until", cell: ({ not_after: at }) => <Time at={at} whole />, isNumber: true },
              {
                head: "",
                isNumber: true,
                cell: ({ id, state }) =>
                  may("providers:write") && sender.source === "stored" && state !== "ended" ? (
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
