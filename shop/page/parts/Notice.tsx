import { IconAlertTriangle, IconCircleCheck, IconClock, IconInfoCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";

const icons = { well: IconCircleCheck, late: IconClock, bad: IconAlertTriangle, plain: IconInfoCircle };

type Props = { tone?: keyof typeof icons; title?: string; children?: ReactNode; isUrgent?: boolean };

/** A message. Urgent ones are read out at once. */
export function Notice({ tone = "plain", title, children, isUrgent = false }: Props) {
  const Icon = icons[tone];
  return (
    <div className="notice" data-tone={tone} role={isUrgent ? "alert" : "status"}>
      <Icon size={22} aria-hidden />
      <div>
        {title && (
          <div>
            <strong>{title}</strong>
          </div>
        )}
        {children}
      </div>
    </div>
  );
}
