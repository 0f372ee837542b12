import { createContext } from "react";

/** The list beside the details of one of its rows. */
export type Beside = {
  /** Such as "6 of 31,482"; undefined if the row is not on the page. */
  place: string | undefined;
  /** Undefined if there is none. */
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
};

/** Undefined if the details have no list beside them, but are a dialog. */
export const BesideContext = createContext<Beside | undefined>(undefined);

/** The window is wide enough for details beside their list. Does not change below a dialog, which they would cover. */
export const RoomBesideContext = createContext(false);

/** How much of the window's width an element beside a table takes, in em. */
export const TakenWidth = createContext(0);

/** The largest width of the drawer, in em; base.css has it in pixels. */
export const drawerWidth = 37.5;
