import type { Reply } from "@footprint/contract/endpoint.ts";
import { settingsId } from "@footprint/contract/logs.ts";
import { handleRule, website } from "@footprint/contract/website.ts";
import { Group, Input, Skeleton, Stack, TextInput, Title } from "@mantine/core";
import { apiBase, callApi } from "../../shared/api.ts";
import { type ApiForm, SubmitButton, useApiForm } from "../../shared/form.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useApiQuery, useToastedCall } from "../../shared/queries.ts";
import classes from "./PaymentSettings.module.css";

const FileField = lazyPart(
  () => import("../../shared/FileField.tsx").then((file) => file.FileField),
  ({ label }) => (
    <Input.Wrapper label={label} aria-busy>
      <Skeleton height={88} />
    </Input.Wrapper>
  ),
);

const { maxBytes, types } = website.updateCashapp.upload;

/** The payment-app handle and its QR image: what customers see now, and a form to change it. */
export function PaymentSettings() {
  const query = useApiQuery(website.getCashapp, {});
  const cashapp = query.data?.cashapp;
  return (
    <section className={classes.panel} aria-labelledby="payment-app" aria-busy={query.isPending}>
      <Group justify="space-between">
        <Title order={2} size="h4" id="payment-app">
          Payment app
        </Title>
        <HistoryButton of="the settings" subject={settingsId} />
      </Group>
      {query.isError && !cashapp ? (
        <LoadFailure title="The payment settings could not be loaded" query={query} />
      ) : (
        <div className={classes.columns}>
          <Current cashapp={cashapp} />
          {cashapp ? <ChangeForm handle={cashapp.cashappId} /> : <Skeleton height={264} />}
        </div>
      )}
    </section>
  );
}

function Current({ cashapp }: { cashapp: Reply<typeof website.getCashapp>["cashapp"] | undefined }) {
  if (!cashapp) return <Skeleton width={208} height={244} />;
  const { cashappId, image } = cashapp;
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
    </figure>
  );
}

type Fields = { cashappId: string; image: File | null };

function ChangeForm({ handle }: { handle: string }) {
  const update = useToastedCall((body: { cashappId?: string; image?: File }) =>
    callApi(website.updateCashapp, { body }),
  );
  const form: ApiForm<Fields> = useApiForm<Fields>({
    initialValues: { cashappId: handle, image: null },
    // Only changed fields are sent: somebody else may have changed the other meanwhile.
    onSubmit: ({ cashappId, image }) =>
      update.mutateAsync({ ...(form.fields.isDirty("cashappId") && { cashappId }), ...(image && { image }) }),
    end: { after: 0, on: "success", finish: () => settle() },
  });

  function settle() {
    const { cashappId } = form.fields.getValues();
    form.fields.setValues({ image: null });
    form.fields.resetDirty({ cashappId, image: null });
  }

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
        <Group justify="flex-end">
          <SubmitButton form={form} label="Save" workingLabel="Saving…" />
        </Group>
      </Stack>
    </form>
  );
}
