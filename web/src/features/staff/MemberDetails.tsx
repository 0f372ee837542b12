import { logs } from "@footprint/contract/logs.ts";
import { type StaffMember, staff } from "@footprint/contract/staff.ts";
import { Anchor, Button, Group, Text } from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import { useState } from "react";
import { Link, useLocation } from "react-router";
import { Details } from "../../shared/Details.tsx";
import { DetailsPane } from "../../shared/DetailsPane.tsx";
import { Emblem, initialsOf } from "../../shared/Emblem.tsx";
import { Time } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { LogEntries } from "../../shared/LogEntries.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { NewerOlder } from "../../shared/NewerOlder.tsx";
import { nameOfSession, OpenSessions } from "../../shared/OpenSessions.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { SignIns } from "../../shared/SignIns.tsx";
import { Tabs } from "../../shared/Tabs.tsx";
import { logOf } from "./MemberActions.tsx";
import classes from "./StaffGrid.module.css";
import { MemberName } from "./StaffGrid.tsx";
import { useMemberActions } from "./useMemberActions.tsx";

const MemberMessages = lazyPart(() => import("./MemberMessages.tsx").then((file) => file.MemberMessages));

const tabs = { sessions: "Sessions", "sign-ins": "Sign-ins", acts: "What they did", messages: "Messages" };

/** An account: where it is signed in, who signed in with it, and what it did. */
export function MemberDetails({ member, onClose }: { member: StaffMember; onClose: () => void }) {
  const { _id, username, role } = member;
  const address = new URLSearchParams(useLocation().search);
  const chosen = address.get("tab") ?? "";
  const tab = chosen in tabs ? chosen : "sessions";
  const to = (name: string) => {
    address.set("tab", name);
    return `?${address}`;
  };
  return (
    <DetailsPane what="Account" id={_id} onClose={onClose}>
      <Group gap={12} wrap="nowrap">
        <Emblem>{initialsOf(username)}</Emblem>
        <div className={classes.name}>
          <MemberName member={member} />
          <span>{role === "admin" ? "Administrator" : "Staff"}</span>
        </div>
      </Group>
      <Details
        inline
        items={[
          { title: "Last seen", value: member.lastSeenAt ? <Time value={member.lastSeenAt} withHour /> : "Never" },
          { title: "Two-step sign-in", value: member.twoStep ? "On" : "Off" },
          { title: "Created", value: <Time value={member.createdAt} withHour /> },
          ...(member.suspendedAt
            ? [
                {
                  title: "Suspended",
                  value: (
                    <>
                      <Time value={member.suspendedAt} withHour />
                      {member.suspendedBecause && `: ${member.suspendedBecause}`}
                    </>
                  ),
                  wide: true,
                },
              ]
            : []),
        ]}
      />
      <Tabs
        label="About this account"
        tabs={Object.entries(tabs).map(([id, name]) => ({ id, name, to: to(id), isChosen: id === tab }))}
      />
      {tab === "sessions" ? (
        <MemberSessions member={member} />
      ) : tab === "sign-ins" ? (
        <MemberSignIns key={_id} id={_id} />
      ) : tab === "messages" ? (
        <MemberMessages key={_id} member={member} />
      ) : (
        <MemberActs key={_id} member={member} />
      )}
    </DetailsPane>
  );
}

function MemberSessions({ member }: { member: StaffMember }) {
  const query = useApiQuery(staff.sessions, { params: { id: member._id } });
  const { isOwn, endSession } = useMemberActions(member);
  return (
    <div>
      <OpenSessions
        query={query}
        empty={{ title: "Signed in nowhere", hint: "There is no open session." }}
        onEnd={isOwn ? undefined : (open) => endSession({ _id: open._id, name: nameOfSession(open) })}
      />
      {!isOwn && (query.data?.sessions.length ?? 0) > 1 && (
        <Group justify="flex-end" mt="xs">
          <Button
            variant="default"
            c="var(--mantine-color-error)"
            data-danger
            leftSection={<IconLogout size={16} aria-hidden />}
            onClick={() => endSession()}
          >
            Sign out everywhere
          </Button>
        </Group>
      )}
    </div>
  );
}

function MemberSignIns({ id }: { id: string }) {
  const [page, setPage] = useState(1);
  const query = useApiQuery(staff.signIns, { params: { id }, query: { page } });
  return (
    <div>
      <SignIns query={query} page={page} onPage={setPage} />
    </div>
  );
}

function MemberActs({ member }: { member: StaffMember }) {
  const [page, setPage] = useState(1);
  const query = useApiQuery(logs.list, { query: { by: member._id, page } });
  const { logs: entries, totalPages } = query.data ?? {};
  if (query.isError && !entries) return <LoadFailure title="The log could not be loaded" query={query} />;
  return (
    <div>
      {entries?.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing yet.
        </Text>
      ) : (
        <LogEntries entries={entries} brief />
      )}
      <Group justify="flex-end" gap="xs" mt="md">
        <Anchor component={Link} to={logOf(member)} fz="sm" me="auto">
          Show in Transaction Logs
        </Anchor>
        <NewerOlder page={page} totalPages={totalPages} onPage={setPage} />
      </Group>
    </div>
  );
}
