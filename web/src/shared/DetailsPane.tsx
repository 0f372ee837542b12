import { ActionIcon, Group, Stack } from "@mantine/core";
import { IconCheck, IconChevronDown, IconChevronUp, IconLink, IconX } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { AlsoOpen } from "./AlsoOpen.tsx";
import { type Beside, BesideContext, TakenWidth } from "./beside.ts";
import { copyText } from "./copyText.ts";
import classes from "./DetailsPane.module.css";
import { Dialog } from "./Dialog.tsx";
import { Hint } from "./Hint.tsx";
import { ShortId, shortened } from "./ShortId.tsx";
import { useTemporary } from "./temporary.ts";

type DetailsPaneProps = {
  /** The kind of thing: "Order". */
  what: string;
  /** The name that tells it apart. */
  id: string;
  /** The id of the record, by which others see that it is open. */
  record?: string | undefined;
  status?: ReactNode;
  /** The title of a dialog, instead of these two. */
  title?: ReactNode;
  size?: "md" | "lg";
  /** The actions, visible however long the content is. */
  foot?: ReactNode;
  onClose: () => void;
  children: ReactNode;
};

/** The details of a row: in a drawer beside its list or, without room for that, in a dialog. */
export function DetailsPane(props: DetailsPaneProps) {
  const beside = useContext(BesideContext);
  if (beside) return <Drawer {...props} beside={beside} />;
  const { what, record, status, title, size = "lg", foot, onClose, children } = props;
  return (
    <Dialog
      size={size}
      onClose={onClose}
      title={
        title ?? (
          <Group gap="sm">
            {what} {status} {record && <AlsoOpen id={record} />}
          </Group>
        )
      }
    >
      <Stack gap="lg">{children}</Stack>
      {foot && <div className={`${classes.foot} ${classes.dialogFoot}`}>{foot}</div>}
    </Dialog>
  );
}

function Drawer({ what, id, record, status, foot, onClose, children, beside }: DetailsPaneProps & { beside: Beside }) {
  const drawer = useRef<HTMLElement>(null);
  useFocusFrom(drawer);
  const { place, previous, next } = beside;
  return (
    <section
      ref={drawer}
      className={classes.drawer}
      data-drawer
      tabIndex={-1}
      aria-label={`${what} ${shortened(id)}`}
      onKeyDown={leaveField}
    >
      <header className={classes.head}>
        <h2>{what}</h2>
        <ShortId value={id} name={`${what.toLowerCase()} id`} />
        {status}
        {record && <AlsoOpen id={record} isBrief />}
        <span className={classes.place} role="status">
          {place}
        </span>
        <HeadButton label={`Previous ${what.toLowerCase()}`} Icon={IconChevronUp} onClick={previous} />
        <HeadButton label={`Next ${what.toLowerCase()}`} Icon={IconChevronDown} onClick={next} />
        <CopyLink />
        <HeadButton label="Close" Icon={IconX} onClick={onClose} />
      </header>
      <TakenWidth value={1000}>
        <div className={classes.body}>{children}</div>
      </TakenWidth>
      {foot && <footer className={classes.foot}>{foot}</footer>}
    </section>
  );
}

/** Opened by keyboard, the focus moves inside, and returns to the row afterwards. */
function useFocusFrom(drawer: { current: HTMLElement | null }) {
  // Determined before the drawer is there, since the element that opened it may then be gone.
  const [byKeyboard] = useState(() => document.activeElement?.matches(":focus-visible"));
  useEffect(() => {
    if (byKeyboard) drawer.current?.focus({ preventScroll: true });
    return () => {
      const content = document.getElementById("content");
      // Leaves the focus alone if it is elsewhere.
      if (document.activeElement !== document.body && document.activeElement !== content) return;
      const row = document.querySelector<HTMLElement>("[data-row][aria-current]");
      (row ?? content)?.focus({ preventScroll: true });
    };
  }, [drawer, byKeyboard]);
}

/** Escape in a field only leaves the field, so that no text is lost. */
function leaveField({ key, target, currentTarget, nativeEvent }: KeyboardEvent<HTMLElement>) {
  if (nativeEvent.isComposing) return;
  if (key === "Escape" && target instanceof Element && target.matches("input, textarea")) currentTarget.focus();
}

function HeadButton({
  label,
  Icon,
  onClick,
}: {
  label: string;
  Icon: typeof IconX;
  onClick: (() => void) | undefined;
}) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} disabled={!onClick} onClick={onClick}>
      <Icon size={16} />
    </ActionIcon>
  );
}

function CopyLink() {
  const [copied, setCopied] = useTemporary<boolean>(1500);
  return (
    <Hint label={copied ? "Copied" : "Copy link"}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={copied ? "Copied" : "Copy link"}
        onClick={async () => setCopied(await copyText(window.location.href))}
      >
        {copied ? <IconCheck size={16} /> : <IconLink size={16} />}
      </ActionIcon>
    </Hint>
  );
}
