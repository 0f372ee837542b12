import { Input, Skeleton } from "@mantine/core";
import { lazyPart } from "./lazyPart.tsx";

/** A field for one file, chosen by click or dropped. What is of a wrong type or too large is refused with a hint. */
export const FileField = lazyPart(
  () => import("./DropField.tsx").then((file) => file.DropField),
  ({ label, description }) => (
    <Input.Wrapper label={label} description={description}>
      <Skeleton height={88} mt={description ? 6 : 0} />
    </Input.Wrapper>
  ),
);
