/** What a tab of an account has open; null once it is closed. The session is the hash of its token. */
export type Opening = { account: string; username: string; session: string; tab: string; open: string | null };

/** A tab reports every ten seconds what it has open; after this much silence it is taken as closed. */
const gone = 25_000;
/** Most tabs of an account, so that nobody fills the memory. */
const mostTabs = 40;

type Tabs = Map<string, Opening & { until: number }>;

/** Who has what open, on all servers. `onChange` gets the id, and the accounts to tell. */
export function makePresence(onChange: (id: string, readers: string[]) => void) {
  const accounts = new Map<string, Tabs>();
  const all = () => [...accounts.values()].flatMap((tabs) => [...tabs.values()]);
  const readersOf = (id: string) => new Set(all().flatMap(({ open, account }) => (open === id ? [account] : [])));

  /** Tells the other readers if an account was added or removed. */
  function change(id: string, account: string, make: () => void) {
    const before = readersOf(id).has(account);
    make();
    const readers = [...readersOf(id)];
    // The account itself is told too if others were there already, since the server that it asked may not have known.
    if (readers.includes(account) !== before)
      onChange(id, readers.length > 1 ? readers : readers.filter((reader) => reader !== account));
  }

  function close(tabs: Tabs, { account, tab, open }: Opening) {
    if (open) change(open, account, () => tabs.delete(tab));
    if (tabs.size === 0) accounts.delete(account);
  }

  function closeIf(isOver: (opening: Opening & { until: number }) => boolean) {
    for (const opening of all()) if (isOver(opening)) close(accounts.get(opening.account) ?? new Map(), opening);
  }

  return {
    note(opening: Opening) {
      const { account, tab, open } = opening;
      const tabs: Tabs = accounts.get(account) ?? new Map();
      const before = tabs.get(tab);
      if (before && before.open !== open) close(tabs, before);
      if (!open) return;
      accounts.set(account, tabs);
      const [oldest] = tabs.values();
      if (oldest && !tabs.has(tab) && tabs.size >= mostTabs) close(tabs, oldest);
      change(open, account, () => {
        tabs.delete(tab);
        tabs.set(tab, { ...opening, until: performance.now() + gone });
      });
    },

    others(id: string, account: string) {
      const now = performance.now();
      const found = all().filter(
        (opening) => opening.open === id && opening.account !== account && opening.until > now,
      );
      return [...new Map(found.map((opening) => [opening.account, opening.username]))]
        .map(([_id, username]) => ({ _id, username }))
        .sort((one, other) => one.username.localeCompare(other.username));
    },

    /** Forgets tabs that have been silent for too long. */
    tidy() {
      const now = performance.now();
      closeIf(({ until }) => until < now);
    },

    /** The sessions of these accounts that have something open. */
    sessionsOf: (some: ReadonlySet<string>) => [
      ...new Set(all().flatMap(({ account, session }) => (some.has(account) ? session : []))),
    ],

    /** Forgets what ended sessions had open. */
    endSessions: (ended: ReadonlySet<string>) => closeIf(({ session }) => ended.has(session)),
  };
}
