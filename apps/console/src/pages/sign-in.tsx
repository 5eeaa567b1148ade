import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { go } from "../router.ts";
import { environment, isSetupDue, makeFirstAdministrator, type Outcome } from "../session.ts";
import { Button, Field } from "../ui/basics.tsx";
import { useSignInSteps } from "./sign-in-steps.ts";

interface CardProps {
  readonly title: string;
  readonly lead?: string;
  readonly fault: string;
  readonly onSubmit: () => Promise<void>;
  readonly children: ComponentChildren;
}

/** A page with one form, in the middle. */
const Card = ({ title, lead, fault, onSubmit, children }: CardProps) => {
  useEffect(() => {
    document.title = `${title} · Postern`;
  }, [title]);
  const [busy, setBusy] = useState(false);
  return (
    <main id="content" class="card" tabIndex={-1}>
      <p class="brand">
        Postern {environment.value === "" ? null : <span class="environment">{environment.value}</span>}
      </p>
      <h1>{title}</h1>
      {lead === undefined ? null : <p class="lead">{lead}</p>}
      {fault === "" ? null : (
        <p class="notice bad" role="alert">
          {fault}
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setBusy(true);
          void onSubmit().finally(() => setBusy(false));
        }}
      >
        <fieldset disabled={busy}>{children}</fieldset>
      </form>
    </main>
  );
};

export const SignIn = () => {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const { asksCode, fault, withPassword, withCode } = useSignInSteps();
  if (asksCode) {
    return (
      <Card
        title="Enter your code"
        lead="From your authenticator app, or a recovery code."
        fault={fault}
        onSubmit={() => withCode(code).finally(() => setCode(""))}
      >
        <Field label="Code" value={code} onInput={setCode} autocomplete="one-time-code" required maxLength={32} />
        <Button type="submit" kind="main">
          Sign in
        </Button>
      </Card>
    );
  }
  return (
    <Card title="Sign in" fault={fault} onSubmit={() => withPassword(email, password)}>
      <Field label="Email" type="email" value={email} onInput={setEmail} autocomplete="username" required />
      <Field
        label="Password"
        type="password"
        value={password}
        onInput={setPassword}
        autocomplete="current-password"
        required
      />
      <Button type="submit" kind="main">
        Sign in
      </Button>
      {isSetupDue.value ? (
        <p class="hint">
          There is no administrator yet. The command <code>postern setup-link</code> prints a link that makes the first
          one.
        </p>
      ) : null}
    </Card>
  );
};

/** Makes the first administrator. The secret stands in the part of the address that is never sent. */
export const Setup = ({ secret }: { readonly secret: string }) => {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [fault, setFault] = useState("");
  const make = async (): Promise<void> => {
    const fields = { secret, name, email, password };
    const outcome = await makeFirstAdministrator(fields).catch((thrown: Error): Outcome => ({ fault: thrown.message }));
    if ("done" in outcome) go("/account", { first: "1" });
    else setFault(outcome.fault ?? "");
  };
  return (
    <Card
      title="Make the first administrator"
      lead="This link works once. Everyone else is invited from the console."
      fault={fault}
      onSubmit={make}
    >
      <Field label="Name" value={name} onInput={setName} autocomplete="name" required />
      <Field label="Email" type="email" value={email} onInput={setEmail} autocomplete="username" required />
      <Field
        label="Password"
        type="password"
        hint="At least 8 characters, and none that everybody uses."
        value={password}
        onInput={setPassword}
        autocomplete="new-password"
        required
        minLength={8}
      />
      <Button type="submit" kind="main">
        Make administrator
      </Button>
    </Card>
  );
};
