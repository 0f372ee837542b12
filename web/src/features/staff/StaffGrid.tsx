import type { StaffMember } from "@footprint/contract/staff.ts";
import { Group, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { Emblem, initialsOf } from "../../shared/Emblem.tsx";
import { formatCount, StatusBadge, Time } from "../../shared/format.tsx";
import classes from "./StaffGrid.module.css";

export function StaffGrid({
  rows,
  twoStep,
  actions,
}: {
  rows: readonly StaffMember[] | undefined;
  twoStep: (member: StaffMember) => ReactNode;
  actions: (member: StaffMember) => ReactNode;
}) {
  return (
    <ul className={classes.grid} aria-label="Staff Members" aria-busy={!rows}>
      {rows?.map((member) => (
        <li key={member._id} className={classes.card}>
          <Group gap={12} wrap="nowrap">
            <Emblem>{initialsOf(member.username)}</Emblem>
            <div className={classes.name}>
              <MemberName member={member} />
              <span>{member.role}</span>
            </div>
          </Group>
          <dl>
            <dt>Chat id</dt>
            <dd>{member.chatId || "–"}</dd>
            <dt>Notifications</dt>
            <dd>
              <OnOff on={member.notificationAccess} />
            </dd>
            <dt>Two-step sign-in</dt>
            <dd>{twoStep(member)}</dd>
            <dt>Last seen</dt>
            <dd>
              <LastSeen member={member} />
            </dd>
            <dt>Created</dt>
            <dd>
              <Time value={member.createdAt} />
            </dd>
          </dl>
          <Group gap={4} justify="flex-end">
            {actions(member)}
          </Group>
        </li>
      )) ??
        Array.from({ length: 10 }, (_, place) => place).map((place) => (
          <li key={place} className={classes.card}>
            <Skeleton height={239} />
          </li>
        ))}
    </ul>
  );
}

export function MemberName({ member }: { member: StaffMember }) {
  const { username, failedSignIns, suspendedAt, passwordTemporary } = member;
  return (
    <span className={classes.member}>
      <b>{username}</b>
      {suspendedAt && <StatusBadge tone="neutral">Suspended</StatusBadge>}
      {passwordTemporary && !suspendedAt && <StatusBadge tone="neutral">New password</StatusBadge>}
      {failedSignIns > 0 && (
        <StatusBadge tone="warning">
          {failedSignIns === 1 ? "1 failed sign-in" : `${formatCount(failedSignIns)} failed sign-ins`}
        </StatusBadge>
      )}
    </span>
  );
}

export function LastSeen({ member: { lastSeenAt } }: { member: StaffMember }) {
  return lastSeenAt ? <Time value={lastSeenAt} /> : "Never";
}

export function OnOff({ on }: { on: boolean }) {
  return <StatusBadge tone="plain">{on ? "On" : "Off"}</StatusBadge>;
}
