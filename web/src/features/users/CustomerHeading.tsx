import type { User } from "@footprint/contract/users.ts";
import { Button, Group } from "@mantine/core";
import { IconPlus, IconUserCheck, IconUserOff } from "@tabler/icons-react";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { useKeptFocus } from "../../shared/keptFocus.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { ShortId } from "../../shared/ShortId.tsx";
import classes from "./CustomerHeading.module.css";
import { useUserActions } from "./useUserActions.tsx";
import { VerifyUser } from "./VerifyUser.tsx";

/** Who a customer is, and what can be done. */
export function CustomerHeading({ user, back }: { user: User | undefined; back: { to: string; label: string } }) {
  return (
    <ScreenHeader
      title={user?.username ?? "Customer"}
      back={back}
      states={user && <States user={user} />}
      subtitle={user ? <About user={user} /> : ""}
      actions={user && <Actions user={user} />}
    />
  );
}

function States({ user }: { user: User }) {
  return (
    <Group gap={8}>
      <StatusBadge tone={user.status ? "neutral" : "danger"}>{user.status ? "Active" : "Inactive"}</StatusBadge>
      <StatusBadge tone={user.isVerified ? "neutral" : "warning"}>
        {user.isVerified ? "Verified" : "Not verified"}
      </StatusBadge>
      {user.customPricingEnabled && <StatusBadge tone="info">Custom pricing</StatusBadge>}
    </Group>
  );
}

function About({ user }: { user: User }) {
  return (
    <span className={classes.about}>
      <span>
        Discord <ShortId value={user.discordId} name="discord id" whole />
      </span>
      {user.email && (
        <span>
          E-mail <ShortId value={user.email} name="e-mail" whole />
        </span>
      )}
      <span>
        Joined <Time value={user.createdAt} />
      </span>
    </span>
  );
}

function Actions({ user }: { user: User }) {
  const { enable, askToDisable, addBalance } = useUserActions(user);
  const enableButton = useKeptFocus(enable.isPending);
  return (
    <Group gap={8}>
      {!user.isVerified && <VerifyUser user={user} />}
      {user.status ? (
        <Button variant="default" leftSection={<IconUserOff size={16} aria-hidden />} onClick={askToDisable}>
          Disable User
        </Button>
      ) : (
        <Button
          ref={enableButton}
          variant="default"
          leftSection={<IconUserCheck size={16} aria-hidden />}
          disabled={enable.isPending}
          onClick={() => enable.mutate()}
        >
          Enable User
        </Button>
      )}
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={addBalance}>
        Add Balance
      </Button>
    </Group>
  );
}
