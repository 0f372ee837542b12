import { type User, users } from "@footprint/contract/users.ts";
import { Button } from "@mantine/core";
import { IconUserCheck } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { StatusBadge } from "../../shared/format.tsx";
import { useKeptFocus } from "../../shared/keptFocus.ts";
import { useToastedCall } from "../../shared/queries.ts";

/** On a customer's page; New Users has a queue for it. */
export function VerifyUser({ user }: { user: User }) {
  const verify = useToastedCall(() => callApi(users.verify, { params: { id: user._id } }));
  const button = useKeptFocus(verify.isPending);

  // Until the page is refreshed.
  if (user.isVerified || verify.isSuccess) return <StatusBadge tone="positive">Verified</StatusBadge>;
  return (
    <Button
      ref={button}
      variant="light"
      leftSection={<IconUserCheck size={14} aria-hidden />}
      aria-label={`Verify User ${user.username}`}
      disabled={verify.isPending}
      onClick={() => verify.mutate()}
    >
      {verify.isPending ? "Verifying…" : "Verify User"}
    </Button>
  );
}
