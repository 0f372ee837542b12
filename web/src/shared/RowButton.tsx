import { Button } from "@mantine/core";
import type { TablerIcon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "react-router";

/** An action at the end of a row: a button, or with `to` a link. */
export function RowButton({
  label,
  Icon,
  danger = false,
  disabled = false,
  width,
  children,
  ...action
}: {
  /** The action and what it is done to, for screen readers: `Delete alice`. */
  label: string;
  Icon?: TablerIcon;
  danger?: boolean;
  disabled?: boolean;
  width?: number;
  children: ReactNode;
} & ({ onClick: () => void } | { to: string })) {
  const look = {
    size: "compact-sm",
    variant: "subtle",
    "aria-label": label,
    leftSection: Icon && <Icon size={14} aria-hidden />,
    ...(danger && { color: "red" }),
    ...(width && { w: width }),
  } as const;
  if ("to" in action)
    return (
      <Button {...look} component={Link} to={action.to}>
        {children}
      </Button>
    );
  return (
    <Button {...look} disabled={disabled} onClick={action.onClick}>
      {children}
    </Button>
  );
}
