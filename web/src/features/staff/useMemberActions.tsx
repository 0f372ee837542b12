import { type StaffMember, staff } from "@footprint/contract/staff.ts";
import { callApi } from "../../shared/api.ts";
import { deletion, useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useSession } from "../../shared/session.ts";

const EditStaff = lazyPart(() => import("./StaffForms.tsx").then((file) => file.EditStaff));
const ResetPassword = lazyPart(() => import("./StaffForms.tsx").then((file) => file.ResetPassword));

/** What an administrator may do with an account, each asked about first. */
export function useMemberActions(member: StaffMember) {
  const { _id, username, role } = member;
  const params = { params: { id: _id } };
  const session = useSession();
  const open = useDialog();
  const confirm = useConfirm();
  const other = role === "admin" ? "staff" : "admin";

  return {
    /** Of one's own account only details are changed here. */
    isOwn: username === session.username,

    edit: () => open((close) => <EditStaff member={member} onClose={close} />),

    resetPassword: () => open((close) => <ResetPassword member={member} onClose={close} />),

    resetTwoStep: () =>
      confirm({
        title: "Reset two-step sign-in?",
        message: `${username} is signed out at once and signs in with the password alone, until they turn it on again. Make sure that it is ${username} who asks for this.`,
        action: "Reset",
        working: "Resetting…",
        danger: true,
        onConfirm: () => callApi(staff.resetTwoStep, params),
      }),

    suspend: () =>
      confirm({
        title: `Suspend ${username}?`,
        message: `${username} is signed out at once and cannot sign in until you resume the account. What belongs to it stays.`,
        asksReason: true,
        action: "Suspend",
        working: "Suspending…",
        danger: true,
        onConfirm: (_, reason) => callApi(staff.suspend, { ...params, body: { reason } }),
      }),

    resume: () =>
      confirm({
        title: `Resume ${username}?`,
        message: `${username} may sign in again, with the password of before.`,
        asksReason: true,
        action: "Resume",
        working: "Resuming…",
        onConfirm: (_, reason) => callApi(staff.resume, { ...params, body: { reason } }),
      }),

    changeRole: () =>
      confirm({
        title: other === "admin" ? `Make ${username} an administrator?` : `Make ${username} a staff account?`,
        message:
          other === "admin"
            ? `${username} then sees the dashboard, prices and settings, and may change every account, yours too. They are signed out and sign in again.`
            : `${username} then sees no dashboard, prices or settings. They are signed out and sign in again.`,
        action: other === "admin" ? "Make administrator" : "Make staff",
        working: "Changing…",
        danger: other === "admin",
        onConfirm: () => callApi(staff.changeRole, { ...params, body: { role: other } }),
      }),

    remove: () =>
      confirm({
        title: `Delete ${username}?`,
        message: `${username} is signed out at once and can no longer sign in. This cannot be undone.`,
        ...deletion,
        onConfirm: () => callApi(staff.delete, params, { version: member.version }),
      }),

    endSession: (session?: { _id: string; name: string }) =>
      confirm({
        title: session ? `Sign ${username} out on ${session.name}?` : `Sign ${username} out everywhere?`,
        message: `Whoever uses ${session ? "it" : "one of these sessions"} has to sign in again.`,
        action: "Sign out",
        working: "Signing out…",
        danger: true,
        onConfirm: () => callApi(staff.endSessions, { ...params, body: session ? { session: session._id } : {} }),
      }),
  };
}
