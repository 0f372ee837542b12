import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconChevronDown, IconPlus, IconX } from "@tabler/icons-react";
import { type ReactNode, type RefObject, useRef } from "react";
import classes from "./FilterChip.module.css";
import { LazyMenu, type MenuParts } from "./LazyMenu.tsx";

type FilterChipProps = {
  /** What it filters by. */
  label: string;
  /** Its current value as text. */
  text: string | undefined;
  onRemove: () => void;
};

type Button = RefObject<HTMLButtonElement | null>;

/** A filter beside the search, dashed while it is not set. Pressing it offers its choices; the cross removes it. */
export function FilterChip({
  choices,
  ...filter
}: FilterChipProps & {
  /** The items of the menu. `chip` is where the focus returns before another part of the screen opens. */
  choices: (Menu: MenuParts, chip: Button) => ReactNode;
}) {
  return (
    <Chip {...filter}>
      {(button) => (
        <LazyMenu
          position="bottom-start"
          withinPortal
          portalProps={{ target: "#content" }}
          button={<UnstyledButton {...button} />}
        >
          {(Menu) => choices(Menu, button.ref)}
        </LazyMenu>
      )}
    </Chip>
  );
}

/** A filter with too many choices for a menu: pressing it opens a search field. */
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

/** A filter that only links set: it has no choices, and pressing it removes it. */
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

/** A filter that always has a value, by default the first; uses the browser's own choice list. */
export function SelectChip({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChoose: (value: string) => void;
}) {
  const select = useRef<HTMLSelectElement>(null);
  const usual = options[0]?.value ?? "";
  const isUsual = value === usual;
  const isEmpty = value === "All";
  const text = options.find((option) => option.value === value)?.label ?? value;
  return (
    <div className={classes.chip} data-empty={isEmpty || undefined} data-select>
      <span className={classes.label} aria-hidden>
        {isEmpty ? <Empty label={label} /> : <Setting label={label} text={text} />}
        {isUsual && !isEmpty && <IconChevronDown className={classes.open} size={14} />}
      </span>
      {/* An invisible select on top of the chip. */}
      <select
        ref={select}
        className={classes.select}
        aria-label={label}
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {!isUsual && (
        <UnstyledButton
          className={classes.remove}
          onClick={() => {
            select.current?.focus();
            onChoose(usual);
          }}
        >
          <IconX size={14} aria-hidden />
          <VisuallyHidden>Remove filter {label}</VisuallyHidden>
        </UnstyledButton>
      )}
    </div>
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
