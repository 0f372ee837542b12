import { IconChevronRight } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link } from "react-router";
import type { DemoCustomer } from "../../server/config.ts";
import { ask } from "../ask.ts";
import { Field } from "../parts/Field.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Pitch } from "../parts/Pitch.tsx";
import { useTitle } from "../useTitle.ts";

export function SignInScreen({ demoCustomers }: { demoCustomers: DemoCustomer[] }) {
  useTitle("Sign in");
  const client = useQueryClient();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [fault, setFault] = useState("");
  const [isBusy, setBusy] = useState(false);

  async function enter(work: () => Promise<unknown>) {
    setBusy(true);
    setFault("");
    try {
      await work();
      client.removeQueries({ queryKey: ["me"] });
      await client.invalidateQueries();
    } catch (error) {
      setFault((error as Error).message);
    } finally {
      setBusy(false);
    }
  }
  const signIn = (event: FormEvent) => {
    event.preventDefault();
    void enter(() => ask("POST /api/sign-in", { body: { email, password } }));
  };

  return (
    <main className="main">
      <div className="gate stack wide two">
        <Pitch
          title="Shipping labels, simply"
          text="Prepaid balance, your own prices, every label and refund in one place."
        />
        <div className="stack wide">
          {fault && (
            <Notice tone="bad" isUrgent>
              {fault}
            </Notice>
          )}

          {demoCustomers.length > 0 && (
            <section className="stack" aria-labelledby="demo">
              <h2 id="demo">Look around as</h2>
              <ul className="list">
                {demoCustomers.map(({ discordId, username }) => (
                  <li key={discordId}>
                    <button
                      type="button"
                      className="item"
                      disabled={isBusy}
                      onClick={() => enter(() => ask("POST /api/sign-in/demo", { body: { discordId } }))}
                    >
                      <strong>{username}</strong>
                      <IconChevronRight size={18} aria-hidden />
                    </button>
                  </li>
                ))}
              </ul>
              <p className="soft small">Customers of the demo business, without a password.</p>
            </section>
          )}

          <form className="card stack" onSubmit={signIn}>
            <h2>Sign in</h2>
            <Field
              label="E-mail"
              type="email"
              autoComplete="username"
              required
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
            <Field
              label="Password"
              type="password"
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
            <button type="submit" className="button block" disabled={isBusy}>
              {isBusy ? "Signing in …" : "Sign in"}
            </button>
            <p className="soft">
              New here? <Link to="/sign-up">Create an account</Link>
            </p>
          </form>
        </div>
      </div>
    </main>
  );
}
