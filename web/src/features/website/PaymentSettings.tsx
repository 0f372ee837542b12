import type { Reply } from "@footprint/contract/endpoint.ts";
import { settingsId } from "@footprint/contract/logs.ts";
import { handlePattern } from "@footprint/contract/payment-qr.ts";
import { handleRule, type PaymentHandle, website } from "@footprint/contract/website.ts";
import { Button, Group, Input, Skeleton, Stack, TextInput, Title } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { ApiError, apiBase, callApi } from "../../shared/api.ts";
import { useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { FormConflict, useEditForm } from "../../shared/editForm.tsx";
import { type EditedField, edited } from "../../shared/edits.ts";
import { type Answer, SubmitButton } from "../../shared/form.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { notify, notifyError } from "../../shared/notify.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { randomId } from "../../shared/randomId.ts";
import type { Shown } from "./ConfirmHandle.tsx";
import classes from "./PaymentSettings.module.css";
import { QrSays } from "./QrSays.tsx";

const FileField = lazyPart(
  () => import("../../shared/FileField.tsx").then((file) => file.FileField),
  ({ label }) => (
    <Input.Wrapper label={label} aria-busy>
      <Skeleton height={88} />
    </Input.Wrapper>
  ),
);

const ConfirmHandle = lazyPart(() => import("./ConfirmHandle.tsx").then((file) => file.ConfirmHandle));
const EarlierHandles = lazyPart(() => import("./EarlierHandles.tsx").then((file) => file.EarlierHandles));

const { maxBytes, types } = website.updateCashapp.upload;

/** The payment-app handle and its QR image: what customers see now, and a form to change it. */
export function PaymentSettings() {
  const query = useApiQuery(website.getCashapp, {});
  const cashapp = query.data?.cashapp;
  const showEarlier = useEarlier(cashapp);
  return (
    <section className={classes.panel} aria-labelledby="payment-app" aria-busy={query.isPending}>
      <Group justify="space-between">
        <Title order={2} size="h4" id="payment-app">
          Payment app
        </Title>
        <Group gap="xs">
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            leftSection={<IconHistory size={16} aria-hidden />}
            onClick={showEarlier}
          >
            Earlier handles
          </Button>
          <HistoryButton of="the settings" subject={settingsId} />
        </Group>
      </Group>
      {query.isError && !cashapp ? (
        <LoadFailure title="The payment settings could not be loaded" query={query} />
      ) : (
        <div className={classes.columns}>
          <Current cashapp={cashapp} />
          {cashapp ? <ChangeForm cashapp={cashapp} /> : <Skeleton height={264} />}
        </div>
      )}
    </section>
  );
}

type Cashapp = Reply<typeof website.getCashapp>["cashapp"];

function Current({ cashapp }: { cashapp: Cashapp | undefined }) {
  if (!cashapp) return <Skeleton width={208} height={244} />;
  const { cashappId, image, qr, warnings } = cashapp;
  return (
    <figure className={classes.current}>
      {image ? (
        <img className={classes.image} src={apiBase() + image} alt={`QR code of ${cashappId || "the payment app"}`} />
      ) : (
        <div className={classes.none}>No image yet</div>
      )}
      <figcaption>
        <span>Current handle</span> <b>{cashappId || "–"}</b>
      </figcaption>
      {image && (qr.length > 0 || warnings.length > 0) && (
        <QrSays qr={qr} handle={cashappId} isOlder={warnings.some((warning) => warning.includes("older"))} />
      )}
      <Removals cashapp={cashapp} />
    </figure>
  );
}

function Removals({ cashapp: { cashappId, image, version } }: { cashapp: Cashapp }) {
  const confirm = useConfirm();
  const remove = (what: "image" | "handle") =>
    confirm({
      title: what === "image" ? "Remove the QR image?" : "Remove the payment handle?",
      message:
        what === "image"
          ? `Customers see ${cashappId || "no handle"} without an image.`
          : `Customers are no longer told to pay ${cashappId}, and see no image.`,
      action: "Remove",
      working: "Removing…",
      danger: true,
      onConfirm: (options) => callApi(website.removeCashapp, { body: { remove: what } }, { ...options, version }),
    });
  return (
    <Group gap={0} mt={8} ml={-8}>
      {image && (
        <Button variant="subtle" color="red" size="compact-xs" onClick={() => remove("image")}>
          Remove image
        </Button>
      )}
      {cashappId && (
        <Button variant="subtle" color="red" size="compact-xs" onClick={() => remove("handle")}>
          Remove handle
        </Button>
      )}
    </Group>
  );
}

const shownNow = ({ cashappId, image, qr }: Cashapp): Shown => ({
  handle: cashappId,
  image: image && apiBase() + image,
  qr,
});

/** Nothing was sent: the operator thought better of it. */
class Cancelled extends Error {}

/** Shows what customers see and would see, and saves once that is confirmed. */
function useConfirmedChange() {
  const open = useDialog();
  return (before: Shown, after: Shown, save: (confirmation: string | undefined) => Promise<Answer>) =>
    new Promise<Answer>((resolve, reject) => {
      const cancel = () => reject(new Cancelled("Not saved"));
      const isAsked = open((close) => (
        <ConfirmHandle
          before={before}
          after={after}
          save={save}
          onSaved={(answer) => {
            close();
            resolve(answer);
          }}
          onFailed={(error) => {
            close();
            reject(error);
          }}
          onClose={() => {
            close();
            cancel();
          }}
        />
      ));
      if (!isAsked) cancel();
    });
}

/** A toast for what came of it; a conflict is shown by the form. */
function tellFailure(error: Error) {
  if (!(error instanceof Cancelled) && !(error instanceof ApiError && error.conflict)) notifyError(error);
}

/** Opens what customers were shown before; returning to one of them asks like any other change. */
function useEarlier(cashapp: Cashapp | undefined) {
  const open = useDialog();
  const confirmed = useConfirmedChange();
  const restore = ({ _id: id, cashappId, qr }: PaymentHandle, image: Blob | null) => {
    if (!cashapp) return;
    const idempotencyKey = randomId();
    confirmed(shownNow(cashapp), { handle: cashappId, image, qr }, (confirmation) =>
      callApi(
        website.restoreCashapp,
        { params: { id }, body: { confirmation } },
        { version: cashapp.version, idempotencyKey },
      ),
    ).then(({ message }) => notify("success", message), tellFailure);
  };
  return () => open((close) => <EarlierHandles onReturn={restore} onClose={close} />);
}

/** `stored` is where the image lies that customers see. */
type Fields = { cashappId: string; image: File | null; stored: string | null };

const valuesOf = ({ cashappId, image }: Pick<Cashapp, "cashappId" | "image">): Fields => ({
  cashappId,
  image: null,
  stored: image,
});

const editedFields: EditedField<Fields>[] = [
  edited("cashappId", "Payment-app handle"),
  {
    label: "QR image",
    names: ["image"],
    comesTo: ({ image, stored }) => image ?? stored,
    text: ({ image, stored }) => image?.name ?? (stored ? "The image that is shown as current" : ""),
    isFinal: true,
  },
];

function ChangeForm({ cashapp }: { cashapp: Cashapp }) {
  const confirmed = useConfirmedChange();
  const read = useRef<Promise<string[]>>(undefined);
  const form = useEditForm<Fields>({
    initialValues: valuesOf(cashapp),
    // Only changed fields are sent: somebody else may have changed the other meanwhile.
    onSubmit: async ({ cashappId, image }, options, base) => {
      const isOther = cashappId !== base.cashappId;
      const body = { ...(isOther && { cashappId }), ...(image && { image }) };
      const save = (confirmation?: string) =>
        callApi(website.updateCashapp, { body: { ...body, ...(confirmation && { confirmation }) } }, options);
      const isAsked = image !== null || (isOther && handlePattern.test(cashappId.trim()));
      const now = shownNow(cashapp);
      const after = {
        handle: cashappId.trim(),
        image: image ?? now.image,
        qr: image ? ((await read.current) ?? []) : now.qr,
        isOlder: !image && isOther,
      };
      try {
        const answer = await (isAsked ? confirmed(now, after, save) : save());
        notify("success", answer.message);
        return answer;
      } catch (error) {
        tellFailure(error as Error);
        throw error;
      }
    },
    edit: {
      ...{ version: cashapp.version, fields: editedFields, valuesOf, now: valuesOf(cashapp) },
      savedAs: (values) => ({ ...values, image: null }),
    },
    end: { after: 0, on: "success", finish: () => {} },
  });
  const { image } = form.fields.values;
  // Read as soon as it is chosen, so that nobody waits for it later.
  useEffect(() => {
    read.current = image ? import("./readQr.ts").then(({ readQr }) => readQr(image)).catch(() => []) : undefined;
  }, [image]);

  return (
    <form onSubmit={form.submit}>
      <Stack gap="md">
        <TextInput
          label="Payment-app handle"
          description={handleRule}
          placeholder="$yourshop"
          autoCapitalize="none"
          spellCheck={false}
          {...form.fields.getInputProps("cashappId")}
        />
        <FileField
          label="QR image"
          accept={types}
          maxBytes={maxBytes}
          preview
          {...form.fields.getInputProps("image")}
        />
        <FormConflict form={form} />
        <Group justify="flex-end">
          <SubmitButton form={form} label="Save" workingLabel="Saving…" />
        </Group>
      </Stack>
    </form>
  );
}
