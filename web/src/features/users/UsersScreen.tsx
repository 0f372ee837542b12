import { type User, users } from "@footprint/contract/users.ts";
import { Group } from "@mantine/core";
import { IconUserOff, IconUserPlus } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { balancePath, CustomerLink } from "../../shared/CustomerLink.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { dayFilter, yesOrNoFilter } from "../../shared/filters.tsx";
import { formatMoney, StatusBadge, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { useList } from "../../shared/list.ts";
import { ShortId } from "../../shared/ShortId.tsx";
import type { Several } from "../../shared/several.ts";
import { customerCount, verifySeveral } from "./severalUsers.ts";
import { UserActions } from "./UserActions.tsx";

const columns: Column<User>[] = [
  {
    title: "Name",
    cell: (user) => <CustomerLink user={user} />,
    second: (user) => user.email,
    width: "20%",
    onCard: "headline",
  },
  {
    title: "Discord id",
    cell: (user) => <ShortId value={user.discordId} name="discord id" />,
    width: "16%",
    onCard: "hidden",
  },
  {
    title: "Balance",
    cell: (user) => <b>{formatMoney(user.balance)}</b>,
    align: "right",
    width: "11%",
    onCard: "aside",
  },
  { title: "Status", cell: (user) => <Status user={user} />, width: "19%", below: "Discord id" },
  {
    title: "Joined",
    cell: (user) => <Time value={user.createdAt} />,
    dimmed: true,
    titled: true,
    width: "10%",
    below: "Name",
  },
  { title: "", cell: (user) => <UserActions user={user} /> },
];

const filters = [
  dayFilter,
  yesOrNoFilter("verified", "Verified"),
  yesOrNoFilter("customPricing", "Custom pricing"),
  yesOrNoFilter("withBalance", "With balance"),
];

const several: Several<User> = {
  nameOf: (user) => user.username,
  exported: users.exportChosen,
  actions: [
    verifySeveral,
    {
      text: (count) => `Enable ${customerCount(count)}`,
      Icon: IconUserPlus,
      applies: (user) => !user.status,
      ask: {
        message: "They can buy labels again.",
        leftOut: "enabled already",
        working: "Enabling…",
        done: (count) => `${customerCount(count)} enabled`,
        call: (ids) => callApi(users.setStatusOfSeveral, { body: { ids, status: true } }),
      },
    },
    {
      text: (count) => `Disable ${customerCount(count)}`,
      Icon: IconUserOff,
      danger: true,
      applies: (user) => user.status,
      ask: {
        message: "They can no longer buy labels until they are enabled again. Their balances stay.",
        leftOut: "disabled already",
        reason: "Optional, up to 500 characters. Kept in the log.",
        working: "Disabling…",
        done: (count) => `${customerCount(count)} disabled`,
        call: (ids, reason) => callApi(users.setStatusOfSeveral, { body: { ids, status: false, reason } }),
      },
    },
  ],
};

export function UsersScreen() {
  return (
    <ListScreen
      title="Users"
      counted={["customer", "customers"]}
      list={useList(users.list, (reply) => reply.users, { filters })}
      views={{ screen: "users", usual: { "With balance": "withBalance=true", "Custom pricing": "customPricing=true" } }}
      columns={columns}
      pageOf={({ _id }) => balancePath(_id)}
      exported={users.export}
      several={several}
      searchFor="Name, discord id, email"
      empty={{ title: "No customers yet", hint: "Customers appear here when they join through the shop." }}
    />
  );
}

function Status({ user }: { user: User }) {
  return (
    <Group gap="2px 8px">
      <StatusBadge tone={user.status ? "plain" : "danger"}>{user.status ? "Active" : "Inactive"}</StatusBadge>
      {!user.isVerified && <StatusBadge tone="warning">Not verified</StatusBadge>}
      {user.customPricingEnabled && <StatusBadge tone="info">Custom pricing</StatusBadge>}
    </Group>
  );
}
