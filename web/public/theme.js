// Runs before the first paint, so that a dark panel never flashes white. The key is the one in src/shared/theme.ts.
(() => {
  let scheme = "auto";
  try {
    scheme = localStorage.getItem("footprint-theme") || "auto";
  } catch {
    // Storage can be blocked: then the system decides.
  }
  if (scheme !== "light" && scheme !== "dark") {
    scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }
  document.documentElement.setAttribute("data-mantine-color-scheme", scheme);
})();
