import { codeBatches } from "@footprint/contract/code-batches.ts";
import type { CodeBatch } from "@footprint/contract/tracking.ts";
import { TextInput } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { type Edit, edited } from "../../shared/edits.ts";
import { FileField } from "../../shared/FileField.tsx";
import { FormModal } from "../../shared/FormModal.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { shortened } from "../../shared/ShortId.tsx";

/** `stored` is the name of the file that the batch has. */
type Values = { note: string; file: File | null; stored: string };

const valuesOf = ({ note, file }: Pick<CodeBatch, "note" | "file">): Values => ({
  note,
  file: null,
  stored: file ?? "",
});

const edit: Omit<Edit<Values>, "version"> = {
  fields: [
    edited("note", "Where they came from"),
    {
      label: "File",
      names: ["file"],
      comesTo: ({ file, stored }) => file ?? stored,
      text: ({ file, stored }) => file?.name ?? stored,
      isFinal: true,
    },
  ],
  valuesOf,
};

const { upload } = codeBatches.update;

/** Says where a batch of codes came from. */
export function BatchForm({ batch, onClose }: { batch: CodeBatch; onClose: () => void }) {
  return (
    <FormModal
      title={`Batch from ${shortened(batch.first)} on`}
      initialValues={valuesOf(batch)}
      edit={{ ...edit, version: batch.version }}
      onSubmit={({ note, file }, options, base) => {
        const body = { note: note === base.note ? undefined : note, file: file ?? undefined };
        return callApi(codeBatches.update, { params: { id: batch._id }, body }, options);
      }}
      submitLabel="Save"
      aside={<HistoryButton of="this batch" subject={batch._id} />}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <TextInput
            label="Where they came from"
            description="Such as the carrier's order"
            maxLength={500}
            data-autofocus
            {...fields.getInputProps("note")}
          />
          <FileField
            label="File"
            accept={upload.types}
            maxBytes={upload.maxBytes}
            description={batch.file ? `Takes the place of ${batch.file}` : "What shows it, such as the carrier's bill"}
            value={fields.values.file}
            onChange={(file) => fields.setFieldValue("file", file)}
            error={fields.errors.file}
          />
        </>
      )}
    </FormModal>
  );
}
