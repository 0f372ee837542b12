import "./shared/base.css";
import { MantineProvider } from "@mantine/core";
import { type ComponentType, StrictMode, startTransition, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { SessionGate } from "./features/session/SessionGate.tsx";
import { AppError } from "./layout/AppError.tsx";
import { addMissingStyles, loadScreen } from "./shared/loadCode.ts";
import { colorSchemeManager, cssVariablesResolver, theme } from "./shared/theme.ts";

// Router, layout and screens load after sign-in, to keep the first page light.
const loadPanel = () => import("./layout/Panel.tsx").then((file) => file.Panel);
const preloadPanel = () => void loadPanel().catch(() => {});

function SignedIn() {
  const [loaded, setLoaded] = useState<{ Panel: ComponentType } | { failure: string }>();
  useEffect(() => {
    loadScreen(loadPanel).then(
      // In pieces, between which the browser answers.
      (Panel) => startTransition(() => setLoaded({ Panel })),
      (error: unknown) => setLoaded({ failure: error instanceof Error ? error.message : String(error) }),
    );
  }, []);
  if (!loaded) return null;
  return "Panel" in loaded ? <loaded.Panel /> : <AppError message={loaded.failure} canReload />;
}

void addMissingStyles();

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
    >
      <SessionGate onCheck={preloadPanel}>
        <SignedIn />
      </SessionGate>
    </MantineProvider>
  </StrictMode>,
);
