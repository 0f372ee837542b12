import { type User, users } from "@footprint/contract/users.ts";
import { IconUserCheck } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { counting, type SeveralAction } from "../../shared/several.ts";

export const customerCount = counting("customer", "customers");

export const verifySeveral: SeveralAction<User> = {
  text: (count) => `Verify ${customerCount(count)}`,
  Icon: IconUserCheck,
  applies: (user) => !user.isVerified,
  ask: {
    message: "They can buy labels from then on. This cannot be undone.",
    leftOut: "verified already",
    working: "Verifying…",
    done: (count) => `${customerCount(count)} verified`,
    call: (ids) => callApi(users.verifySeveral, { body: { ids } }),
  },
};
