import type { Reply } from "@footprint/contract/endpoint.ts";
import { type StaffMember, staff } from "@footprint/contract/staff.ts";
import { Alert, Anchor, Button, Group, SegmentedControl } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconHistory, IconPencil, IconTrash } from "@tabler/icons-react";
import { Link } from "react-router";
import { callApi } from "../../shared/api.ts";
import { AddButton, RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { deletion, useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { formatCount, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useList } from "../../shared/list.ts";
import { MemberName, OnOff, StaffGrid } from "./StaffGrid.tsx";

const CreateStaff = lazyPart(() => import("./StaffForms.tsx").then((file) => file.CreateStaff));
const EditStaff = lazyPart(() => import("./StaffForms.tsx").then((file) => file.EditStaff));

export function StaffScreen() {
  const list = useList(staff.list, (reply) => reply.staff);
  const open = useDialog();
  const confirm = useConfirm();
  const [view, setView] = useLocalStorage<"list" | "grid">({
    key: "footprint-staff-view",
    defaultValue: "list",
    getInitialValueInEffect: false,
  });

  const askToDelete = (member: StaffMember) =>
    confirm({
      title: `Delete ${member.username}?`,
      message: `${member.username} is signed out at once and can no longer sign in. This cannot be undone.`,
      ...deletion,
      onConfirm: () => callApi(staff.delete, { params: { id: member._id } }),
    });

  const askToReset = ({ _id, username }: StaffMember) =>
    confirm({
      title: "Reset two-step sign-in?",
      message: `${username} is signed out at once and signs in with the password alone, until they turn it on again. Make sure that it is ${username} who asks for this.`,
      action: "Reset",
      working: "Resetting…",
      danger: true,
      onConfirm: () => callApi(staff.resetTwoStep, { params: { id: _id } }),
    });

  const twoStep = (member: StaffMember) => (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <OnOff on={member.twoStep} />
      {member.twoStep && (
        <RowButton text="Reset" of={`two-step sign-in of ${member.username}`} onClick={() => askToReset(member)} />
      )}
    </Group>
  );

  const create = () => open((close) => <CreateStaff onClose={close} />);
  const edit = (member: StaffMember) => open((close) => <EditStaff member={member} onClose={close} />);
  const actions = (member: StaffMember) => (
    <>
      <RowButton text="Activity" of={`of ${member.username}`} Icon={IconHistory} to={logOf(member)} />
      <RowButton text="Edit" of={member.username} Icon={IconPencil} onClick={() => edit(member)} />
      <RowButton danger text="Delete" of={member.username} Icon={IconTrash} onClick={() => askToDelete(member)} />
    </>
  );

  const columns: Column<StaffMember>[] = [
    {
      title: "Username",
      cell: (member) => <MemberName member={member} />,
      width: "22%",
      wraps: true,
      onCard: "headline",
    },
    { title: "Role", cell: (member) => member.role, width: "7%" },
    { title: "Chat id", cell: (member) => member.chatId || "–", width: "11%", wraps: true, titled: true },
    { title: "Notifications", cell: (member) => <OnOff on={member.notificationAccess} />, width: "11%", titled: true },
    { title: "Two-step", cell: twoStep, width: "13%", titled: true },
    {
      title: "Created",
      cell: (member) => <Time value={member.createdAt} />,
      dimmed: true,
      width: "10%",
      below: "Username",
    },
    { title: "", cell: actions, width: "26%" },
  ];

  const createButton = <AddButton text="Create staff" onClick={create} />;

  return (
    <ListScreen
      title="Staff Members"
      counted={["member", "members"]}
      actions={
        <>
          <Button variant="default" component={Link} to="/logs">
            Transaction Logs
          </Button>
          {createButton}
        </>
      }
      list={list}
      views={{ screen: "staff" }}
      columns={columns}
      exported={staff.export}
      searchFor="Username"
      tools={
        <SegmentedControl
          aria-label="View"
          value={view}
          onChange={(next) => setView(next === "grid" ? "grid" : "list")}
          data={[
            { value: "list", label: "List" },
            { value: "grid", label: "Grid" },
          ]}
        />
      }
      empty={{
        title: "No staff members yet",
        hint: "Staff can review orders, customers and invoices. They cannot see the dashboard, prices or settings.",
        action: createButton,
      }}
      renderRows={view === "grid" ? (rows) => <StaffGrid rows={rows} twoStep={twoStep} actions={actions} /> : undefined}
    >
      <GuessedAt accounts={list.query.data?.guessedAt ?? []} />
    </ListScreen>
  );
}

const logOf = ({ _id }: { _id: string }) => `/logs?by=${_id}`;

/** Fewer wrong passwords than this are nothing unusual. */
const warnFrom = 5;

function GuessedAt({ accounts }: { accounts: Reply<typeof staff.list>["guessedAt"] }) {
  const targets = accounts.filter(({ failedSignIns }) => failedSignIns >= warnFrom);
  if (targets.length === 0) return null;
  return (
    <Alert color="orange" role="status" mb="md" title="Somebody may be guessing passwords">
      {targets.slice(0, 5).map((account) => (
        <div key={account._id}>
          {formatCount(account.failedSignIns)} failed sign-ins as{" "}
          <Anchor component={Link} to={logOf(account)} inherit c="inherit" fw={600} underline="always">
            {account.username}
          </Anchor>{" "}
          from {account.addresses === 1 ? "1 address" : `${formatCount(account.addresses)} addresses`} in the last hour
        </div>
      ))}
      {targets.length > 5 && <div>and at {formatCount(targets.length - 5)} more accounts</div>}
    </Alert>
  );
}
