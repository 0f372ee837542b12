import type { ReactNode } from "react";
import classes from "./Emblem.module.css";

/** What stands for an account or a customer. */
export const letterOf = (name: string) => name.charAt(0).toUpperCase();

/** SD, of support.day. */
const initialsOf = (name: string) =>
  name
    .split(/[\s._-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map(letterOf)
    .join("");

/** An icon or a letter on a ground: round for people who work here, a tile for customers. */
export function Emblem({ size = 40, tile = false, children }: { size?: number; tile?: boolean; children: ReactNode }) {
  const letters = size < 40 && !tile ? 12 : size > 40 ? 20 : 14;
  return (
    <span
      className={classes.emblem}
      style={{ width: size, height: size, fontSize: letters }}
      data-tile={tile || undefined}
      aria-hidden
    >
      {children}
    </span>
  );
}

const tones = ["teal", "orange", "indigo"];

/** Who did something, by their initials, in a colour that they keep. Shops and the program have none. */
export function Initials({ name, isPerson }: { name: string; isPerson: boolean }) {
  const sum = [...name].reduce((all, letter) => all + (letter.codePointAt(0) ?? 0), 0);
  return (
    <span className={classes.initials} data-tone={isPerson ? tones[sum % tones.length] : undefined} aria-hidden>
      {isPerson ? initialsOf(name) : letterOf(name)}
    </span>
  );
}
