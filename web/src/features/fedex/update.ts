import type { Input } from "@footprint/contract/endpoint.ts";
import { type FedexOrder, fedex, offeredStatuses } from "@footprint/contract/fedex.ts";
import { plainAmount } from "@footprint/contract/numbers.ts";
import { type CallOptions, callApi } from "../../shared/api.ts";
import { type Edit, edited } from "../../shared/edits.ts";
import { notify } from "../../shared/notify.ts";
import { shortened } from "../../shared/ShortId.tsx";

/** What the forms hold of an order; `stored` is the file that it has. */
export type FedexValues = {
  status: string;
  note: string;
  price: string;
  file: File | null;
  removesFile: boolean;
  stored: FedexOrder["file"];
};

type Edited = Pick<FedexOrder, "status" | "note" | "price" | "file">;

export const valuesOf = ({ status, note, price, file }: Edited): FedexValues => ({
  status,
  note,
  price: price === null ? "" : price.toFixed(2),
  file: null,
  removesFile: false,
  stored: file,
});

export const edit: Omit<Edit<FedexValues>, "version"> = {
  fields: [
    {
      ...edited("status", "Status"),
      // That somebody works on an order is no change of it.
      comesTo: ({ status }) => (status === "In Process" ? "Pending" : status),
    },
    edited("price", "Price", "$"),
    edited("note", "Note"),
    {
      label: "File",
      names: ["file", "removesFile"],
      comesTo: ({ file, removesFile, stored }) => file ?? (removesFile ? undefined : stored?._id),
      text: ({ file, removesFile, stored }) => file?.name ?? (removesFile ? "" : (stored?.name ?? "")),
      isFinal: true,
    },
  ],
  valuesOf,
};

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
    price: values.price === before.price ? undefined : (plainAmount(values.price) ?? values.price),
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
  if (answer.warning) notify("warning", answer.warning);
  return answer;
}
