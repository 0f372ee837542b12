import type { Customer } from "@footprint/client";
import { IconHome, IconListDetails, IconLogout, IconPackage, IconTag, IconWallet } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link, Outlet, useLocation } from "react-router";
import type { Standing } from "../server/footprint.ts";
import { ask, type Failure } from "./ask.ts";
import { useMe } from "./data.ts";
import { useLive } from "./live.ts";
import { Logo } from "./parts/Logo.tsx";
import { Notice } from "./parts/Notice.tsx";
import { Closed } from "./screens/Closed.tsx";
import { dollars } from "./words.ts";

const sections = [
  { path: "/", name: "Home", Icon: IconHome },
  { path: "/ship", name: "Ship", Icon: IconPackage },
  { path: "/orders", name: "Orders", Icon: IconListDetails },
  { path: "/prices", name: "Prices", Icon: IconTag },
  { path: "/balance", name: "Balance", Icon: IconWallet },
];

/** The frame of every screen for signed-in customers. */
export function Frame() {
  const me = useMe();
  const live = useLive();
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  const customer = me.data?.customer;
  const welcome = useWelcome(customer);

  // Keyboard and screen-reader users continue at the new screen.
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [pathname]);

  if (!customer) {
    const code = (me.error as Failure | null)?.code;
    if (code === "unreachable" || code === "no-key" || code === "key-refused" || code === "offline")
      return <Closed standing={code} />;
    if (me.error) return <Closed standing="unreachable" />;
    return <div className="frame" aria-busy="true" />;
  }

  return (
    <div className="frame">
      <header className="head">
        <a className="button skip" href="#main">
          Skip to the content
        </a>
        <div className="head-inside">
          <Link className="brand" to="/" aria-label="Larkpost, home">
            <Logo />
            Larkpost
          </Link>
          <nav className="nav" aria-label="Main">
            {sections.map(({ path, name, Icon }) => (
              <Link
                key={path}
                to={path}
                aria-current={(path === "/" ? pathname === "/" : pathname.startsWith(path)) ? "page" : undefined}
              >
                <Icon size={22} stroke={1.75} aria-hidden />
                {name}
              </Link>
            ))}
          </nav>
          <div className="end">
            <Link className="purse figure" to="/balance" aria-label={`Balance ${dollars(customer.balance)}`}>
              {dollars(customer.balance)}
            </Link>
            <Who customer={customer} />
          </div>
        </div>
      </header>
      <main className="main" id="main" ref={main} tabIndex={-1}>
        <div className="stack wide">
          <Standings standing={live} />
          <AccountState customer={customer} />
          {/* If somebody else signs in, the whole form is discarded. */}
          <Outlet key={customer.discordId} context={customer} />
        </div>
      </main>
      <footer className="foot">
        Larkpost is the example shop of Footprint. What is bought here is as real as the business behind it.
      </footer>
      <div className="toasts" role="status">
        {welcome && <div className="toast">{welcome}</div>}
      </div>
    </div>
  );
}

/** Shown for a few seconds when staff verify a customer. */
function useWelcome(customer: Customer | undefined): string | undefined {
  const before = useRef(customer);
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    if (before.current && customer?.isVerified && !before.current.isVerified) setSaid("You are verified. Welcome!");
    before.current = customer;
  }, [customer]);
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(undefined), 8_000);
    return () => clearTimeout(timer);
  }, [said]);
  return said;
}

const cut: Record<Exclude<Standing, "ready"> | "offline", string> = {
  offline: "You are not connected to the shop. What you see may be old; it goes on by itself.",
  unreachable: "The shop cannot reach its back office. What you see may be old; it goes on by itself.",
  "no-key": "This shop has lost the key to its back office. Nothing can be bought until that is mended.",
  "key-refused": "The back office does not accept this shop's key. Nothing can be bought until that is mended.",
};

const Standings = ({ standing }: { standing: Standing | "offline" }) =>
  standing === "ready" ? null : (
    <Notice tone="late" isUrgent>
      {cut[standing]}
    </Notice>
  );

function AccountState({ customer }: { customer: Customer }) {
  if (!customer.status)
    return (
      <Notice tone="bad" title="Your account is disabled">
        You can look at everything that is yours, but nothing can be bought. Please write to us.
      </Notice>
    );
  if (!customer.isVerified)
    return (
      <Notice tone="late" title="We are verifying your account">
        A person looks at every new account, mostly within the day. You can look at prices and top up meanwhile; buying
        opens on this page by itself.
      </Notice>
    );
  return null;
}

/** The customer's name, and signing out. */
function Who({ customer }: { customer: Customer }) {
  const [isOpen, setOpen] = useState(false);
  const client = useQueryClient();
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (!isOpen) return;
    const onPress = (event: Event) => {
      if (!place.current?.contains(event.target as Node)) setOpen(false);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      setOpen(false);
      button.current?.focus();
    };
    document.addEventListener("pointerdown", onPress);
    document.addEventListener("focusin", onPress);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("pointerdown", onPress);
      document.removeEventListener("focusin", onPress);
      document.removeEventListener("keydown", onKey);
    };
  }, [isOpen]);

  async function signOut() {
    await ask("POST /api/sign-out");
    // The next user of this browser must not see it.
    sessionStorage.clear();
    client.clear();
    window.location.assign("/");
  }

  return (
    <div className="who" ref={place}>
      <button
        type="button"
        ref={button}
        aria-expanded={isOpen}
        aria-label={`Account of ${customer.username}`}
        onClick={() => setOpen(!isOpen)}
      >
        <span>{customer.username.slice(0, 1).toUpperCase()}</span>
      </button>
      {isOpen && (
        <div className="who-menu">
          <div>
            <strong>{customer.username}</strong>
            {customer.email && <div className="soft small">{customer.email}</div>}
          </div>
          <button type="button" className="button bare" onClick={signOut}>
            <IconLogout size={18} aria-hidden />
            Sign out
          </button>
        </div>
      )}
    </div>
  );
}
