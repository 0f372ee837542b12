/** The addresses of one database. Only one of them takes changes at a time. */
export type Hosts = {
  amount: number;
  /** The URL, with one host, where the database was found last or is tried next. */
  current(): string;
  /** Says that this one is of no use, so that the next is tried. */
  leave(url: string): void;
};

/** Scheme and account, the hosts, and the rest of a URL that may name several. */
const severalHosts = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;

/** `postgres://user:password@first:5432,second:5432/database`, as one URL for each host. */
export function urlsOf(databaseUrl: string): string[] {
  const [, account = "", hosts = "", rest = ""] = severalHosts.exec(databaseUrl) ?? [];
  // A host that takes changes is wanted anyway, whatever `target_session_attrs` says.
  const parameters = rest.replace(/([?&])target_session_attrs=[^&]*&?/, "$1").replace(/[?&]$/, "");
  return hosts.split(",").map((host) => account + host + parameters);
}

/** The same URL with another database. A URL may have no name, which means the database named like its account. */
export function withDatabase(databaseUrl: string, name: string): string {
  const [, account = "", hosts = "", rest = ""] = severalHosts.exec(databaseUrl) ?? [];
  return `${account}${hosts}/${name}${rest.replace(/^\/[^?#]*/, "")}`;
}

/** Shared by everything that connects to the database, so that one finds the right host for all. */
export function hostsOf(databaseUrl: string): Hosts {
  const urls = urlsOf(databaseUrl);
  let place = 0;
  const current = () => urls[place] as string;
  return {
    amount: urls.length,
    current,
    leave(url) {
      // If many connections fail at once, only the first moves on.
      if (url === current()) place = (place + 1) % urls.length;
    },
  };
}
