import { Button, type ButtonProps, UnstyledButton } from "@mantine/core";
import { IconPlus, type TablerIcon } from "@tabler/icons-react";
import { Link } from "react-router";
import classes from "./buttons.module.css";

// Mantine's look without its components, of which a list would have hundreds.
const { root, inner, section, label: word } = Button.classes;
const look = `mantine-active mantine-focus-auto ${UnstyledButton.classes.root} ${root} mantine-Button-root ${classes.row}`;

/** An action at the end of a row: a button, or with `to` a link. */
export function RowButton({
  text,
  of,
  label = `${text} ${of}`,
  Icon,
  danger = false,
  onClick,
  to,
  variant = "subtle",
  disabled,
  width,
}: {
  text: string;
  /** The row's name: screen readers hear `Delete alice`, unless `label` says something else. */
  of?: string;
  label?: string;
  Icon?: TablerIcon;
  danger?: boolean;
  variant?: "subtle" | "default";
  disabled?: boolean;
  /** In pixels; by default as wide as its text. */
  width?: number;
} & ({ onClick: () => void; to?: never } | { to: string; onClick?: never })) {
  const props = {
    className: look,
    style: { width },
    "data-variant": variant,
    "data-size": "compact-sm",
    "data-danger": danger || undefined,
    "data-with-left-section": Icon && true,
    "aria-label": label,
    children: (
      <span className={`${inner} mantine-Button-inner`}>
        {Icon && (
          <span className={`${section} mantine-Button-section`} data-position="left">
            <Icon size={14} aria-hidden />
          </span>
        )}
        <span className={word}>{text}</span>
      </span>
    ),
  } as const;
  return to ? <Link {...props} to={to} /> : <button type="button" {...props} disabled={disabled} onClick={onClick} />;
}

/** The button that adds to a list. */
export function AddButton({ text, ...props }: { text: string; onClick: () => void } & ButtonProps) {
  return (
    <Button leftSection={<IconPlus size={16} aria-hidden />} {...props}>
      {text}
    </Button>
  );
}
