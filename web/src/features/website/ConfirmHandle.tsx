import { confirmationFor, isConfirmed, strangersIn } from "@footprint/contract/payment-qr.ts";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ApiError } from "../../shared/api.ts";
import { Dialog } from "../../shared/Dialog.tsx";
import type { Answer } from "../../shared/form.tsx";
import { Warning } from "../../shared/Warning.tsx";
import classes from "./ConfirmHandle.module.css";
import { Picture } from "./Picture.tsx";
import { QrSays } from "./QrSays.tsx";

/** What customers see, or would see. */
export type Shown = { handle: string; image: string | Blob | null; qr: string[]; isOlder?: boolean };

/** Asks before customers pay to somebody else, with what they see now and what they would see side by side. */
export function ConfirmHandle(props: {
  before: Shown;
  after: Shown;
  save: (confirmation: string | undefined) => Promise<Answer>;
  onSaved: (answer: Answer) => void;
  /** What the dialog can do nothing about. */
  onFailed: (error: Error) => void;
  onClose: () => void;
}) {
  const { before, after, save, onSaved, onFailed, onClose } = props;
  const [said, setSaid] = useState("");
  const [isWrong, setWrong] = useState(false);
  /** The server may have read what the browser could not. */
  const [refused, setRefused] = useState<{ message: string; words: string }>();
  const field = useRef<HTMLInputElement>(null);
  const strangers = after.image ? strangersIn(after.qr, after.handle) : [];
  const words = refused?.words ?? (strangers.length > 0 ? confirmationFor(strangers) : undefined);
  const call = useMutation({
    mutationFn: () => save(words && said),
    onSuccess: onSaved,
    onError(error) {
      if (error instanceof ApiError && error.confirmWith)
        setRefused({ message: error.message, words: error.confirmWith });
      else onFailed(error);
    },
  });

  function confirm() {
    const isSaid =
      words === undefined ||
      (refused ? said.trim().toLowerCase() === words.toLowerCase() : isConfirmed(strangers, said));
    setWrong(!isSaid);
    if (isSaid) call.mutate();
    else field.current?.focus();
  }

  const isOther = before.handle.toLowerCase() !== after.handle.toLowerCase();
  return (
    <Dialog title="Change where customers pay?" size="lg" onClose={onClose} isWorking={call.isPending}>
      <Stack gap="md">
        <Text size="sm">
          {isOther ? (
            <>
              Customers will be told to pay <b>{after.handle || "nobody"}</b> instead of{" "}
              <b>{before.handle || "nobody"}</b>.
            </>
          ) : (
            <>
              Customers still pay <b>{after.handle || "nobody"}</b>, and see another image.
            </>
          )}{" "}
          Every administrator is told.
        </Text>
        <div className={classes.sides}>
          <Side title="Now" shown={before} />
          <IconArrowRight className={classes.arrow} size={20} aria-hidden />
          <Side title="After saving" shown={after} />
        </div>
        {refused && <Warning>{refused.message}</Warning>}
        {words && (
          <TextInput
            ref={field}
            label={`Type “${words}” to confirm`}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={said}
            onChange={(event) => setSaid(event.currentTarget.value)}
            error={isWrong && `Type the words “${words}”`}
            disabled={call.isPending}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={call.isPending} data-autofocus>
            Cancel
          </Button>
          <Button {...(words && { color: "red.8" })} onClick={confirm} disabled={call.isPending}>
            {call.isPending ? "Saving…" : "Change it"}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Side({ title, shown }: { title: string; shown: Shown }) {
  const { handle, image, qr, isOlder = false } = shown;
  return (
    <figure className={classes.side} aria-label={title}>
      <figcaption>{title}</figcaption>
      <Picture image={image} alt={`QR image of ${handle || "nobody"}`} size={152} />
      <b>{handle || "No handle"}</b>
      {image !== null && <QrSays qr={qr} handle={handle} isOlder={isOlder} />}
    </figure>
  );
}
