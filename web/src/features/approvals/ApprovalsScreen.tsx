import { type Approval, approvalStatuses, approvals } from "@footprint/contract/approvals.ts";
import { IconCheck, IconX } from "@tabler/icons-react";
import { RowButton } from "../../shared/buttons.tsx";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { useDialog } from "../../shared/dialogs.tsx";
import { customerFilter, dayFilter } from "../../shared/filters.tsx";
import { formatMoney, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useList } from "../../shared/list.ts";
import { useSession } from "../../shared/session.ts";
import { ApprovalStatus } from "./ApprovalStatus.tsx";
import { actWords, statusWords } from "./words.ts";

const ApprovalDetails = lazyPart(() => import("./ApprovalDetails.tsx").then((file) => file.ApprovalDetails));
const Decide = lazyPart(() => import("./Decide.tsx").then((file) => file.Decide));

const statusFilter = {
  name: "status",
  label: "Status",
  options: ["waiting", ...approvalStatuses.filter((status) => status !== "waiting"), "All"],
  optionLabel: (status: string) => (status === "All" ? "All" : statusWords[status as Approval["status"]]),
} as const;

/** What staff asked for beyond their limits: administrators decide, staff see what became of their own. */
export function ApprovalsScreen() {
  const { role, username } = useSession();
  const isAdmin = role === "admin";
  const list = useList(approvals.list, (reply) => reply.approvals, {
    filter: statusFilter,
    filters: [dayFilter, customerFilter],
    read: { call: approvals.read, rowOf: (reply) => reply.approval },
  });
  const open = useDialog();
  const decide = (approval: Approval, approves: boolean) =>
    open((close) => <Decide approval={approval} approves={approves} onClose={close} />);
  const mayDecide = ({ status, by }: Approval) => isAdmin && status === "waiting" && by.username !== username;

  const what: Column<Approval> = {
    title: "What",
    cell: ({ act }) => actWords[act],
    second: ({ reason }) => `“${reason}”`,
    onCard: "headline",
  };
  const customer: Column<Approval> = { title: "Customer", cell: ({ user }) => <CustomerLink user={user} /> };
  const amount: Column<Approval> = {
    title: "Amount",
    cell: (approval) => <b>{formatMoney(approval.amount)}</b>,
    align: "right",
    onCard: "aside",
  };
  const status: Column<Approval> = {
    title: "Status",
    cell: (approval) => <ApprovalStatus approval={approval} />,
    second: ({ decision }) => decision && `by ${decision.by}`,
    hidden: list.filter?.value === "waiting",
  };
  const columns: Column<Approval>[] = [
    { ...what, width: "32%" },
    { ...customer, width: "15%" },
    { ...amount, width: "12%" },
    {
      title: "Asked by",
      cell: ({ by }) => by.username,
      second: ({ createdAt }) => <Time value={createdAt} />,
      width: "14%",
      titled: true,
    },
    { ...status, width: "12%" },
    {
      title: "",
      cell: (approval) =>
        mayDecide(approval) && (
          <>
            <RowButton text="Approve" of={nameOf(approval)} Icon={IconCheck} onClick={() => decide(approval, true)} />
            <RowButton
              text="Decline"
              of={nameOf(approval)}
              Icon={IconX}
              danger
              onClick={() => decide(approval, false)}
            />
          </>
        ),
    },
  ];

  return (
    <ListScreen
      title="Approvals"
      counted={["request", "requests"]}
      subtitle={
        isAdmin
          ? "What staff asked for above their limits. A request expires after a day."
          : "What you asked for above your limits, and what was decided."
      }
      list={list}
      views={{ screen: "approvals", all: "Waiting", usual: { Approved: "status=approved", All: "status=All" } }}
      columns={columns}
      columnsBeside={[what, customer, amount]}
      {...(isAdmin && { exported: approvals.export })}
      searchFor="Customer, staff, id"
      empty={{
        title: "Nothing is waiting for approval",
        hint: "Requests above a staff account's limit appear here, if the Website screen's staff limits ask for approval.",
      }}
      details={(approval, close) => (
        <ApprovalDetails
          approval={approval}
          {...(mayDecide(approval) && { onDecide: (approves: boolean) => decide(approval, approves) })}
          onClose={close}
        />
      )}
    />
  );
}

const nameOf = ({ amount, user }: Approval) => `${formatMoney(amount)} for ${user.username}`;
