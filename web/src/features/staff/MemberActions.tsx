import type { StaffMember } from "@footprint/contract/staff.ts";
import { ActionIcon } from "@mantine/core";
import {
  IconDeviceDesktop,
  IconDots,
  IconHistory,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconShield,
  IconShieldOff,
  IconTrash,
} from "@tabler/icons-react";
import { RowButton } from "../../shared/buttons.tsx";
import { LazyMenu } from "../../shared/LazyMenu.tsx";
import { useMemberActions } from "./useMemberActions.tsx";

/** What can be done with an account: the daily things as buttons, the rest in a menu. */
export function MemberActions({ member, onOpen }: { member: StaffMember; onOpen: () => void }) {
  const { username } = member;
  const { isOwn, edit, remove } = useMemberActions(member);
  return (
    <>
      <RowButton text="Activity" of={`of ${username}`} Icon={IconHistory} to={logOf(member)} />
      <RowButton text="Edit" of={username} Icon={IconPencil} onClick={edit} />
      {!isOwn && <RowButton danger text="Delete" of={username} Icon={IconTrash} onClick={remove} />}
      <MemberMenu member={member} onOpen={onOpen} />
    </>
  );
}

function MemberMenu({ member, onOpen }: { member: StaffMember; onOpen: () => void }) {
  const { username, role, suspendedAt } = member;
  const { isOwn, resetPassword, suspend, resume, changeRole } = useMemberActions(member);
  return (
    <LazyMenu
      position="bottom-end"
      withinPortal
      portalProps={{ target: "#content" }}
      button={
        <ActionIcon variant="subtle" color="gray" aria-label={`More actions for ${username}`}>
          <IconDots size={16} />
        </ActionIcon>
      }
    >
      {(Menu) => (
        <>
          <Menu.Item leftSection={<IconDeviceDesktop size={16} aria-hidden />} onClick={onOpen}>
            Sessions and sign-ins
          </Menu.Item>
          {!isOwn && (
            <>
              <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={resetPassword}>
                Reset password
              </Menu.Item>
              <Menu.Item
                leftSection={
                  role === "admin" ? <IconShieldOff size={16} aria-hidden /> : <IconShield size={16} aria-hidden />
                }
                onClick={changeRole}
              >
                {role === "admin" ? "Make staff" : "Make administrator"}
              </Menu.Item>
              {suspendedAt ? (
                <Menu.Item leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={resume}>
                  Resume
                </Menu.Item>
              ) : (
                <Menu.Item
                  c="var(--mantine-color-error)"
                  leftSection={<IconPlayerPause size={16} aria-hidden />}
                  onClick={suspend}
                >
                  Suspend
                </Menu.Item>
              )}
            </>
          )}
        </>
      )}
    </LazyMenu>
  );
}

export const logOf = ({ _id }: { _id: string }) => `/logs?by=${_id}`;
