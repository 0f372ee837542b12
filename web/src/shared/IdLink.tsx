import { Anchor } from "@mantine/core";
import { Link } from "react-router";
import classes from "./IdLink.module.css";
import { shortened } from "./ShortId.tsx";

/** The shortened id of a record, which leads to it. */
export function IdLink({ value, to }: { value: string; to: string }) {
  return (
    <Anchor component={Link} to={to} className={classes.id} title={value}>
      {shortened(value)}
    </Anchor>
  );
}
