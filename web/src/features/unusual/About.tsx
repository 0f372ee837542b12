import type { UnusualEvent } from "@footprint/contract/unusual.ts";
import { Anchor } from "@mantine/core";
import { Link } from "react-router";
import { CustomerLink } from "../../shared/CustomerLink.tsx";

/** Whom or what an event is about: a customer, an account, an address, a price. */
export function About({ event, inList = true }: { event: UnusualEvent; inList?: boolean }) {
  const { rule, user, account, name } = event;
  if (rule === "address" || rule === "prices") return name;
  if (user) return <CustomerLink user={user} inList={inList} />;
  if (!account) return name;
  return (
    <Anchor component={Link} to={`/staff?view=${account._id}`} {...(inList && { c: "inherit" })} fz="inherit" fw={600}>
      {account.username}
    </Anchor>
  );
}
