import { Link, type LinkProps } from "react-router";
import classes from "./CardLink.module.css";

/** A figure's link, which the whole card follows: the nearest element around it that has a position. */
export const CardLink = (props: LinkProps) => <Link className={classes.link} {...props} />;
