/** The addresses of one database, of which one takes changes at a time. */
export type Hosts = {
  amount: number;
  /** Where it was found last, or is looked for next, as a URL with that host alone. */
  current(): string;
  /** Nothing can be done at this one: the next is tried. */
  leave(url: string): void;
};

/** Scheme and account, the hosts, and the rest of a URL that may name several. */
const severalHosts = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;

/** `postgres://user:password@first:5432,second:5432/database`, as one URL for each host. */
export function urlsOf(databaseUrl: string): string[] {
  const [, account = "", hosts = "", rest = ""] = severalHosts.exec(databaseUrl) ?? [];
  // Changes are always asked for: `target_session_attrs=read-write` says what is so anyway.
  const parameters = rest.replace(/([?&])target_session_attrs=[^&]*&?/, "$1").replace(/[?&]$/, "");
  return hosts.split(",").map((host) => account + host + parameters);
}

/** The same place, and another database there. Without a name, an address means the one that is called like its account. */
export function withDatabase(databaseUrl: string, name: string): string {
  const [, account = "", hosts = "", rest = ""] = severalHosts.exec(databaseUrl) ?? [];
  return `${account}${hosts}/${name}${rest.replace(/^\/[^?#]*/, "")}`;
}

/** All who look for the database share what one of them has found. */
export function hostsOf(databaseUrl: string): Hosts {
  const urls = urlsOf(databaseUrl);
  let place = 0;
  const current = () => urls[place] as string;
  return {
    amount: urls.length,
    current,
    leave(url) {
      // Of many who fail at once, one moves on.
      if (url === current()) place = (place + 1) % urls.length;
    },
  };
}
