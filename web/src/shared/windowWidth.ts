import { useMediaQuery } from "@mantine/hooks";

/** How wide the window is at most, in em. */
const widths = {
  /** 768 px: tables become cards, and the sidebar a menu. The stylesheets say this one again. */
  phone: "47.99em",
  /** 992 px: some columns of a table stand below others. */
  narrow: "61.99em",
  /** 1056 px: beside the sidebar, a table's columns move closer together. */
  tight: "66em",
  /** 1248 px: until someone chooses, the sidebar is collapsed and leaves its room to the table. */
  withoutSidebar: "78em",
};

export const useWidthUpTo = (width: keyof typeof widths) =>
  useMediaQuery(`(max-width: ${widths[width]})`, undefined, { getInitialValueInEffect: false });
