import { IconKeyOff, IconPlugConnectedX } from "@tabler/icons-react";
import type { Standing } from "../../server/footprint.ts";
import { Logo } from "../parts/Logo.tsx";
import { useTitle } from "../useTitle.ts";

const words = {
  ready: ["One moment", "We are opening."],
  offline: [
    "The shop does not answer",
    "It may be starting, or you are not connected. This page tries again by itself.",
  ],
  unreachable: [
    "We will be right back",
    "The shop cannot reach its back office right now. It opens by itself as soon as it can: there is nothing you need to do.",
  ],
  "no-key": ["This shop is not set up yet", "It has no key to its back office."],
  "key-refused": ["This shop is closed", "Its back office does not accept the shop's key."],
} as const satisfies Record<Standing | "offline", readonly [string, string]>;

/** For the operator of this shop: what has to be done. */
const forOperator: Partial<Record<Standing | "offline", string>> = {
  unreachable:
    "Start Footprint with npm start. It is looked for at FOOTPRINT_URL, which is http://localhost:7400 unless it is set.",
  "no-key":
    "Make an API key on the Website screen of the panel and start the shop with FOOTPRINT_KEY, or start Footprint with its demo business, whose key is found by itself.",
  "key-refused":
    "The key was deleted, has expired, may not be used from here, or lacks a scope. Make another one on the Website screen of the panel.",
};

/** Shown instead of the shop if there is nothing to show. */
export function Closed({ standing }: { standing: Standing | "offline" }) {
  const [title, text] = words[standing];
  useTitle(title);
  const Icon = /key/.test(standing) ? IconKeyOff : IconPlugConnectedX;
  return (
    <main className="main">
      <div className="gate stack wide">
        <span className="brand">
          <Logo />
          Larkpost
        </span>
        <div className="card stack" role="status">
          <Icon size={32} stroke={1.5} className="soft" aria-hidden />
          <h1>{title}</h1>
          <p>{text}</p>
          {forOperator[standing] && (
            <details>
              <summary>Do you run this shop?</summary>
              <p className="soft small">{forOperator[standing]}</p>
            </details>
          )}
        </div>
      </div>
    </main>
  );
}
