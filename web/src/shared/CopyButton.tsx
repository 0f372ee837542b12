import { Button } from "@mantine/core";
import { useState } from "react";
import { copyText } from "./copyText.ts";

export function CopyButton({ text, label, autoFocus }: { text: string; label: string; autoFocus?: boolean }) {
  const [copied, setCopied] = useState(false);
  return (
    <Button
      variant="default"
      data-autofocus={autoFocus || undefined}
      onClick={async () => setCopied(await copyText(text))}
    >
      {copied ? "Copied" : label}
    </Button>
  );
}
