import { ActionIcon, UnstyledButton } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { createContext, useContext } from "react";
import { copyText } from "./copyText.ts";
import { Hint } from "./Hint.tsx";
import classes from "./ShortId.module.css";
import { useTemporary } from "./temporary.ts";

// Mantine's look without its components, of which a list would have dozens.
const { root, icon } = ActionIcon.classes;
const copyButton = `mantine-active mantine-focus-auto ${UnstyledButton.classes.root} ${root} mantine-ActionIcon-root ${classes.copy}`;

/** 0192f3…3e7c44 */
export const shortened = (id: string) => (id.length > 15 ? `${id.slice(0, 6)}…${id.slice(-6)}` : id);

/** Set by tables that have room for whole ids. */
export const WholeIds = createContext(false);

/**
 * An id or tracking code, shortened in the middle unless `whole`, or as `shown`. Hovering shows all of it, and so does
 * a copy. A dash if there is none.
 */
export function ShortId({
  value,
  name,
  whole = false,
  shown = value,
}: {
  value: string;
  name: string;
  whole?: boolean;
  shown?: string;
}) {
  const [copied, setCopied] = useTemporary<boolean>(1500);
  const hasRoom = useContext(WholeIds);
  if (!value) return "–";
  return (
    <Hint label={copied ? "Copied" : value}>
      <span className={classes.id} data-id>
        <span>{whole || hasRoom ? shown : shortened(shown)}</span>
        <button
          type="button"
          className={copyButton}
          aria-label={copied ? "Copied" : `Copy ${name} ${value}`}
          onClick={async () => setCopied(await copyText(value))}
        >
          <span className={`${icon} mantine-ActionIcon-icon`}>
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </span>
        </button>
      </span>
    </Hint>
  );
}

/** The same in a second line, without the button. */
export function IdText({ value }: { value: string }) {
  return (
    <span className={classes.id} title={value}>
      {shortened(value)}
    </span>
  );
}
