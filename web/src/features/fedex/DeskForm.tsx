import { documentTypes } from "@footprint/contract/endpoint.ts";
import { type FedexOrder, type FedexStory, fedex } from "@footprint/contract/fedex.ts";
import { Button, Kbd, Textarea } from "@mantine/core";
import { useRef, useState } from "react";
import { Link } from "react-router";
import { draftOf, dropDraft, useDraft } from "../../shared/drafts.ts";
import { FormConflict, useEditForm } from "../../shared/editForm.tsx";
import type { Editing } from "../../shared/edits.ts";
import { FileField } from "../../shared/FileField.tsx";
import { FormAlert } from "../../shared/FormAlert.tsx";
import { SubmitButton } from "../../shared/form.tsx";
import { commandKey, useKeys } from "../../shared/keys.ts";
import { useIsLeaving } from "../../shared/leaving.ts";
import { amountOf, MoneyField } from "../../shared/NumberField.tsx";
import { notify } from "../../shared/notify.ts";
import { shortened } from "../../shared/ShortId.tsx";
import { Warning } from "../../shared/Warning.tsx";
import { type Desk, doubtsAbout } from "./desk.ts";
import { StatusSelect } from "./FedexCells.tsx";
import classes from "./FedexDesk.module.css";
import { StoredFile } from "./StoredFile.tsx";
import { changesOf, edit, type FedexValues, saveOrder, valuesOf } from "./update.ts";

/** What was typed, and what it began from. */
type Draft = { values: FedexValues; editing: Editing<FedexValues> };

/** A price as it will be read again, and the file on its way. */
const savedAs = (values: FedexValues) => ({
  ...values,
  price: values.price && amountOf(values.price).toFixed(2),
  file: null,
  removesFile: false,
});

/** What is done about an order. Saving with the keyboard goes on to the next one. */
export function DeskForm({ order, story, desk }: { order: FedexOrder; story: FedexStory | undefined; desk: Desk }) {
  const [draft] = useState(() => draftOf<Draft>(order._id));
  const following = useRef<string>(undefined);
  const element = useRef<HTMLFormElement>(null);
  const priceField = useRef<HTMLInputElement>(null);
  const now = valuesOf(order);
  const form = useEditForm({
    of: { id: order._id, name: `Fedex order to ${order.to.name}` },
    initialValues: draft?.values ?? now,
    onSubmit: (values, options, before) => saveOrder(order, changesOf(values, before), options),
    // What was not touched here follows: a claim changes the status, a colleague anything.
    edit: { ...edit, version: order.version, now, kept: draft?.editing, savedAs, onSaved },
  });
  const { fields, editing } = form;
  const { values } = fields;
  const changes = changesOf(values, editing?.base ?? now);
  const isTouched = Object.values(changes).some((change) => change !== undefined);
  useDraft(order._id, isTouched ? { values, editing } : undefined);

  const isLeaving = useIsLeaving();
  function onSaved() {
    dropDraft(order._id);
    // Whoever has opened something else meanwhile stays there.
    if (following.current && element.current && !isLeaving()) desk.view(following.current);
  }

  /** A label is what an open order waits for. */
  function take(file: File | null) {
    const isOpen = values.status !== "Completed" && values.status !== "Cancelled";
    fields.setValues({ file, ...(file && isOpen && { status: "Completed" }) });
    // A price that was quoted is chosen: what is typed next takes its place, and is not lost.
    if (!file) return;
    priceField.current?.focus();
    priceField.current?.select();
  }

  function save(andGoOn: boolean) {
    if (!isTouched) {
      form.discard();
      return notify("info", "Nothing to save");
    }
    if (!element.current?.reportValidity()) return;
    // As the list stands now: what is done leaves it.
    const next = desk.neighbour(1)?._id;
    following.current = andGoOn && next !== order._id ? next : undefined;
    form.submit();
  }

  useKeys({ [`${commandKey} enter`]: () => save(true) });

  return (
    <form
      ref={element}
      className={classes.form}
      aria-label="Update"
      onSubmit={(event) => {
        event.preventDefault();
        save(false);
      }}
    >
      <div className={classes.fields}>
        <StatusSelect order={order} {...fields.getInputProps("status")} />
        <MoneyField
          ref={priceField}
          data-key="p"
          className={classes.price}
          label="Price"
          aria-keyshortcuts="p"
          description={order.chargedAt ? "Charged: reverse the charge to change it" : "A quote, moves no money"}
          step={0.01}
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
            <Button size="compact-sm" variant="default" disabled={form.working} onClick={form.discard}>
              Discard
            </Button>
          </div>
        )}
        <FormConflict form={form} />
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
