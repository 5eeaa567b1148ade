import { useState } from "preact/hooks";
import { finishSignIn, type Outcome, signIn } from "../session.ts";

/** The steps of a sign-in: the password, then a code if the account has a second factor. */
export const useSignInSteps = () => {
  const [challenge, setChallenge] = useState("");
  const [fault, setFault] = useState("");
  const take = async (step: Promise<Outcome>): Promise<void> => {
    const outcome = await step.catch((thrown: Error): Outcome => ({ fault: thrown.message }));
    if ("done" in outcome) return;
    setChallenge(outcome.challenge ?? "");
    setFault(outcome.fault ?? "");
  };
  return {
    asksCode: challenge !== "",
    fault,
    withPassword: (email: string, password: string) => take(signIn(email, password)),
    withCode: (code: string) => take(finishSignIn(challenge, code)),
  };
};
