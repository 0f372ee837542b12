import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link, useNavigate } from "react-router";
import { ask, type Failure } from "../ask.ts";
import { Field, focusFault } from "../parts/Field.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Pitch } from "../parts/Pitch.tsx";
import { useTitle } from "../useTitle.ts";

export function SignUpScreen() {
  useTitle("Create an account");
  const client = useQueryClient();
  const navigate = useNavigate();
  const [values, setValues] = useState({ username: "", email: "", password: "" });
  const [faults, setFaults] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState("");
  const [isBusy, setBusy] = useState(false);

  const bind = (name: keyof typeof values) => ({
    value: values[name],
    fault: faults[name],
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value }),
  });

  async function signUp(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setFaults({});
    setFailure("");
    try {
      await ask("POST /api/sign-up", { body: values });
      navigate("/", { replace: true });
      client.removeQueries({ queryKey: ["me"] });
      await client.invalidateQueries();
    } catch (error) {
      const { issues, message } = error as Failure;
      const named = Object.fromEntries((issues ?? []).map((issue) => [issue.path, issue.message]));
      setFaults(named);
      if (!Object.keys(named).some((name) => name in values)) setFailure(message);
      focusFault();
    } finally {
      setBusy(false);
    }
  }

  return (
    <main className="main">
      <div className="gate stack wide two">
        <Pitch
          title="Create an account"
          text="A person looks at every new account before it can buy. You see the prices at once."
        />
        <div className="stack wide">
          {failure && (
            <Notice tone="bad" isUrgent>
              {failure}
            </Notice>
          )}
          <form className="card stack" onSubmit={signUp} noValidate>
            <Field label="Your name or company" autoComplete="organization" {...bind("username")} />
            <Field label="E-mail" type="email" autoComplete="email" {...bind("email")} />
            <Field
              label="Password"
              type="password"
              autoComplete="new-password"
              hint="At least 8 characters"
              {...bind("password")}
            />
            <button type="submit" className="button block" disabled={isBusy}>
              {isBusy ? "Creating it …" : "Create the account"}
            </button>
            <p className="soft">
              You have one? <Link to="/">Sign in</Link>
            </p>
          </form>
        </div>
      </div>
    </main>
  );
}
