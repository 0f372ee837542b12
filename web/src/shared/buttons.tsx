import { Button, type ButtonProps } from "@mantine/core";
import { IconPlus, type TablerIcon } from "@tabler/icons-react";
import { Link } from "react-router";

/** An action at the end of a row: a button, or with `to` a link. */
export function RowButton({
  text,
  of,
  label = `${text} ${of}`,
  Icon,
  danger = false,
  onClick,
  to,
  ...look
}: {
  text: string;
  /** The row's name: screen readers hear `Delete alice`, unless `label` says something else. */
  of?: string;
  label?: string;
  Icon?: TablerIcon;
  danger?: boolean;
} & Pick<ButtonProps, "disabled" | "variant" | "w"> &
  ({ onClick: () => void; to?: never } | { to: string; onClick?: never })) {
  const props = {
    size: "compact-sm",
    variant: "subtle",
    color: danger ? "red" : "gray",
    fz: 13,
    fw: 500,
    "aria-label": label,
    leftSection: Icon && <Icon size={14} aria-hidden />,
    ...look,
  } as const;
  return to ? (
    <Button {...props} component={Link} to={to}>
      {text}
    </Button>
  ) : (
    <Button {...props} onClick={onClick}>
      {text}
    </Button>
  );
}

/** The button that adds to a list. */
export function AddButton({ text, ...props }: { text: string; onClick: () => void } & ButtonProps) {
  return (
    <Button leftSection={<IconPlus size={16} aria-hidden />} {...props}>
      {text}
    </Button>
  );
}
