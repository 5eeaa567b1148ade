import { useState } from "preact/hooks";
import { api } from "../address.ts";
import { call } from "../api.ts";
import { route } from "../router.ts";
import { me, readMe } from "../session.ts";
import { Button, CodeBlock, Field, OwnPassword, PageHead, Tag } from "../ui/basics.tsx";

/** A second factor is set up with the password, and confirmed with its first code. */
const SecondFactor = () => {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [made, setMade] = useState<{ readonly secret: string; readonly uri: string } | undefined>();
  const [recovery, setRecovery] = useState<readonly string[] | undefined>();
  const [fault, setFault] = useState("");
  const take = async (step: Promise<void>): Promise<void> => {
    setFault("");
    await step.catch((thrown: Error) => setFault(thrown.message));
  };
  const create = async (): Promise<void> => {
    const body = password === "" ? {} : { current_password: password };
    setMade(await call("POST", api("/users/{id}/second-factor", { id: "me" }), body));
  };
  const confirm = async (): Promise<void> => {
    const { recovery_codes: codes } = await call("POST", api("/users/{id}/second-factor/confirmation", { id: "me" }), {
      code: code.trim(),
    });
    setRecovery(codes);
    // The role may take effect with it.
    await readMe();
  };
  if (recovery !== undefined) {
    return (
      <>
        <p>It is on. Keep these recovery codes: each works once, and they are not shown again.</p>
        <CodeBlock text={recovery.join("\n")} />
      </>
    );
  }
  return (
    <>
      {fault === "" ? null : (
        <p class="notice bad" role="alert">
          {fault}
        </p>
      )}
      {made === undefined ? (
        <form
          class="inline"
          onSubmit={(event) => {
            event.preventDefault();
            void take(create());
          }}
        >
          <OwnPassword email={me.value?.email ?? ""} value={password} onInput={setPassword} />
          <Button type="submit" kind="main">
            Set up
          </Button>
        </form>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void take(confirm());
          }}
        >
          <p>
            <a href={made.uri}>Open your authenticator app</a>, or type this secret into it:
          </p>
          <CodeBlock text={made.secret.replace(/(.{4})(?=.)/g, "$1 ")} />
          <Field label="The code that it shows" value={code} onInput={setCode} autocomplete="one-time-code" required />
          <Button type="submit" kind="main">
            Confirm
          </Button>
        </form>
      )}
    </>
  );
};

export const Account = () => {
  const { name = "", email = "", role = "", second_factor_at: factor = null } = me.value ?? {};
  const isFirst = route.value.query.has("first");
  return (
    <>
      <PageHead title={isFirst ? "Welcome" : "Account"} lead={`${name}, ${email}`} />
      {isFirst ? (
        <p class="notice">You are the first administrator. A second factor keeps others out who learn your password.</p>
      ) : null}
      <section>
        <dl class="pairs">
          <dt>Role</dt>
          <dd>{role}</dd>
          <dt>Second factor</dt>
          <dd>{factor === null ? <Tag state="off">off</Tag> : <Tag state="ok">on</Tag>}</dd>
        </dl>
      </section>
      {factor === null ? (
        <section class="aside-form">
          <h2>Set up a second factor</h2>
          <SecondFactor />
        </section>
      ) : null}
    </>
  );
};
