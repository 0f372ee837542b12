import type { Reply } from "@footprint/contract/endpoint.ts";
import { type StaffMember, staff } from "@footprint/contract/staff.ts";
import { Alert, Anchor, Button, Group, SegmentedControl } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconShieldLock } from "@tabler/icons-react";
import { Link } from "react-router";
import { AddButton, RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { useDialog } from "../../shared/dialogs.tsx";
import { Emblem, initialsOf } from "../../shared/Emblem.tsx";
import { formatCount, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useList } from "../../shared/list.ts";
import { logOf, MemberActions } from "./MemberActions.tsx";
import { LastSeen, MemberName, OnOff, StaffGrid } from "./StaffGrid.tsx";
import { useMemberActions } from "./useMemberActions.tsx";

const CreateStaff = lazyPart(() => import("./StaffForms.tsx").then((file) => file.CreateStaff));
const TwoStepRequired = lazyPart(() => import("./TwoStepRequired.tsx").then((file) => file.TwoStepRequired));
const MemberDetails = lazyPart(() => import("./MemberDetails.tsx").then((file) => file.MemberDetails));

const roleWords: Record<string, string> = { staff: "Staff", admin: "Administrators" };

export function StaffScreen() {
  const list = useList(staff.list, (reply) => reply.staff, {
    filter: {
      name: "role",
      label: "Role",
      options: ["staff", "admin"],
      optionLabel: (role) => roleWords[role] ?? role,
    },
    read: { call: staff.read, rowOf: (reply) => reply.member },
  });
  const open = useDialog();
  const [view, setView] = useLocalStorage<"list" | "grid">({
    key: "footprint-staff-view",
    defaultValue: "list",
    getInitialValueInEffect: false,
  });
  const isAdmins = list.filter?.value === "admin";

  const create = () => open((close) => <CreateStaff role={isAdmins ? "admin" : "staff"} onClose={close} />);
  const actions = (member: StaffMember) => <MemberActions member={member} onOpen={() => list.open(member)} />;
  const twoStep = (member: StaffMember) => <TwoStep member={member} />;
  const name: Column<StaffMember> = {
    title: "Username",
    cell: (member) => (
      <Group gap={8} wrap="nowrap">
        <Emblem size={28}>{initialsOf(member.username)}</Emblem>
        <MemberName member={member} />
      </Group>
    ),
    width: "22%",
    wraps: true,
    onCard: "headline",
  };
  const lastSeen: Column<StaffMember> = {
    title: "Last seen",
    cell: (member) => <LastSeen member={member} />,
    dimmed: true,
    width: "9%",
    titled: true,
  };

  const columns: Column<StaffMember>[] = [
    name,
    { title: "Role", cell: (member) => member.role, width: "6%", onCard: "hidden" },
    { title: "Chat id", cell: (member) => member.chatId || "–", width: "9%", wraps: true, titled: true },
    { title: "Notifications", cell: (member) => <OnOff on={member.notificationAccess} />, width: "10%", titled: true },
    { title: "Two-step", cell: twoStep, width: "11%", titled: true },
    { ...lastSeen, below: "Two-step" },
    {
      title: "Created",
      cell: (member) => <Time value={member.createdAt} />,
      dimmed: true,
      width: "8%",
      below: "Username",
      titled: true,
    },
    { title: "", cell: actions, width: "25%" },
  ];

  const createButton = <AddButton text={isAdmins ? "Create administrator" : "Create staff"} onClick={create} />;

  return (
    <ListScreen
      title="Staff Members"
      counted={["member", "members"]}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconShieldLock size={16} aria-hidden />}
            onClick={() => open((close) => <TwoStepRequired onClose={close} />)}
          >
            Two-step sign-in
          </Button>
          <Button variant="default" component={Link} to="/logs">
            Transaction Logs
          </Button>
          {createButton}
        </>
      }
      list={list}
      views={{ screen: "staff", all: "Staff", usual: { Administrators: "role=admin" } }}
      columns={columns}
      columnsBeside={[
        { ...name, width: "50%" },
        { title: "Two-step", cell: (member) => <OnOff on={member.twoStep} /> },
        { ...lastSeen, width: "25%" },
      ]}
      details={(member, close) => <MemberDetails member={member} onClose={close} />}
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

function TwoStep({ member }: { member: StaffMember }) {
  const { isOwn, resetTwoStep } = useMemberActions(member);
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <OnOff on={member.twoStep} />
      {member.twoStep && !isOwn && (
        <RowButton text="Reset" of={`two-step sign-in of ${member.username}`} onClick={resetTwoStep} />
      )}
    </Group>
  );
}

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
