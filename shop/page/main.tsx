import "./styles/theme.css";
import "./styles/parts.css";
import "./styles/frame.css";
import "./styles/screens.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BrowserRouter } from "react-router";
import { App } from "./App.tsx";
import { Failure } from "./ask.ts";

const client = new QueryClient({
  defaultOptions: {
    queries: { retry: false, refetchOnWindowFocus: false, staleTime: 60_000 },
  },
});
// Signed out elsewhere, or after too long: back to the sign-in.
client.getQueryCache().subscribe(({ query, type }) => {
  const { error } = query.state;
  if (type === "updated" && error instanceof Failure && error.code === "signed-out" && query.queryKey[0] !== "shop")
    client.invalidateQueries({ queryKey: ["shop"] });
});

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <BrowserRouter>
        <App />
      </BrowserRouter>
    </QueryClientProvider>
  </StrictMode>,
);
