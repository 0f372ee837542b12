import { type PaymentHandle, website } from "@footprint/contract/website.ts";
import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { request } from "../../shared/api.ts";
import { Dialog } from "../../shared/Dialog.tsx";
import { StatusBadge, Time } from "../../shared/format.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import classes from "./ConfirmHandle.module.css";
import { Picture } from "./Picture.tsx";
import { QrSays } from "./QrSays.tsx";

/** So many are shown at first: each has an image to load. */
const atFirst = 8;

/** What customers were shown to pay to, by whom it was set, and the way back to it. */
export function EarlierHandles(props: {
  onReturn: (entry: PaymentHandle, image: Blob | null) => void;
  onClose: () => void;
}) {
  const { onReturn, onClose } = props;
  const query = useApiQuery(website.cashappHistory, {});
  const [all, setAll] = useState(false);
  const history = query.data?.history ?? [];
  const shown = all ? history : history.slice(0, atFirst);
  return (
    <Dialog title="What customers were shown to pay to" size="lg" onClose={onClose}>
      {query.isError && !query.data ? (
        <LoadFailure title="The history could not be loaded" query={query} />
      ) : (
        <Stack gap="md">
          {query.isPending && <Skeleton height={240} />}
          {query.data && history.length === 0 && <Text size="sm">Nothing was set yet.</Text>}
          <ul className={classes.entries} aria-label="Earlier handles">
            {shown.map((entry) => (
              <Entry key={entry._id} entry={entry} onReturn={onReturn} />
            ))}
          </ul>
          {shown.length < history.length && (
            <Button variant="default" onClick={() => setAll(true)}>
              Show {history.length - shown.length} older
            </Button>
          )}
        </Stack>
      )}
    </Dialog>
  );
}

function Entry({
  entry,
  onReturn,
}: {
  entry: PaymentHandle;
  onReturn: (entry: PaymentHandle, image: Blob | null) => void;
}) {
  const { _id: id, cashappId, image: name, qr, warnings, by, isCurrent, createdAt } = entry;
  const { image, failure } = useImage(name === null ? undefined : id);
  return (
    <li className={classes.entry}>
      <Picture image={image} alt={`QR image of ${cashappId || "nobody"}`} size={96} />
      <div>
        <Text fw={600}>{cashappId || "No handle"}</Text>
        <Text size="xs" c="dimmed">
          <Time value={createdAt} withHour /> {by ? `by ${by.username}` : "or before"}
        </Text>
        {failure && (
          <Text size="xs" c="var(--mantine-color-error)">
            {failure}
          </Text>
        )}
        {name !== null && (qr.length > 0 || warnings.length > 0) && <QrSays qr={qr} handle={cashappId} />}
      </div>
      {isCurrent ? (
        <StatusBadge tone="plain">Shown now</StatusBadge>
      ) : (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`Return to ${cashappId || "no handle"}`}
          // Nobody is asked about an image that is not there yet.
          disabled={image === undefined}
          onClick={() => onReturn(entry, image ?? null)}
        >
          Return
        </Button>
      )}
    </li>
  );
}

/** The image of an entry, which needs the session that an address alone does not have; undefined until it is there. */
function useImage(id: string | undefined): { image?: Blob | null; failure?: string } {
  const [loaded, setLoaded] = useState<{ image?: Blob | null; failure?: string }>(id ? {} : { image: null });
  useEffect(() => {
    if (!id) return;
    const controller = new AbortController();
    request(website.cashappImage, { params: { id } }, { signal: controller.signal })
      .then((response) => response.blob())
      .then(
        (image) => setLoaded({ image }),
        ({ message }: Error) => controller.signal.aborted || setLoaded({ failure: message }),
      );
    return () => controller.abort();
  }, [id]);
  return loaded;
}
