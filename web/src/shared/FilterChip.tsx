import { Menu, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { type ReactNode, type RefObject, useRef } from "react";
import classes from "./FilterChip.module.css";

type FilterChipProps = {
  /** What is filtered by. */
  label: string;
  /** What it is set to, as text. */
  text: string | undefined;
  onRemove: () => void;
};

type Button = RefObject<HTMLButtonElement | null>;

/** A filter beside the search: dashed while it is not set. Pressed, it offers its choices; the cross removes it. */
export function FilterChip({
  choices,
  ...filter
}: FilterChipProps & {
  /** The items of the menu. `chip` takes the focus back before another part of the screen opens. */
  choices: (chip: Button) => ReactNode;
}) {
  return (
    <Chip {...filter}>
      {(button) => (
        <Menu position="bottom-start" withinPortal portalProps={{ target: "#content" }}>
          <Menu.Target>
            <UnstyledButton {...button} />
          </Menu.Target>
          <Menu.Dropdown>{choices(button.ref)}</Menu.Dropdown>
        </Menu>
      )}
    </Chip>
  );
}

/** A filter with too many choices for a menu: pressed, it opens something to find one with. */
export function FinderChip({ onOpen, ...filter }: FilterChipProps & { onOpen: () => void }) {
  return <Chip {...filter}>{(button) => <UnstyledButton {...button} onClick={onOpen} />}</Chip>;
}

function Chip({
  label,
  text,
  onRemove,
  children,
}: FilterChipProps & { children: (button: { ref: Button; className?: string; children: ReactNode }) => ReactNode }) {
  const chip = useRef<HTMLButtonElement>(null);
  return (
    <div className={classes.chip} data-empty={!text || undefined}>
      {children({
        ref: chip,
        className: classes.label ?? "",
        children: text ? <Setting label={label} text={text} /> : <Empty label={label} />,
      })}
      {text && (
        <UnstyledButton
          className={classes.remove}
          aria-label={`Remove filter ${label}`}
          onClick={() => {
            chip.current?.focus();
            onRemove();
          }}
        >
          <IconX size={14} aria-hidden />
        </UnstyledButton>
      )}
    </div>
  );
}

/** A filter that only a link sets: there is nothing to choose, and pressing it removes it. */
export function LinkChip({ label, text, onRemove }: FilterChipProps) {
  if (!text) return null;
  return (
    <UnstyledButton className={classes.chip} onClick={onRemove}>
      <span className={classes.label}>
        <Setting label={label} text={text} />
      </span>
      <span className={classes.remove}>
        <IconX size={14} aria-hidden />
      </span>
      <VisuallyHidden>remove filter</VisuallyHidden>
    </UnstyledButton>
  );
}

function Setting({ label, text }: { label: string; text: string }) {
  return (
    <>
      <span>
        {label}
        <span className={classes.colon}>:</span>
      </span>
      <b className={classes.text}>{text}</b>
    </>
  );
}

function Empty({ label }: { label: string }) {
  return (
    <>
      <IconPlus size={14} aria-hidden /> {label}
    </>
  );
}
