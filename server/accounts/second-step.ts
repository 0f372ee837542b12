import { getTableColumns, sql } from "drizzle-orm";
import { accounts } from "../db/schema.ts";

/** Whether an account has a passkey, and whether sign-in takes more than the password: a code or a passkey. */
const hasPasskey = sql<boolean>`exists (select from passkeys where passkeys.account_id = accounts.id)`;
export const hasSecondStep = sql<boolean>`(accounts.totp_confirmed_at is not null or ${hasPasskey})`;
/** An account's columns with both facts. */
export const accountColumns = { ...getTableColumns(accounts), hasPasskey, hasSecondStep };
