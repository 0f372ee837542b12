import { codeBatches } from "@footprint/contract/code-batches.ts";
import { trackingTypes } from "@footprint/contract/tracking.ts";
import { LinkChip } from "../../shared/FilterChip.tsx";
import { choiceFilter } from "../../shared/filters.tsx";
import { labelOf } from "../../shared/labels.ts";
import { type ChipProps, isId, type ListFilter } from "../../shared/list.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { shortened } from "../../shared/ShortId.tsx";

export const typeFilter = choiceFilter(
  "type",
  "Type",
  trackingTypes.map((type) => [type, labelOf(type)]),
);

/** The codes of one batch: a link brings its id. */
export const batchFilter: ListFilter<"batch"> = {
  names: ["batch"],
  accepts: (value) => isId.test(value),
  Chip: BatchChip,
};

function BatchChip({ values: { batch }, set }: ChipProps) {
  const { data, isError } = useApiQuery(
    codeBatches.read,
    { params: { id: batch ?? "" } },
    { enabled: batch !== undefined, retry: false },
  );
  const found = data?.batch;
  return (
    <LinkChip
      label="Batch"
      text={batch && (found ? found.note || shortened(found.first) : isError ? "unknown" : "…")}
      onRemove={() => set({ batch: undefined })}
    />
  );
}
