import type { FedexOrder } from "@footprint/contract/fedex.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { type DragEvent, useEffect, useRef, useState } from "react";
import { callApi } from "../../shared/api.ts";
import { useDialog } from "../../shared/dialogs.tsx";
import { deskKeys, keys, useKeys } from "../../shared/keys.ts";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useIsLeaving } from "../../shared/leaving.ts";
import { Notice } from "../../shared/Notice.tsx";
import { useApiQuery, useToastedCall } from "../../shared/queries.ts";
import { useSession } from "../../shared/session.ts";
import { useWidthUpTo } from "../../shared/windowWidth.ts";
import { chooseFiles } from "./chooseFiles.ts";
import { DeskDetails, DeskHead } from "./DeskDetails.tsx";
import { DeskForm } from "./DeskForm.tsx";
import { DeskList } from "./DeskList.tsx";
import { type Desk, useDesk } from "./desk.ts";
import classes from "./FedexDesk.module.css";

const AttachFiles = lazyPart(() => import("./AttachFiles.tsx").then((file) => file.AttachFiles));

/** Orders at the left, one of them in the middle, and what is done about it at the right: all of it by keyboard. */
export function FedexDesk() {
  const desk = useDesk();
  const isPhone = useWidthUpTo("phone");
  const open = useDialog();
  const root = useRef<HTMLElement>(null);
  const [isOver, setOver] = useState(false);
  const { rows, viewed, view } = desk;

  // The first order is open from the start, but on a phone, where list and order follow each other.
  const first = desk.query.isPlaceholderData ? undefined : rows?.[0]?._id;
  const isLeaving = useIsLeaving();
  const opens = !viewed && !isPhone ? first : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each list, however often it is drawn
  useEffect(() => {
    if (opens && !isLeaving()) view(opens, { replace: true });
  }, [opens]);

  const attach = (files: File[]) => open((close) => <AttachFiles files={files} onClose={close} />);
  function drop(event: DragEvent) {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    if (event.dataTransfer.files.length > 0) attach([...event.dataTransfer.files]);
  }

  useDeskKeys(desk, root, attach);
  return (
    <section
      ref={root}
      className={classes.desk}
      aria-label="Work desk"
      data-over={isOver || undefined}
      data-viewing={viewed !== undefined || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => event.currentTarget.contains(event.relatedTarget as Node | null) || setOver(false)}
      // Before the form's own field: that takes one file alone.
      onDropCapture={(event) => (event.dataTransfer.files.length > 1 ? drop(event) : setOver(false))}
      onDrop={(event) => event.defaultPrevented || drop(event)}
    >
      {(!isPhone || !viewed) && <DeskList desk={desk} onFiles={attach} />}
      {viewed ? (
        <DeskOrder key={viewed} id={viewed} desk={desk} isPhone={isPhone ?? false} />
      ) : (
        !isPhone && (
          <div className={classes.nothing}>
            {rows?.length === 0 && <Notice title="Nothing to do here" hint="Choose another list, or search." />}
          </div>
        )
      )}
    </section>
  );
}

/** The order that is open. What the list knows of it is shown while its story loads. */
function DeskOrder({ id, desk, isPhone }: { id: string; desk: Desk; isPhone: boolean }) {
  const query = useApiQuery(fedex.read, { params: { id } }, { gcTime: 0 });
  const story = query.data;
  const order: FedexOrder | undefined = story?.order ?? desk.listed;
  const claiming = useClaim(order);
  if (!order)
    return (
      <div className={classes.nothing} aria-busy={query.isPending}>
        {query.isError && <LoadFailure title="This order could not be loaded" query={query} />}
      </div>
    );
  return (
    <div className={classes.order}>
      <DeskHead order={order} desk={desk} isPhone={isPhone} {...claiming} />
      <DeskDetails order={order} story={story} query={query} />
      <DeskForm order={order} story={story} desk={desk} />
    </div>
  );
}

/** Takes an order, or gives it back. */
function useClaim(order: FedexOrder | undefined) {
  const { username } = useSession();
  const isMine = order?.claim?.by.username === username;
  const { mutate, isPending } = useToastedCall((id: string) =>
    callApi(isMine ? fedex.release : fedex.claim, { params: { id } }),
  );
  return { isMine, isClaiming: isPending, claim: () => order && !isPending && mutate(order._id) };
}

/** The desk's own keys. Those of the order press its buttons: what cannot be pressed does nothing. */
function useDeskKeys(desk: Desk, root: React.RefObject<HTMLElement | null>, attach: (files: File[]) => void) {
  const press = (selector: string) => root.current?.querySelector<HTMLElement>(selector)?.click();
  /** What is typed next takes the place of a price that was quoted. */
  function choosePrice() {
    const field = root.current?.querySelector<HTMLInputElement>("[data-key=p]");
    field?.focus();
    field?.select();
  }
  useKeys({
    [keys.next.key]: () => move(desk, 1),
    [keys.previous.key]: () => move(desk, -1),
    [deskKeys.claim.key]: () => press("[data-key=c]"),
    [deskKeys.file.key]: () => press("form input[type=file]"),
    [deskKeys.price.key]: choosePrice,
    [deskKeys.several.key]: () => chooseFiles(attach),
  });
}

function move(desk: Desk, step: 1 | -1) {
  const next = desk.neighbour(step);
  if (next) desk.view(next._id);
}
