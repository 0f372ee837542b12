import { Input, Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { FileFieldProps } from "./DropField.tsx";
import { lazyScreen } from "./lazyScreen.ts";

const DropField = lazy(async () => ({ default: (await lazyScreen(() => import("./DropField.tsx"))).DropField }));

/**
 * A field for one file, chosen by click or dropped. What is of a wrong type or too large is refused with a hint.
 * It comes in a chunk of its own, after the screen: files are sent rarely.
 */
export function FileField(props: FileFieldProps) {
  const { label, description } = props;
  const waiting = (
    <Input.Wrapper label={label} description={description}>
      <Skeleton height={88} mt={description ? 6 : 0} />
    </Input.Wrapper>
  );
  return (
    <Suspense fallback={waiting}>
      <DropField {...props} />
    </Suspense>
  );
}
