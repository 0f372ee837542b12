import { type NoticeKind, noticeKinds, urgentKinds } from "@footprint/contract/notices.ts";
import type { Chat, Config } from "../config.ts";
import { kinds } from "../notices/kinds.ts";
import { type NoticeRow, titleOf } from "../notices/notices.ts";
import { providerOf } from "./providers.ts";

/** The panel's address, as far as the configuration tells. */
export const panelAddress = ({ panelOrigins, apiHost, port }: Config) =>
  panelOrigins[0] ?? apiHost ?? `http://localhost:${port}`;

const inOrder = [...noticeKinds].sort((one, other) => rank(one) - rank(other));
function rank(kind: NoticeKind): number {
  return urgentKinds.includes(kind) ? 0 : 1;
}

/** How many of a kind are told one by one; fewer if the text gets too long for the provider. */
const some = [3, 1, 0];

/** The text of a message about these notices, newest first: for each kind the number, the newest ones, and a link. */
export function textOf(chat: Chat, panel: string, rows: NoticeRow[]): string {
  const { harmless, longest } = providerOf(chat);
  const texts = some.map((few) =>
    inOrder
      .map((name) => ({ name, own: rows.filter(({ kind }) => kind === name) }))
      .filter(({ own }) => own.length > 0)
      .map(({ name, own }) => {
        const { text, act, to, all } = kinds[name];
        const title = titleOf(name, own.length);
        const [first] = own;
        if (first && own.length === 1)
          return `${title}: ${text(first.data, harmless)}\n${act}: ${panel}${to(first.data)}`;
        const told = own.slice(0, few).map(({ data }) => `• ${text(data, harmless)}\n`);
        const others = few > 0 && own.length > few ? "• and more\n" : "";
        return `${title}\n${told.join("")}${others}${act}: ${panel}${all}`;
      })
      .join("\n\n"),
  );
  return texts.find((text) => text.length <= longest) ?? (texts.at(-1) ?? "").slice(0, longest);
}
