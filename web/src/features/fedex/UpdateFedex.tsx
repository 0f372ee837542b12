import { documentTypes } from "@footprint/contract/endpoint.ts";
import { type FedexOrder, fedex, offeredStatuses } from "@footprint/contract/fedex.ts";
import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { FileField } from "../../shared/FileField.tsx";
import { FormModal } from "../../shared/FormModal.tsx";
import { notify } from "../../shared/notify.ts";
import { shortened } from "../../shared/ShortId.tsx";

type Values = { status: string; note: string; price: string; file: File | null };

export function UpdateFedex({ order, onClose }: { order: FedexOrder; onClose: () => void }) {
  const before: Values = {
    status: order.status,
    note: order.note,
    price: order.price === null ? "" : String(order.price),
    file: null,
  };
  const isOffered = offeredStatuses.some((status) => status === order.status);

  return (
    <FormModal
      title={`Update order ${shortened(order.uuid)}`}
      initialValues={before}
      check={(values) => refusalOf(values, before)}
      onSubmit={async (values, options) => {
        const input = { params: { id: order._id }, body: changesOf(values, before) };
        const answer = await callApi(fedex.update, input, options);
        notify("success", "Order Updated Successfully");
        return answer;
      }}
      submitLabel="Update"
      workingLabel="Updating…"
      closeAfter={0}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <NativeSelect label="Status" data-autofocus {...fields.getInputProps("status")}>
            {!isOffered && (
              <option value={order.status} disabled hidden>
                {order.status}
              </option>
            )}
            {offeredStatuses.map((status) => (
              <option key={status}>{status}</option>
            ))}
          </NativeSelect>
          <Textarea label="Note" rows={4} maxLength={2000} {...fields.getInputProps("note")} />
          <TextInput
            label="Price"
            type="number"
            step="0.01"
            min="0"
            inputMode="decimal"
            leftSection="$"
            {...fields.getInputProps("price")}
          />
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

function refusalOf(values: Values, before: Values): string | undefined {
  return before.price && !values.price ? "A price can be changed, but not removed" : undefined;
}

/** Only changed fields are sent: somebody else may have changed the others meanwhile. */
function changesOf(values: Values, before: Values) {
  return {
    status: offeredStatuses.find((status) => status === values.status && status !== before.status),
    note: values.note === before.note ? undefined : values.note,
    price: values.price === before.price ? undefined : values.price,
    file: values.file ?? undefined,
  };
}
