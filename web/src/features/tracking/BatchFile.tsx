import { codeBatches } from "@footprint/contract/code-batches.ts";
import type { CodeBatch } from "@footprint/contract/tracking.ts";
import { Anchor } from "@mantine/core";
import { downloadFile } from "../../shared/downloadFile.ts";
import { notify } from "../../shared/notify.ts";

/** The file that shows where a batch came from, to be downloaded. */
export function BatchFile({ batch: { _id, file } }: { batch: Pick<CodeBatch, "_id" | "file"> }) {
  const download = () =>
    downloadFile(codeBatches.file, { params: { id: _id } }).catch((error: Error) => notify("error", error.message));
  return (
    <Anchor component="button" size="sm" ta="left" style={{ overflowWrap: "anywhere" }} onClick={download}>
      {file}
    </Anchor>
  );
}
