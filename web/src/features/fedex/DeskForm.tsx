import { documentTypes } from "@footprint/contract/endpoint.ts";
import { type FedexOrder, type FedexStory, fedex } from "@footprint/contract/fedex.ts";
import { Button, Kbd, Textarea, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { draftOf, dropDraft, useDraft } from "../../shared/drafts.ts";
import { FileField } from "../../shared/FileField.tsx";
import { FormAlert, SubmitButton, useApiForm } from "../../shared/form.tsx";
import { commandKey, useKeys } from "../../shared/keys.ts";
import { notify } from "../../shared/notify.ts";
import { shortened } from "../../shared/ShortId.tsx";
import { Warning } from "../../shared/Warning.tsx";
import { type Desk, doubtsAbout } from "./desk.ts";
import { StatusSelect } from "./FedexCells.tsx";
import classes from "./FedexDesk.module.css";
import { StoredFile } from "./StoredFile.tsx";
import { changesOf, type FedexValues, saveOrder, valuesOf } from "./update.ts";

/** What was typed, and what stood there before. */
type Draft = { values: FedexValues; before: FedexValues };

/** What is done about an order. Saving with the keyboard goes on to the next one. */
export function DeskForm({ order, story, desk }: { order: FedexOrder; story: FedexStory | undefined; desk: Desk }) {
  const [draft] = useState(() => draftOf<Draft>(order._id));
  const [before, setBefore] = useState(() => draft?.before ?? valuesOf(order));
  const goesOn = useRef(false);
  const priceField = useRef<HTMLInputElement>(null);
  // As the list stands now: what is done leaves it.
  const next = desk.neighbour(1)?._id;
  const form = useApiForm({
    initialValues: draft?.values ?? before,
    async onSubmit(values, options) {
      const following = goesOn.current && next !== order._id ? next : undefined;
      const answer = await saveOrder(order, changesOf(values, before), options);
      const price = values.price && Number(values.price).toFixed(2);
      const saved = { ...values, price, file: null, removesFile: false };
      setBefore(saved);
      fields.setValues(saved);
      dropDraft(order._id);
      if (following) desk.view(following);
      return answer;
    },
  });
  const { fields } = form;
  const { values } = fields;
  const isTouched = Object.values(changesOf(values, before)).some((change) => change !== undefined);
  useDraft(order._id, isTouched ? { values, before } : undefined);

  const { status, note, price } = valuesOf(order);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the order itself has changed
  useEffect(() => {
    // What was not touched here follows: a claim changes the status, a colleague anything.
    const fresh = { status, note, price };
    const untouched = Object.entries(fresh).filter(([name]) => values[name as "note"] === before[name as "note"]);
    fields.setValues(Object.fromEntries(untouched));
    setBefore({ ...before, ...fresh });
  }, [status, note, price]);

  /** A label is what an open order waits for. */
  function take(file: File | null) {
    const isOpen = values.status === "Pending" || values.status === "In Process";
    fields.setValues({ file, ...(file && isOpen && { status: "Completed" }) });
    if (file && !values.price) priceField.current?.focus();
  }

  function save(andGoOn: boolean) {
    if (!isTouched) return notify("info", "Nothing to save");
    goesOn.current = andGoOn;
    form.submit();
  }

  useKeys({ [`${commandKey} enter`]: () => save(true) });

  return (
    <form
      className={classes.form}
      aria-label="Update"
      onSubmit={(event) => {
        event.preventDefault();
        save(false);
      }}
    >
      <div className={classes.fields}>
        <StatusSelect order={order} {...fields.getInputProps("status")} />
        <TextInput
          ref={priceField}
          data-key="p"
          className={classes.price}
          label="Price"
          aria-keyshortcuts="p"
          description={order.chargedAt ? "Charged: reverse the charge to change it" : "A quote, moves no money"}
          type="number"
          step="0.01"
          min="0"
          inputMode="decimal"
          leftSection="$"
          readOnly={order.chargedAt !== null}
          {...fields.getInputProps("price")}
        />
        <Textarea label="Note" rows={3} maxLength={2000} {...fields.getInputProps("note")} />
        {order.file && story && !values.file && (
          <StoredFile
            order={order}
            file={order.file}
            version={story.timeline.findLast(({ file }) => file)?._id ?? ""}
            isRemoved={values.removesFile}
            onRemove={(removesFile) => fields.setFieldValue("removesFile", removesFile)}
          />
        )}
        <FileField
          label="File"
          accept={documentTypes}
          maxBytes={fedex.update.upload.maxBytes}
          description={order.file ? `Takes the place of ${order.file.name}` : undefined}
          preview
          value={values.file}
          onChange={take}
          error={fields.errors.file}
        />
        {story?.sameFile.map(({ _id, uuid, receiver }) => (
          <Warning key={_id}>
            The same file is on order <Link to={`?desk=all&view=${_id}`}>{shortened(uuid)}</Link> to {receiver}.
          </Warning>
        ))}
        {doubtsAbout(values, order, story).map((doubt) => (
          <Warning key={doubt}>{doubt}</Warning>
        ))}
        {isTouched && (
          <div className={classes.unsaved}>
            Not saved
            <Button
              size="compact-sm"
              variant="default"
              disabled={form.working}
              onClick={() => fields.setValues(before)}
            >
              Discard
            </Button>
          </div>
        )}
        <FormAlert alert={form.alert} />
      </div>
      <div className={classes.formFoot}>
        <SubmitButton form={form} label="Update" workingLabel="Updating…" variant="default" />
        <Button
          flex={1}
          disabled={form.working}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          rightSection={
            <Kbd size="xs" className={classes.kbd} aria-hidden>
              {commandKey} ↵
            </Kbd>
          }
          onClick={() => save(true)}
        >
          Save and next
        </Button>
      </div>
    </form>
  );
}
