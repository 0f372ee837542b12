import { type CSSVariablesResolver, createTheme, localStorageColorSchemeManager } from "@mantine/core";

/** public/theme.js reads the same key before the first paint. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: "footprint-theme" });

export const theme = createTheme({
  primaryColor: "indigo",
  // The shades on which white text passes WCAG AA.
  primaryShade: { light: 7, dark: 8 },
  fontFamily: '"Inter Variable", "Inter Fallback", system-ui, sans-serif',
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  headings: { fontWeight: "650" },
  colors: {
    dark: [
      "#e4e6ed",
      "#bfc3cf",
      "#a3a8b8",
      "#868c9e",
      "#3b4150",
      "#2f3440",
      "#272b36",
      "#1c2029",
      "#15181f",
      "#0f1116",
    ],
  },
  components: {
    // Nearly every field is required, so an asterisk at each would say nothing.
    InputWrapper: { defaultProps: { withAsterisk: false } },
    TextInput: { defaultProps: { autoComplete: "off" } },
    Skeleton: { defaultProps: { "aria-busy": true } },
    // Its name must not contain the name of its field, or a search for "Passcode" finds two controls.
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { "aria-label": "Show or hide what is typed", tabIndex: 0 } },
    },
    // On a phone a dialog needs the whole height. The page is kept from scrolling by useLockedPage.
    ModalRoot: {
      defaultProps: { yOffset: "clamp(16px, 100vw - 480px, 8dvh)", removeScrollProps: { removeScrollBar: false } },
    },
    DrawerRoot: { defaultProps: { removeScrollProps: { removeScrollBar: false } } },
    // Inside the main landmark, because screen readers that move by landmarks miss elements appended to the body.
    Tooltip: {
      defaultProps: {
        openDelay: 250,
        events: { hover: true, focus: true, touch: true },
        transitionProps: { duration: 100 },
        portalProps: { target: "#content" },
      },
    },
    Menu: {
      defaultProps: { transitionProps: { duration: 100 }, withinPortal: false, withInitialFocusPlaceholder: false },
    },
  },
});

/** Mantine's own dimmed, placeholder, error, badge and hover colours are too faint for WCAG AA. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-text": "#14161c",
    "--mantine-color-dimmed": "#5c6370",
    "--mantine-color-placeholder": "#6b7280",
    "--mantine-color-error": "#c92a2a",
    "--mantine-color-default-border": "#d9dce3",
    "--mantine-color-teal-light-color": "#066649",
    "--mantine-color-green-light-color": "#1e6b2f",
    "--mantine-color-orange-light-color": "#9c3a06",
    "--mantine-color-red-light-color": "#b42525",
    "--mantine-color-indigo-light-hover": "#cad5ff",
    "--mantine-color-red-light-hover": "#ffd0d0",
    "--footprint-page": "#f6f7fb",
    "--footprint-surface": "#ffffff",
    "--footprint-line": "#e3e6ec",
    "--footprint-hover": "#f6f7fb",
    "--footprint-selected": "#edf2ff",
  },
  dark: {
    "--mantine-color-dimmed": "#a3a8b8",
    "--mantine-color-placeholder": "#949aab",
    "--mantine-color-error": "#ff9090",
    "--mantine-color-anchor": "#91a7ff",
    "--mantine-color-indigo-light-color": "#bac8ff",
    "--mantine-color-teal-light-color": "#96f2d7",
    "--mantine-color-green-light-color": "#b2f2bb",
    "--mantine-color-orange-light-color": "#ffc078",
    "--mantine-color-red-light-color": "#ffa8a8",
    "--mantine-color-gray-light": "#2f3440",
    "--mantine-color-gray-light-hover": "#3b4150",
    "--mantine-color-gray-light-color": "#e4e6ed",
    "--footprint-page": "#15181f",
    "--footprint-surface": "#1c2029",
    "--footprint-line": "#2f3440",
    "--footprint-hover": "#232833",
    "--footprint-selected": "#222b4b",
  },
});
