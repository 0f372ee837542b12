import { TextInput, type TextInputProps } from "@mantine/core";
import type { Ref } from "react";

/** The reason for moving money. */
export const ReasonField = (props: TextInputProps & { ref?: Ref<HTMLInputElement> }) => (
  <TextInput
    label="Reason"
    description="Optional, up to 500 characters. Kept in the log, and told to the shop."
    maxLength={500}
    {...props}
  />
);
