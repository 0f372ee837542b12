import { documentTypes } from "@footprint/contract/endpoint.ts";
import { type FedexOrder, fedex } from "@footprint/contract/fedex.ts";
import { Textarea } from "@mantine/core";
import { FileField } from "../../shared/FileField.tsx";
import { FormModal } from "../../shared/FormModal.tsx";
import { MoneyField } from "../../shared/NumberField.tsx";
import { shortened } from "../../shared/ShortId.tsx";
import { StatusSelect } from "./FedexCells.tsx";
import { changesOf, edit, saveOrder, valuesOf } from "./update.ts";

export function UpdateFedex({ order, onClose }: { order: FedexOrder; onClose: () => void }) {
  return (
    <FormModal
      title={`Update order ${shortened(order.uuid)}`}
      initialValues={valuesOf(order)}
      edit={{ ...edit, version: order.version }}
      onSubmit={(values, options, before) => saveOrder(order, changesOf(values, before), options)}
      submitLabel="Update"
      workingLabel="Updating…"
      closeAfter={0}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <StatusSelect order={order} data-autofocus {...fields.getInputProps("status")} />
          <Textarea label="Note" rows={4} maxLength={2000} {...fields.getInputProps("note")} />
          <MoneyField label="Price" step={0.01} {...fields.getInputProps("price")} />
          <FileField
            label="File"
            accept={documentTypes}
            maxBytes={fedex.update.upload.maxBytes}
            description={order.file ? `Takes the place of ${order.file.name}` : undefined}
            value={fields.values.file}
            onChange={(file) => fields.setFieldValue("file", file)}
            error={fields.errors.file}
          />
        </>
      )}
    </FormModal>
  );
}
