import { type User, users } from "@footprint/contract/users.ts";
import { callApi } from "../../shared/api.ts";
import { useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { formatMoney } from "../../shared/format.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useToastedCall } from "../../shared/queries.ts";

const AddBalance = lazyPart(() => import("./AddBalance.tsx").then((file) => file.AddBalance));

/** What can be done with a customer, from their row, on their page and from the palette. */
export function useUserActions(user: Pick<User, "_id" | "username" | "balance">) {
  const { username } = user;
  const setStatus = (status: boolean) => callApi(users.setStatus, { params: { id: user._id }, body: { status } });
  const open = useDialog();
  const confirm = useConfirm();
  return {
    enable: useToastedCall(() => setStatus(true)),
    askToDisable: () =>
      confirm({
        title: `Disable ${username}?`,
        message: `${username} can no longer buy labels until the account is enabled again. The balance of ${formatMoney(user.balance)} stays.`,
        action: "Disable User",
        working: "Disabling…",
        danger: true,
        onConfirm: () => setStatus(false),
      }),
    addBalance: () => open((close) => <AddBalance user={user} onClose={close} />),
  };
}
