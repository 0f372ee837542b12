import { type User, users } from "@footprint/contract/users.ts";
import { ActionIcon, Button, Group } from "@mantine/core";
import {
  IconBan,
  IconCalculator,
  IconCircleFilled,
  IconDots,
  IconPlus,
  IconRosetteDiscountCheckFilled,
  IconTag,
  IconTagOff,
  IconUserCheck,
  type TablerIcon,
} from "@tabler/icons-react";
import { AlsoOpen } from "../../shared/AlsoOpen.tsx";
import { callApi } from "../../shared/api.ts";
import { Emblem, letterOf } from "../../shared/Emblem.tsx";
import { Time } from "../../shared/format.tsx";
import { useKeptFocus } from "../../shared/keptFocus.ts";
import { LazyMenu } from "../../shared/LazyMenu.tsx";
import { useToastedCall } from "../../shared/queries.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { ShortId } from "../../shared/ShortId.tsx";
import { useWhatTheyPay } from "../../shared/whatTheyPay.tsx";
import classes from "./CustomerHeading.module.css";
import { useUserActions } from "./useUserActions.tsx";
import { VerifyUser } from "./VerifyUser.tsx";

/** Who a customer is, and what can be done. */
export function CustomerHeading({ user, back }: { user: User | undefined; back: { to: string; label: string } }) {
  return (
    <ScreenHeader
      title={user?.username ?? "Customer"}
      back={back}
      emblem={
        <Emblem size={48} tile>
          {user && letterOf(user.username)}
        </Emblem>
      }
      states={user && <States user={user} />}
      subtitle={user ? <About user={user} /> : ""}
      actions={user && <Actions user={user} />}
    />
  );
}

function States({ user }: { user: User }) {
  return (
    <Group gap="4px 6px">
      {user.status ? (
        <State Icon={IconCircleFilled} tone="good" text="Active" />
      ) : (
        <State Icon={IconCircleFilled} tone="bad" text="Inactive" />
      )}
      {user.isVerified ? (
        <State Icon={IconRosetteDiscountCheckFilled} tone="plain" text="Verified" />
      ) : (
        <State Icon={IconCircleFilled} tone="late" text="Not verified" />
      )}
      {user.customPricingEnabled && <State Icon={IconTag} tone="plain" text="Custom pricing" />}
      <AlsoOpen id={user._id} />
    </Group>
  );
}

function State({ Icon, tone, text }: { Icon: TablerIcon; tone: "good" | "plain" | "late" | "bad"; text: string }) {
  return (
    <span className={classes.state} data-tone={tone}>
      <Icon size={Icon === IconCircleFilled ? 7 : 13} aria-hidden />
      {text}
    </span>
  );
}

function About({ user }: { user: User }) {
  return (
    <span className={classes.about}>
      <span>
        Discord <ShortId value={user.discordId} name="discord id" whole />
      </span>
      {user.email && (
        <span className={classes.email}>
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
    <div className={classes.actions}>
      {!user.isVerified && <VerifyUser user={user} />}
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={addBalance}>
        Add Balance
      </Button>
      {user.status ? (
        <Button variant="default" leftSection={<IconBan size={16} aria-hidden />} onClick={askToDisable}>
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
      <More user={user} />
    </div>
  );
}

/** What is done less often. */
function More({ user }: { user: User }) {
  const { username, customPricingEnabled } = user;
  const askWhatTheyPay = useWhatTheyPay();
  const pricing = useToastedCall(() =>
    callApi(users.setCustomPricing, {
      params: { id: user._id },
      body: { customPricingEnabled: !customPricingEnabled },
    }),
  );
  const button = useKeptFocus(pricing.isPending);
  // The menu closes with its item: the focus goes to the button that opened it.
  const fromMenu = (act: () => void) => () => {
    button.current?.focus();
    act();
  };
  const PricingIcon = customPricingEnabled ? IconTagOff : IconTag;
  return (
    <LazyMenu
      position="bottom-end"
      button={
        <ActionIcon
          ref={button}
          className={classes.more}
          variant="default"
          aria-label={`More actions for ${username}`}
          loading={pricing.isPending}
        >
          <IconDots size={16} />
        </ActionIcon>
      }
    >
      {(Menu) => (
        <>
          <Menu.Item
            leftSection={<IconCalculator size={16} aria-hidden />}
            onClick={fromMenu(() => askWhatTheyPay({ customer: user }))}
          >
            What would they pay?
          </Menu.Item>
          <Menu.Item leftSection={<PricingIcon size={16} aria-hidden />} onClick={fromMenu(() => pricing.mutate())}>
            {customPricingEnabled ? "Disable Custom Pricing" : "Enable Custom Pricing"}
          </Menu.Item>
        </>
      )}
    </LazyMenu>
  );
}
