import { inWords, strangersIn } from "@footprint/contract/payment-qr.ts";
import { Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import classes from "./ConfirmHandle.module.css";

/** Whom an image's QR codes pay, and whether that is the handle. */
export function QrSays({ qr, handle, isOlder = false }: { qr: string[]; handle: string; isOlder?: boolean }) {
  const strangers = strangersIn(qr, handle);
  const isProven = qr.length > 0 && strangers.length === 0;
  const Icon = isProven ? IconCircleCheck : IconAlertTriangle;
  return (
    <Text size="xs" className={classes.says} data-tone={isProven ? "well" : strangers.length > 0 ? "wrong" : "late"}>
      <Icon size={14} aria-hidden />
      <span>
        {isProven
          ? `The QR code pays ${handle}`
          : strangers.length > 0
            ? `The QR code ${inWords(strangers)}`
            : "No QR code could be read"}
        {isOlder && !isProven && ". The image is older than the handle"}
      </span>
    </Text>
  );
}
