import type { Approval } from "@footprint/contract/approvals.ts";
import { Anchor, Button, Group, Text } from "@mantine/core";
import { IconArrowUpRight, IconCheck, IconX } from "@tabler/icons-react";
import { Link } from "react-router";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import { Details } from "../../shared/Details.tsx";
import { DetailsPane } from "../../shared/DetailsPane.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { useSession } from "../../shared/session.ts";
import { ApprovalStatus } from "./ApprovalStatus.tsx";
import { actWords, pathOf } from "./words.ts";

/** What somebody asked for and why, and what was decided. */
export function ApprovalDetails(props: {
  approval: Approval;
  /** For those who may decide. */
  onDecide?: (approves: boolean) => void;
  onClose: () => void;
}) {
  const { approval, onDecide, onClose } = props;
  const { _id, act, user, amount, reason, by, status, decision, expiresAt, createdAt } = approval;
  const isAdmin = useSession().role === "admin";
  return (
    <DetailsPane
      what="Request"
      id={_id}
      record={_id}
      size="md"
      title={actWords[act]}
      status={<ApprovalStatus approval={approval} />}
      onClose={onClose}
      foot={
        <>
          {isAdmin && <HistoryButton of="this request" subject={_id} />}
          {onDecide && (
            <Group ml="auto" gap="xs">
              <Button variant="default" leftSection={<IconX size={16} aria-hidden />} onClick={() => onDecide(false)}>
                Decline
              </Button>
              <Button leftSection={<IconCheck size={16} aria-hidden />} onClick={() => onDecide(true)}>
                Approve
              </Button>
            </Group>
          )}
        </>
      }
    >
      <Details
        items={[
          { title: "Amount", value: formatMoney(amount) },
          { title: "Customer", value: <CustomerLink user={user} inList={false} /> },
          { title: "Reason", value: reason, wide: true },
          { title: "Asked by", value: by.username },
          { title: "Asked", value: <Time value={createdAt} full /> },
          ...(status === "waiting" ? [{ title: "Over", value: <Time value={expiresAt} full />, wide: true }] : []),
        ]}
      />
      <Anchor component={Link} to={pathOf(approval)} size="sm">
        <Group gap={4} component="span">
          {act === "credit" ? "Show the balance" : act === "refund" ? "Show the order" : "Show the invoice"}
          <IconArrowUpRight size={14} aria-hidden />
        </Group>
      </Anchor>
      {decision && (
        <div>
          <Text size="sm">
            {status === "failed"
              ? `${decision.by} approved it, but it could not be done: ${decision.reason}`
              : `${status === "approved" ? "Approved" : "Declined"} by ${decision.by}${decision.reason && `: “${decision.reason}”`}`}
          </Text>
          <Text size="xs" c="dimmed">
            <Time value={decision.at} full />
          </Text>
        </div>
      )}
    </DetailsPane>
  );
}
