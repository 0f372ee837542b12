import { Button, Input } from "@mantine/core";
import { IconFile, IconUpload } from "@tabler/icons-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import classes from "./FileField.module.css";
import { formatBytes } from "./format.tsx";

/** A field for one file, chosen by click or dropped. What is of a wrong type or too large is refused with a hint. */
export function FileField({
  label,
  accept,
  maxBytes,
  value = null,
  onChange,
  description,
  preview = false,
  error,
  disabled = false,
}: {
  label: string;
  /** Mime types. */
  accept: readonly string[];
  maxBytes: number;
  value?: File | null;
  onChange: (file: File | null) => void;
  description?: ReactNode;
  /** Shows the chosen file, where it is an image. */
  preview?: boolean;
  /** What the server said about it; the field's own hint comes first. */
  error?: ReactNode;
  disabled?: boolean;
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [refusal, setRefusal] = useState<string>();
  const [dragging, setDragging] = useState(false);
  useNoDropBeside();

  const kinds = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(accept.map(kindOf));
  const shownError = refusal ?? error;

  function take(file: File | undefined) {
    setDragging(false);
    if (!file || disabled) return;
    const reason = reasonAgainst(file, accept, maxBytes, kinds);
    setRefusal(reason);
    if (!reason) onChange(file);
  }

  function remove() {
    setRefusal(undefined);
    onChange(null);
    input.current?.focus();
  }

  return (
    <Input.Wrapper id={id} label={label} description={description} error={shownError}>
      <div
        className={classes.zone}
        data-dragging={dragging || undefined}
        data-invalid={Boolean(shownError) || undefined}
        data-disabled={disabled || undefined}
        data-described={Boolean(description) || undefined}
      >
        {/* Lies over the zone, unseen: click, keyboard and drop are the browser's own. */}
        <input
          ref={input}
          id={id}
          type="file"
          className={classes.input}
          accept={accept.join(",")}
          disabled={disabled}
          aria-describedby={`${id}-chosen${description ? ` ${id}-description` : ""}${shownError ? ` ${id}-error` : ""}`}
          aria-invalid={Boolean(shownError)}
          onChange={(event) => {
            take(event.currentTarget.files?.[0]);
            // So that the same file, corrected, can be chosen again.
            event.currentTarget.value = "";
          }}
          onDragEnter={() => setDragging(true)}
          onDragLeave={() => setDragging(false)}
          onDrop={(event) => {
            event.preventDefault();
            take(event.dataTransfer.files[0]);
          }}
        />
        {value && preview ? <Preview file={value} /> : <Emblem Icon={value ? IconFile : IconUpload} />}
        <div id={`${id}-chosen`} className={classes.text}>
          <b>{value ? value.name : "Choose a file or drop it here"}</b>
          <span>{value ? formatBytes(value.size) : `${kinds}, up to ${formatBytes(maxBytes)}`}</span>
        </div>
        {value && (
          <Button
            className={classes.remove}
            size="compact-sm"
            variant="subtle"
            color="gray"
            disabled={disabled}
            aria-label={`Remove ${value.name}`}
            onClick={remove}
          >
            Remove
          </Button>
        )}
      </div>
    </Input.Wrapper>
  );
}

function Emblem({ Icon }: { Icon: typeof IconFile }) {
  return (
    <span className={classes.emblem}>
      <Icon size={20} stroke={1.75} aria-hidden />
    </span>
  );
}

function Preview({ file }: { file: File }) {
  const [shown, setShown] = useState<{ url: string; broken?: boolean }>();
  useEffect(() => {
    const url = URL.createObjectURL(file);
    setShown({ url });
    return () => URL.revokeObjectURL(url);
  }, [file]);
  if (!file.type.startsWith("image/") || shown?.broken) return <Emblem Icon={IconFile} />;
  return (
    <img
      className={classes.preview}
      src={shown?.url}
      alt={`Preview of ${file.name}`}
      onError={() => shown && setShown({ ...shown, broken: true })}
    />
  );
}

/** A type the browser does not know is left to the server, which looks inside. */
function reasonAgainst(file: File, accept: readonly string[], maxBytes: number, kinds: string): string | undefined {
  if (file.type && !accept.includes(file.type)) return `${file.name} is of another type. Choose a ${kinds} file.`;
  if (file.size > maxBytes)
    return `${file.name} has ${formatBytes(file.size)}. At most ${formatBytes(maxBytes)} can be sent.`;
  if (file.size === 0) return `${file.name} is empty.`;
  return undefined;
}

const kindOf = (mime: string) => {
  const kind = mime.split("/").at(-1) ?? mime;
  return kind === "webp" ? "WebP" : kind.toUpperCase();
};

/** A file dropped beside the field would replace the panel with the file. */
function useNoDropBeside() {
  useEffect(() => {
    const prevent = (event: DragEvent) => {
      if (!(event.target instanceof HTMLInputElement)) event.preventDefault();
    };
    window.addEventListener("dragover", prevent);
    window.addEventListener("drop", prevent);
    return () => {
      window.removeEventListener("dragover", prevent);
      window.removeEventListener("drop", prevent);
    };
  }, []);
}
