import { Anchor } from "@mantine/core";
import { Link } from "react-router";

/** The page that explains a customer's balance. */
export const balancePath = (id: string) => `/users/${id}?tab=balance`;

/** A customer's name as a link to their page. */
export function CustomerLink({
  user,
  inList = true,
}: {
  user: { _id: string; username: string };
  /** Not coloured, for lists in which every row has one. */
  inList?: boolean;
}) {
  return (
    <Anchor component={Link} to={balancePath(user._id)} {...(inList && { c: "inherit" })} fz="inherit" fw={600}>
      {user.username}
    </Anchor>
  );
}
