import { Anchor } from "@mantine/core";
import { Link } from "react-router";
import classes from "./IdLink.module.css";
import { shortened } from "./ShortId.tsx";

/** The shortened id of a record, as a link or a button that opens it. */
export function IdLink({
  value,
  ...target
}: { value: string } & ({ to: string; onClick?: never } | { to?: never; onClick: () => void })) {
  const look = { className: classes.id, title: value, children: shortened(value) };
  return target.to === undefined ? (
    <Anchor component="button" {...look} onClick={target.onClick} />
  ) : (
    <Anchor component={Link} {...look} to={target.to} />
  );
}
