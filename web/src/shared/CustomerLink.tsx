import { Anchor } from "@mantine/core";
import { Link } from "react-router";

/** Where a customer's balance is explained. */
export const balancePath = (id: string) => `/users/${id}?tab=balance`;

/** A customer's name: it leads to their page. */
export function CustomerLink({
  user,
  inList = true,
}: {
  user: { _id: string; username: string };
  /** Where every row has one, they are not coloured. */
  inList?: boolean;
}) {
  return (
    <Anchor component={Link} to={balancePath(user._id)} {...(inList && { c: "inherit" })} fz="inherit" fw={600}>
      {user.username}
    </Anchor>
  );
}
