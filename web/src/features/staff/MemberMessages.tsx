import { type ChatMessage, noticeKinds, noticeNames, staffNoticeKinds } from "@footprint/contract/notices.ts";
import { type StaffMember, staff } from "@footprint/contract/staff.ts";
import { Alert, Button, Code, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { callApi } from "../../shared/api.ts";
import { Details } from "../../shared/Details.tsx";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { notifyError } from "../../shared/notify.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { whereToFind } from "./chatIds.ts";
import classes from "./StaffGrid.module.css";

/** What an account is sent, whether it arrives, and the last of it. */
export function MemberMessages({ member }: { member: StaffMember }) {
  const params = { id: member._id };
  const query = useApiQuery(staff.messages, { params });
  const test = useMutation({ mutationFn: () => callApi(staff.testMessage, { params }), onError: notifyError });
  if (query.isError && !query.data) return <LoadFailure title="The messages could not be loaded" query={query} />;
  if (!query.data) return <Skeleton height={160} />;
  const { provider, messages } = query.data;
  return (
    <Stack gap="md">
      <Details
        inline
        items={[
          { title: "Chat id", value: member.chatId || "None" },
          { title: "Messages", value: stateOf(member) },
          { title: "Quiet hours", value: hoursOf(member) },
          { title: "About", value: kindsOf(member), wide: true },
        ]}
      />
      <Text size="sm" c="dimmed">
        {whereToFind(provider)}
      </Text>
      <Group>
        <Button
          variant="default"
          leftSection={<IconSend size={16} aria-hidden />}
          disabled={!provider || !member.chatId || test.isPending}
          onClick={() => test.mutate()}
        >
          {test.isPending ? "Sending…" : "Send test message"}
        </Button>
      </Group>
      {test.data && (
        <Alert color={test.data.sent ? "teal" : "red"} role="status" title={test.data.message}>
          <Text size="sm">The provider answered{test.data.status ? ` ${test.data.status}` : ""}:</Text>
          <Code block mt={8} className={classes.answer}>
            {test.data.answer || "nothing"}
          </Code>
        </Alert>
      )}
      <section aria-label="Last messages">
        <Text size="sm" fw={600} mb={4}>
          Last messages
        </Text>
        {messages.length === 0 ? (
          <Text size="sm" c="dimmed">
            None yet.
          </Text>
        ) : (
          <ul className={classes.messages}>
            {messages.map((message) => (
              <Sent key={message._id} message={message} />
            ))}
          </ul>
        )}
      </section>
    </Stack>
  );
}

const states = { sent: "plain", waiting: "warning", failed: "danger" } as const;

function Sent({ message: { state, isTest, text, outcomes, nextTryAt, createdAt } }: { message: ChatMessage }) {
  const last = outcomes.at(-1);
  const word = { sent: "Sent", waiting: "Not sent yet", failed: "Not sent" }[state];
  return (
    <li>
      <Group justify="space-between" gap={8}>
        <span>
          <Time value={createdAt} withHour />
          {isTest && ", a test"}
        </span>
        <StatusBadge tone={states[state]}>{word}</StatusBadge>
      </Group>
      <pre>{text}</pre>
      {state !== "sent" && (
        <small>
          {outcomes.length === 1 ? "1 try" : `${outcomes.length} tries`}
          {last && `. The last one: ${last.status ?? ""} ${last.answer || "no words"}`}
          {nextTryAt && (
            <>
              . Again at <Time value={nextTryAt} exact plain />
            </>
          )}
        </small>
      )}
    </li>
  );
}

function stateOf({ notificationAccess, chatId, suspendedAt }: StaffMember): string {
  if (!notificationAccess) return "Off: no notification access";
  if (!chatId) return "Off: no chat id";
  return suspendedAt ? "Off: suspended" : "On";
}

const hoursOf = ({ quietHours }: StaffMember) => (quietHours ? `${quietHours.from} to ${quietHours.to}` : "None");

function kindsOf({ role, messageKinds }: StaffMember): string {
  const all = role === "admin" ? noticeKinds : staffNoticeKinds;
  const chosen = all.filter((kind) => messageKinds?.includes(kind) ?? true);
  if (chosen.length === all.length) return "Everything this account may see";
  return chosen.map((kind) => noticeNames[kind]).join(", ") || "Nothing";
}
