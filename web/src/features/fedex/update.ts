import type { Input } from "@footprint/contract/endpoint.ts";
import { type FedexOrder, fedex, offeredStatuses } from "@footprint/contract/fedex.ts";
import { type CallOptions, callApi } from "../../shared/api.ts";
import { notify } from "../../shared/notify.ts";
import { shortened } from "../../shared/ShortId.tsx";

/** What the forms hold of an order. */
export type FedexValues = { status: string; note: string; price: string; file: File | null; removesFile: boolean };

export const valuesOf = ({ status, note, price }: FedexOrder): FedexValues => ({
  status,
  note,
  price: price === null ? "" : price.toFixed(2),
  file: null,
  removesFile: false,
});

type Change = NonNullable<Input<typeof fedex.update>["body"]>;

/** Only changed fields are sent: somebody else may have changed the others meanwhile. */
export function changesOf(values: FedexValues, before: FedexValues): Change {
  const removed = [
    ...(before.price && !values.price ? ["price"] : []),
    ...(values.removesFile && !values.file ? ["file"] : []),
  ];
  return {
    status: offeredStatuses.find((status) => status === values.status && status !== before.status),
    note: values.note === before.note ? undefined : values.note,
    price: values.price === before.price ? undefined : values.price,
    remove: removed.length > 0 ? removed.join(",") : undefined,
    file: values.file ?? undefined,
  };
}

/** Saves and says so; a file that is on another order already is most likely a mistake. */
export async function saveOrder({ _id }: FedexOrder, body: Change, options?: CallOptions) {
  const answer = await callApi(fedex.update, { params: { id: _id }, body }, options);
  notify("success", "Order Updated Successfully");
  for (const { uuid, receiver } of answer.sameFile ?? [])
    notify("warning", `The same file is on order ${shortened(uuid)} to ${receiver}`);
  return answer;
}
