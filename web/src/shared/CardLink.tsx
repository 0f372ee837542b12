import { Link, type LinkProps } from "react-router";
import classes from "./CardLink.module.css";

/** A link that covers the whole card: the nearest element around it with a position. */
export const CardLink = (props: LinkProps) => <Link className={classes.link} {...props} />;
