import type { ReactNode } from "react";
import classes from "./Emblem.module.css";

/** The letter for a customer. Taken by character, since `charAt` would cut an emoji in half. */
export const letterOf = (name: string) => (Array.from(name)[0] ?? "").toUpperCase();

/** The letters for an account, since several accounts may begin alike: SD for support.day. */
export const initialsOf = (name: string) =>
  name
    .split(/[\s._-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map(letterOf)
    .join("");

/** An icon or letter on a background: round for staff, square for customers. */
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

/** Somebody's initials in a fixed colour. Shops and the program have none. */
export function Initials({ name, isPerson }: { name: string; isPerson: boolean }) {
  const sum = [...name].reduce((all, letter) => all + (letter.codePointAt(0) ?? 0), 0);
  return (
    <span className={classes.initials} data-tone={isPerson ? tones[sum % tones.length] : undefined} aria-hidden>
      {isPerson ? initialsOf(name) : letterOf(name)}
    </span>
  );
}
