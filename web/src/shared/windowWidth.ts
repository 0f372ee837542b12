import { useMediaQuery } from "@mantine/hooks";

/** How wide the window is at most, in em. */
const widths = {
  /** 768 px: tables become cards, and the sidebar becomes a menu. The stylesheets repeat this one. */
  phone: "47.99em",
  /** 992 px: some columns of a table move below others. */
  narrow: "61.99em",
  /** 1056 px: beside the sidebar, a table's columns move closer together. */
  tight: "66em",
  /** 1248 px: the sidebar is collapsed, unless the operator chose otherwise. */
  withoutSidebar: "78em",
};

export const useWidthUpTo = (width: keyof typeof widths) =>
  useMediaQuery(`(max-width: ${widths[width]})`, undefined, { getInitialValueInEffect: false });
