import { type FedexOrder, fedex } from "@footprint/contract/fedex.ts";
import { Alert, Button, Checkbox, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, callApi } from "../../shared/api.ts";
import { Dialog } from "../../shared/Dialog.tsx";
import { formatBytes } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { notify } from "../../shared/notify.ts";
import { useApiQuery } from "../../shared/queries.ts";
import { shortened } from "../../shared/ShortId.tsx";
import classes from "./FedexDesk.module.css";
import { matchFiles } from "./matching.ts";

type Props = { files: File[]; onClose: () => void };
type Outcome = { name: string; message: string };

/** Several files at once: which goes to which order is shown, and can be changed, before anything is saved. */
export function AttachFiles({ files, onClose }: Props) {
  // Those that wait for a label now: a hundred is more than anybody attaches at once.
  const query = useApiQuery(fedex.list, { query: { filter: "Open", sort: "asc", limit: 100 } }, { gcTime: 0 });
  const orders = query.data?.docs;
  return orders ? (
    <Matches files={files} orders={orders} onClose={onClose} />
  ) : (
    <Dialog title="Attach files" size="lg" onClose={onClose}>
      {query.isError ? <LoadFailure query={query} /> : <Text size="sm">Looking for their orders…</Text>}
    </Dialog>
  );
}

function Matches({ files, orders: found, onClose }: Props & { orders: readonly FedexOrder[] }) {
  // As they were when the files were dropped: saving the first must not take its order from the list.
  const [orders] = useState(found);
  const [chosen, setChosen] = useState(() => matchFiles(files, orders));
  const [completes, setCompletes] = useState(true);
  const [refused, setRefused] = useState<Outcome[]>([]);
  // Who was told that an order has changed, and tries again, means it as it is by then.
  const [changed, setChanged] = useState<Record<string, string>>({});
  const versionOf = (id: string) => changed[id] ?? orders.find(({ _id }) => _id === id)?.version;
  const matched = files.flatMap((file, place) => (chosen[place] ? [{ file, id: chosen[place] }] : []));
  const isTwice = new Set(matched.map(({ id }) => id)).size < matched.length;
  const unpriced = orders.filter((order) => order.price === null && chosen.includes(order._id)).length;

  const { mutate: attach, isPending } = useMutation({
    async mutationFn() {
      const failed: (Outcome & { id: string })[] = [];
      for (const { file, id } of matched) {
        const body = { file, ...(completes && { status: "Completed" as const }) };
        await callApi(fedex.update, { params: { id }, body }, { version: versionOf(id) }).then(
          ({ sameFile = [] }) => {
            for (const { uuid, receiver } of sameFile)
              notify("warning", `${file.name} is on order ${shortened(uuid)} to ${receiver} as well`);
          },
          (error: Error) => {
            failed.push({ id, name: file.name, message: error.message });
            const now = error instanceof ApiError ? error.conflict?.version : undefined;
            if (now) setChanged((before) => ({ ...before, [id]: now }));
          },
        );
      }
      return failed;
    },
    onSuccess(failed) {
      const done = matched.length - failed.length;
      if (done > 0) notify("success", `${done} ${done === 1 ? "file" : "files"} attached`);
      if (failed.length === 0) return onClose();
      setRefused(failed);
      // What is done is done: only those that were refused can be tried again.
      setChosen(chosen.map((id) => (failed.some((one) => one.id === id) ? id : undefined)));
    },
  });

  const amount = `${matched.length} ${matched.length === 1 ? "file" : "files"}`;
  return (
    <Dialog title={`Attach ${files.length} files`} size="lg" onClose={onClose} isWorking={isPending}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending && matched.length > 0 && !isTwice) attach();
        }}
      >
        <Stack gap="md">
          <ul className={classes.matches}>
            {files.map((file, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the files stay as they were dropped
              <li key={place}>
                <div className={classes.about}>
                  <b>{file.name}</b>
                  <span className={classes.quiet}>{formatBytes(file.size)}</span>
                </div>
                <NativeSelect
                  aria-label={`Order of ${file.name}`}
                  value={chosen[place] ?? ""}
                  onChange={({ currentTarget: { value } }) => setChosen(chosen.with(place, value || undefined))}
                >
                  <option value="">No match</option>
                  {orders.map((order) => (
                    <option key={order._id} value={order._id}>
                      {order.to.name}, {order.to.city} ({shortened(order.uuid)}){order.file ? ", has a file" : ""}
                    </option>
                  ))}
                </NativeSelect>
              </li>
            ))}
          </ul>
          <Checkbox
            label="Mark the orders as Completed"
            description={
              completes && unpriced > 0
                ? `${unpriced} of them ${unpriced === 1 ? "has" : "have"} no price yet.`
                : undefined
            }
            checked={completes}
            onChange={(event) => setCompletes(event.currentTarget.checked)}
          />
          {isTwice && <Alert color="red">Two files go to the same order.</Alert>}
          {refused.map(({ name, message }) => (
            <Alert key={name} color="red" role="alert" py={8}>
              {name}: {message}
            </Alert>
          ))}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={isPending}>
              Cancel
            </Button>
            <Button type="submit" data-autofocus disabled={isPending || matched.length === 0 || isTwice}>
              {isPending ? "Attaching…" : `Attach ${amount}`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
