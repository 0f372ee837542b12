import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { Notice } from "../shared/Notice.tsx";

/** Shown when nothing else can be. */
export function AppError({ message, canReload }: { message: string; canReload: boolean }) {
  useDocumentTitle("Error · Footprint");
  return (
    <Notice title="Unexpected Application Error!" hint={message} heading role="alert">
      <Button variant="default" component="a" href="/">
        Go to the start page
      </Button>
      {canReload && <Button onClick={() => window.location.reload()}>Reload</Button>}
    </Notice>
  );
}
