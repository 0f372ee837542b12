import { Button } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useDialog } from "./dialogs.tsx";
import { lazyPart } from "./lazyPart.tsx";
import { useSession } from "./session.ts";

const History = lazyPart(() => import("./History.tsx").then((file) => file.History));

/** Beside things that can be edited: shows administrators who changed them, and how. */
export function HistoryButton({ of, subject }: { of: string; subject: string }) {
  const open = useDialog();
  const { role } = useSession();
  if (role !== "admin") return null;
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      leftSection={<IconHistory size={14} aria-hidden />}
      aria-label={`History of ${of}`}
      onClick={() => open((close) => <History of={of} subject={subject} onClose={close} />)}
    >
      History
    </Button>
  );
}
