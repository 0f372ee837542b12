import { createContext } from "react";

/** The list beside which a row's details are shown. */
export type Beside = {
  /** Such as "6 of 31,482"; undefined where the row is not on the page. */
  place: string | undefined;
  /** Undefined where there is none. */
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
};

/** Undefined where details have no list beside them: they are a dialog then. */
export const BesideContext = createContext<Beside | undefined>(undefined);

/** How much of the window something beside a table takes, in em. */
export const TakenWidth = createContext(0);

/** The widest that the drawer of details gets, in em; base.css has it in pixels. */
export const drawerWidth = 37.5;
