import { Anchor, Text } from "@mantine/core";
import { Link } from "react-router";
import classes from "./CustomerLink.module.css";

// Mantine's look without its components, since lists have one in every row.
const look = `mantine-focus-auto ${Text.classes.root} ${Anchor.classes.root} ${classes.link}`;

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
    <Link to={balancePath(user._id)} className={look} data-underline="hover" data-plain={inList || undefined}>
      {user.username}
    </Link>
  );
}
