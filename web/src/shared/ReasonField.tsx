import { TextInput, type TextInputProps } from "@mantine/core";

/** Why money is moved. */
export const ReasonField = (props: TextInputProps) => (
  <TextInput
    label="Reason"
    description="Optional, up to 500 characters. Kept in the log, and told to the shop."
    maxLength={500}
    {...props}
  />
);
