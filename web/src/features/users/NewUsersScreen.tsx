import { type NewUser, users } from "@footprint/contract/users.ts";
import { Button } from "@mantine/core";
import { IconUserCheck, IconUserOff, IconUserPlus } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { RowButton } from "../../shared/buttons.tsx";
import { balancePath, CustomerLink } from "../../shared/CustomerLink.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { dayFilter } from "../../shared/filters.tsx";
import { formatMoney, StatusBadge, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { labelOf } from "../../shared/labels.ts";
import { useList } from "../../shared/list.ts";
import { useToastedCall } from "../../shared/queries.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import type { Several } from "../../shared/several.ts";
import { customerCount, verifySeveral } from "./severalUsers.ts";
import { useQueue } from "./useQueue.tsx";

const declinedFilter = {
  name: "declined",
  label: "Status",
  options: ["false", "true"],
  optionLabel: (declined: string) => (declined === "true" ? "Declined" : "Waiting"),
} as const;

const several: Several<NewUser> = {
  nameOf: (user) => user.username,
  exported: users.exportChosenNew,
  actions: [
    verifySeveral,
    {
      text: (count) => `Decline ${customerCount(count)}`,
      Icon: IconUserOff,
      danger: true,
      applies: (user) => user.status,
      ask: {
        message: "They are disabled and cannot buy labels. Enabling an account takes it back.",
        leftOut: "declined already",
        reason: "Optional, up to 500 characters. Kept in the log.",
        working: "Declining…",
        done: (count) => `${customerCount(count)} declined`,
        call: (ids, reason) => callApi(users.setStatusOfSeveral, { body: { ids, status: false, reason } }),
      },
    },
  ],
};

/** The queue of those who wait to be verified, with what there is to judge by. */
export function NewUsersScreen() {
  const list = useList(users.listNew, (reply) => reply.users, {
    filter: declinedFilter,
    filters: [dayFilter],
    oldestFirst: true,
  });
  const { judged, verify, decline } = useQueue(list);
  const enable = useToastedCall((user: NewUser) =>
    callApi(users.setStatus, { params: { id: user._id }, body: { status: true } }),
  );
  const isDeclined = list.filter?.value === "true";

  const columns: Column<NewUser>[] = [
    { title: "Name", cell: (user) => <CustomerLink user={user} />, width: "15%", onCard: "headline" },
    {
      title: "Discord id",
      cell: (user) => <ShortId value={user.discordId} name="discord id" />,
      width: "14%",
      onCard: "hidden",
    },
    { title: "E-mail", cell: (user) => user.email || "–", width: "17%" },
    { title: "Shop", cell: (user) => user.shop?.name ?? "–", width: "11%", below: "E-mail", onCard: "hidden" },
    {
      title: "First deposit",
      cell: ({ firstInvoice }) => (firstInvoice ? formatMoney(firstInvoice.amount) : "–"),
      second: ({ firstInvoice }) => firstInvoice && `${labelOf(firstInvoice.payment_method)}, ${firstInvoice.status}`,
      width: "12%",
      below: "Discord id",
      onCard: "hidden",
    },
    {
      title: "Shop and first deposit",
      cell: ({ shop, firstInvoice }) =>
        [shop?.name, firstInvoice ? `tried ${formatMoney(firstInvoice.amount)}` : "no deposit"]
          .filter(Boolean)
          .join(" · "),
      only: "card",
    },
    {
      title: "Joined",
      cell: (user) => <Time value={user.createdAt} />,
      dimmed: true,
      titled: true,
      width: "8%",
      below: "Name",
    },
    {
      title: "",
      cell: (user) =>
        judged.has(user._id) ? (
          <StatusBadge tone="plain">{judged.get(user._id)}</StatusBadge>
        ) : user.status ? (
          <>
            <Button
              size="compact-sm"
              variant="light"
              leftSection={<IconUserCheck size={14} aria-hidden />}
              aria-label={`Verify User ${user.username}`}
              onClick={() => verify(user)}
            >
              Verify User
            </Button>
            <RowButton danger text="Decline" of={user.username} onClick={() => decline(user)} />
          </>
        ) : (
          <RowButton text="Enable User" of={user.username} Icon={IconUserPlus} onClick={() => enable.mutate(user)} />
        ),
    },
  ];

  return (
    <ListScreen
      title="New Users"
      counted={isDeclined ? ["declined customer", "declined customers"] : ["customer to verify", "customers to verify"]}
      list={list}
      views={{ screen: "new-users" }}
      columns={columns}
      pageOf={({ _id }) => balancePath(_id)}
      exported={users.exportNew}
      several={several}
      searchFor="Name, discord id, email"
      empty={{ title: "Nobody is waiting", hint: "Every customer is verified. New ones appear here." }}
    />
  );
}
