import { TextInput, type TextInputProps } from "@mantine/core";
import { useSession } from "../../shared/session.ts";

/** From when on prices hold: empty for at once. In the business timezone, whatever the browser's is. */
export function StartField(props: TextInputProps) {
  const { timezone } = useSession();
  return <TextInput type="datetime-local" w={230} label={`Starts (${timezone}), empty for now`} {...props} />;
}
