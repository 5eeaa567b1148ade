import { useState } from "preact/hooks";
import { me, signOut } from "../session.ts";
import { Button, Dialog, Field } from "../ui/basics.tsx";
import { useSignInSteps } from "./sign-in-steps.ts";

/** Says that the session has ended, over the page, and takes up the work again where it was. */
export const SessionEnded = () => {
  const [email, setEmail] = useState(me.value?.email ?? "");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const { asksCode, fault, withPassword, withCode } = useSignInSteps();
  return (
    <Dialog title="Your session has ended" stays onClose={() => undefined}>
      <p>Sign in again to go on. What you have typed is still there.</p>
      {fault === "" ? null : (
        <p class="notice bad" role="alert">
          {fault}
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void (asksCode ? withCode(code).finally(() => setCode("")) : withPassword(email, password));
        }}
      >
        {asksCode ? (
          <Field
            label="Code"
            hint="From your authenticator app, or a recovery code."
            value={code}
            onInput={setCode}
            autocomplete="one-time-code"
            required
            maxLength={32}
          />
        ) : (
          <>
            <Field label="Email" type="email" value={email} onInput={setEmail} autocomplete="username" required />
            <Field
              label="Password"
              type="password"
              value={password}
              onInput={setPassword}
              autocomplete="current-password"
              required
            />
          </>
        )}
        <div class="actions">
          <Button type="submit" kind="main">
            Sign in
          </Button>
          <Button onPress={signOut}>Leave</Button>
        </div>
      </form>
    </Dialog>
  );
};
