import { type Delivery, deliveryStates, type Webhook, webhooks } from "@footprint/contract/webhooks.ts";
import { Alert, Button } from "@mantine/core";
import { IconPlayerPlay, IconRefresh, IconSend } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useNavigate, useParams } from "react-router";
import { callApi } from "../../shared/api.ts";
import { RowButton } from "../../shared/buttons.tsx";
import { CustomerLink } from "../../shared/CustomerLink.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { useDialog } from "../../shared/dialogs.tsx";
import { choiceFilter, customerFilter, dayFilter } from "../../shared/filters.tsx";
import { Time } from "../../shared/format.tsx";
import { useKeptFocus } from "../../shared/keptFocus.ts";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { statusLabel } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { isId, useList } from "../../shared/list.ts";
import { NotFound } from "../../shared/NotFound.tsx";
import { useToastedCall } from "../../shared/queries.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { Soon } from "./Soon.tsx";
import { answerInShort, DeliveryState, triesInWords, WebhookReason, WebhookState } from "./States.tsx";
import { pauseWhile, useRefetched } from "./useRefetched.ts";
import { useWebhookActions } from "./useWebhookActions.tsx";
import { WebhookMenu } from "./WebhookMenu.tsx";
import { deliveryTypes, eventName, eventsInShort, isMoving, nameOf, waitingInWords } from "./words.ts";

const DeliveryDetails = lazyPart(() => import("./DeliveryDetails.tsx").then((file) => file.DeliveryDetails));
const ResendPeriod = lazyPart(() => import("./ResendPeriod.tsx").then((file) => file.ResendPeriod));

const filters = [
  choiceFilter(
    "state",
    "State",
    deliveryStates.map((state) => [state, statusLabel(state)]),
  ),
  choiceFilter(
    "type",
    "Event",
    deliveryTypes.map((type) => [type, eventName(type)]),
  ),
  dayFilter,
  customerFilter,
];

const back = { to: "/website", label: "Website Settings" };

/** One webhook, and what was and will be sent to it. */
export function WebhookScreen() {
  const { id = "" } = useParams();
  return <Deliveries key={id} id={id} />;
}

function Deliveries({ id }: { id: string }) {
  const list = useList(webhooks.deliveries, (reply) => reply.deliveries, {
    filters,
    within: { params: { id } },
    read: { call: webhooks.delivery, rowOf: (reply) => reply.delivery },
  });
  const { data, error } = list.query;
  const webhook = data?.webhook;
  useRefetched(pauseWhile(webhook ? isMoving(webhook) : false));
  const resend = useToastedCall((delivery: Delivery) => callApi(webhooks.resend, { params: { id: delivery._id } }));

  // A filter may be refused with 400 too.
  if (error?.status === 404 || !isId.test(id)) return <NotFound what="webhook" back={back} />;

  const event: Column<Delivery> = {
    title: "Event",
    cell: (delivery) => <b>{eventName(delivery.event.type)}</b>,
    second: ({ resentBy, event }) => (resentBy === null ? event.type : `Sent again by ${resentBy}`),
    onCard: "headline",
  };
  const customer: Column<Delivery> = {
    title: "Customer",
    cell: (delivery) => (delivery.customer ? <CustomerLink user={delivery.customer} /> : "–"),
  };
  const state: Column<Delivery> = {
    title: "State",
    cell: (delivery) => <DeliveryState delivery={delivery} />,
    second: (delivery) => <NextTry delivery={delivery} webhook={webhook} />,
    onCard: "aside",
  };
  const answer: Column<Delivery> = {
    title: "Answer",
    cell: answerInShort,
    second: triesInWords,
    titled: true,
  };
  const columns: Column<Delivery>[] = [
    { ...event, width: "20%" },
    { ...customer, width: "16%" },
    { ...state, width: "15%" },
    answer,
    {
      title: "Happened",
      cell: (delivery) => <Time value={delivery.event.timestamp} exact />,
      dimmed: true,
      width: "12%",
      below: "Event",
    },
    {
      title: "",
      width: 130,
      cell: (delivery) =>
        canBeSentAgain(delivery) && (
          <RowButton
            text="Send again"
            of={eventName(delivery.event.type)}
            Icon={IconRefresh}
            disabled={resend.isPending && resend.variables._id === delivery._id}
            onClick={() => resend.mutate(delivery)}
          />
        ),
    },
  ];

  return (
    <>
      {webhook ? <Heading webhook={webhook} /> : <ScreenHeader title="Webhook" back={back} subtitle="" />}
      <ListScreen
        title="Deliveries"
        counted={["delivery", "deliveries"]}
        list={list}
        exported={webhooks.exportDeliveries}
        views={{ screen: "logs" }}
        columns={columns}
        columnsBeside={[event, state, answer]}
        empty={{ title: "Nothing was sent yet", hint: "What happens from now on is sent at once, and is listed here." }}
        details={(delivery, close) => (
          <DeliveryDetails
            delivery={delivery}
            webhook={webhook}
            resend={canBeSentAgain(delivery) ? resend : undefined}
            onClose={close}
          />
        )}
      />
    </>
  );
}

/** What waits is sent anyway, and a test is sent anew. */
const canBeSentAgain = ({ state, event }: Delivery) => state !== "waiting" && event.type !== "test";

function NextTry({ delivery: { state, nextTryAt }, webhook }: { delivery: Delivery; webhook: Webhook | undefined }) {
  if (state !== "waiting" || !nextTryAt || webhook?.state === "paused") return null;
  return (
    <>
      Next try <Soon value={nextTryAt} />
    </>
  );
}

function Heading({ webhook }: { webhook: Webhook }) {
  const navigate = useNavigate();
  const open = useDialog();
  const actions = useWebhookActions(webhook, () => void navigate("/website"));
  const { resume } = actions;
  const isActive = webhook.state === "active";
  // One button, whatever it does next: whoever pressed it by keyboard stays there.
  const main = useKeptFocus(resume.isPending);
  const parts: ReactNode[] = [
    webhook.note && webhook.url,
    eventsInShort(webhook),
    webhook.waiting > 0 && `${waitingInWords(webhook)} waiting`,
  ];
  return (
    <>
      <ScreenHeader
        title={nameOf(webhook)}
        back={back}
        states={<WebhookState webhook={webhook} />}
        subtitle={parts.filter(Boolean).join(" · ")}
        showsTimes
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} aria-hidden />}
              onClick={() => open((close) => <ResendPeriod webhook={webhook} onClose={close} />)}
            >
              Send a period again
            </Button>
            <Button
              ref={main}
              {...(isActive && { variant: "default" })}
              leftSection={isActive ? <IconSend size={16} aria-hidden /> : <IconPlayerPlay size={16} aria-hidden />}
              disabled={resume.isPending}
              onClick={isActive ? actions.test : () => resume.mutate()}
            >
              {isActive ? "Send test event" : webhook.state === "paused" ? "Resume" : "Try now"}
            </Button>
            <WebhookMenu webhook={webhook} actions={actions} />
          </>
        }
      />
      {webhook.state !== "active" && (
        <Alert color={webhook.state === "failing" ? "orange" : webhook.pausedByItself ? "red" : "gray"} py={8} mb="md">
          <WebhookReason webhook={webhook} />
        </Alert>
      )}
    </>
  );
}
