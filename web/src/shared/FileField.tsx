import { Button, Input } from "@mantine/core";
import { Dropzone } from "@mantine/dropzone";
import { IconFile, IconUpload, type TablerIcon } from "@tabler/icons-react";
import { type ReactNode, useEffect, useId, useState } from "react";
import { Emblem } from "./Emblem.tsx";
import classes from "./FileField.module.css";
import { formatBytes } from "./format.tsx";

type FileFieldProps = {
  label: string;
  /** Mime types. */
  accept: readonly string[];
  /** One name for several types that mean the same. */
  kind?: string;
  maxBytes: number;
  value?: File | null;
  onChange: (file: File | null) => void;
  description?: ReactNode;
  /** Shows the chosen file if it is an image. */
  preview?: boolean;
  /** The server's message; the field's own hint comes first. */
  error?: ReactNode;
};

/**
 * A field for one file, chosen by click or dropped. Wrong types and too large files are refused with a hint. Its
 * library is large, so a screen that shows it at once loads it with lazyPart.
 */
export function FileField({ label, accept, maxBytes, value = null, onChange, ...props }: FileFieldProps) {
  const { description, preview = false, error, kind } = props;
  const id = useId();
  const [refusal, setRefusal] = useState<string>();
  const kinds = kind ?? new Intl.ListFormat("en-GB", { type: "disjunction" }).format(accept.map(kindOf));
  const shownError = refusal ?? error;

  function take(file: File | null) {
    setRefusal(undefined);
    onChange(file);
  }

  function remove() {
    take(null);
    document.getElementById(id)?.focus();
  }

  /** If the browser does not know the type, the server decides by looking inside. */
  function reasonAgainst({ name, type, size }: File) {
    if (type && !accept.includes(type)) return `${name} is of another type. Choose a ${kinds} file.`;
    if (size > maxBytes) return `${name} has ${formatBytes(size)}. At most ${formatBytes(maxBytes)} can be sent.`;
    return size === 0 ? `${name} is empty.` : undefined;
  }

  return (
    <Input.Wrapper id={id} label={label} description={description} error={shownError}>
      <Dropzone
        unstyled
        classNames={{ root: classes.zone, inner: classes.inner }}
        mod={{ invalid: Boolean(shownError), described: Boolean(description) }}
        multiple={false}
        validator={(file) => {
          const message = reasonAgainst(file);
          return message ? { code: "refused", message } : null;
        }}
        onDrop={([file]) => file && take(file)}
        onReject={([rejected]) => setRefusal(rejected?.errors[0]?.message)}
        // An invisible file input covers the zone, so that click and keyboard work as in any form.
        activateOnClick={false}
        activateOnKeyboard={false}
        inputProps={{
          id,
          "aria-label": undefined,
          className: classes.input,
          style: {},
          tabIndex: 0,
          accept: accept.join(","),
          "aria-describedby": `${id}-chosen${description ? ` ${id}-description` : ""}${shownError ? ` ${id}-error` : ""}`,
          "aria-invalid": Boolean(shownError),
          // So that the same file, corrected, can be chosen again.
          onClick: (event) => {
            event.currentTarget.value = "";
          },
        }}
      >
        {value && preview ? <Preview file={value} /> : <Sign Icon={value ? IconFile : IconUpload} />}
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
            aria-label={`Remove ${value.name}`}
            onClick={remove}
          >
            Remove
          </Button>
        )}
      </Dropzone>
    </Input.Wrapper>
  );
}

function Sign({ Icon }: { Icon: TablerIcon }) {
  return (
    <Emblem>
      <Icon size={20} stroke={1.75} />
    </Emblem>
  );
}

function Preview({ file }: { file: File }) {
  const [shown, setShown] = useState<{ url: string; broken?: boolean }>();
  useEffect(() => {
    const url = URL.createObjectURL(file);
    setShown({ url });
    return () => URL.revokeObjectURL(url);
  }, [file]);
  if (!file.type.startsWith("image/") || shown?.broken) return <Sign Icon={IconFile} />;
  return (
    <img
      className={classes.preview}
      src={shown?.url}
      alt={`Preview of ${file.name}`}
      onError={() => shown && setShown({ ...shown, broken: true })}
    />
  );
}

const kindOf = (mime: string) => {
  const kind = mime.split("/").at(-1) ?? mime;
  return kind === "webp" ? "WebP" : kind.toUpperCase();
};
