import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from "react";
import { RoomBesideContext } from "./beside.ts";
import type { Question } from "./ConfirmDialog.tsx";
import { lazyPart } from "./lazyPart.tsx";
import { useWidthUpTo } from "./windowWidth.ts";

type Draw = (close: () => void) => ReactNode;

const DialogContext = createContext<((draw: Draw) => void) | undefined>(undefined);

/**
 * Opens a dialog above the screen: `open((close) => <EditStaff member={member} onClose={close} />)`. What has left the
 * screen opens none, and gets false: its question would be asked above something else.
 */
export function useDialog(): (draw: Draw) => boolean {
  const open = useContext(DialogContext);
  if (!open) throw new Error("useDialog outside of DialogProvider");
  // Not whether it is there: some ask as soon as they are.
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  return useCallback(
    (draw) => {
      if (!isGone.current) open(draw);
      return !isGone.current;
    },
    [open],
  );
}

/**
 * One dialog above a screen, and one above each dialog: a second click while the first loads opens no other. It belongs
 * to the screen and details above which it was opened, and closes when these are left.
 */
export function DialogProvider({
  screen,
  details,
  children,
}: {
  screen: string;
  /** The row whose details are shown, if any. */
  details: string | null;
  children: ReactNode;
}) {
  const [opened, setOpened] = useState<{ draw: Draw }>();
  const open = useCallback((draw: Draw) => setOpened({ draw }), []);
  const close = () => setOpened(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another screen is shown
  useEffect(close, [screen]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever details are left, not when the first are shown
  useEffect(() => (details ? close : undefined), [details]);
  const hasRoomNow = !useWidthUpTo("withoutDrawer");
  const [hasRoomBeside, setHasRoomBeside] = useState(hasRoomNow);
  if (!opened && hasRoomBeside !== hasRoomNow) setHasRoomBeside(hasRoomNow);
  return (
    <DialogContext value={open}>
      <RoomBesideContext value={hasRoomBeside}>{children}</RoomBesideContext>
      {opened && (
        <DialogProvider screen={screen} details={details}>
          {opened.draw(close)}
        </DialogProvider>
      )}
    </DialogContext>
  );
}

const ConfirmDialog = lazyPart(() => import("./ConfirmDialog.tsx").then((file) => file.ConfirmDialog));

/** Asks before something that cannot be undone: `confirm({ … })`. */
export function useConfirm(): (question: Question) => void {
  const open = useDialog();
  return (question) => void open((close) => <ConfirmDialog question={question} onClose={close} />);
}

/** The button of a question about deleting. */
export const deletion = { action: "Delete", working: "Deleting…", danger: true } as const;
