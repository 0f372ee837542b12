import type { Reply } from "@footprint/contract/endpoint.ts";
import type { session } from "@footprint/contract/session.ts";
import { createContext, useContext } from "react";

/** Who is signed in, and the business timezone in which the panel shows times. */
export type Session = Reply<typeof session.access>;

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession outside of the signed-in panel");
  return session;
}
