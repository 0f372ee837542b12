import { type FedexOrder, fedex } from "@footprint/contract/fedex.ts";
import { Button } from "@mantine/core";
import { IconDownload, IconExternalLink, IconFile, IconTrash } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { request } from "../../shared/api.ts";
import { saveFile } from "../../shared/downloadFile.ts";
import { Emblem } from "../../shared/Emblem.tsx";
import { formatBytes } from "../../shared/format.tsx";
import { notify } from "../../shared/notify.ts";
import classes from "./FedexDesk.module.css";
import { describePdf } from "./pdf.ts";

/** The file of an order, in the page. Fetched once for as long as the order is open. */
export function StoredFile({
  order: { _id },
  file: { name, size },
  version,
  isRemoved,
  onRemove,
}: {
  order: FedexOrder;
  file: NonNullable<FedexOrder["file"]>;
  /** Another one where another file has taken its place. */
  version: string;
  isRemoved: boolean;
  onRemove: (isRemoved: boolean) => void;
}) {
  const { data, error } = useContent(_id, version);
  const url = useObjectUrl(data?.content);
  const open = () => url && !window.open(url, "_blank") && notify("warning", "The browser did not open another tab");

  return (
    <div className={classes.file} data-removed={isRemoved || undefined} aria-busy={!data && !error}>
      {data?.isPicture && url ? (
        <img src={url} alt={`What is in ${name}`} />
      ) : data?.isPdf && url && navigator.pdfViewerEnabled ? (
        <iframe src={`${url}#toolbar=0&navpanes=0&view=Fit`} title={`What is in ${name}`} tabIndex={-1} />
      ) : (
        <Emblem>
          <IconFile size={20} stroke={1.75} aria-hidden />
        </Emblem>
      )}
      <div className={classes.about}>
        <b>{name}</b>
        <span className={classes.quiet}>
          {error ? error.message : [data?.about, formatBytes(size)].filter(Boolean).join(", ")}
        </span>
        {isRemoved ? (
          <Button size="compact-sm" variant="default" onClick={() => onRemove(false)}>
            Keep it
          </Button>
        ) : (
          <div className={classes.buttons}>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconExternalLink size={14} aria-hidden />}
              disabled={!url}
              onClick={open}
            >
              Open
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconDownload size={14} aria-hidden />}
              aria-label={`Download ${name}`}
              disabled={!data}
              onClick={() => data && saveFile(data.content, name)}
            >
              Download
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconTrash size={14} aria-hidden />}
              aria-label={`Remove ${name}`}
              onClick={() => onRemove(true)}
            >
              Remove
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

type Content = { content: Blob; isPicture: boolean; isPdf: boolean; about: string };

/** Not a query: those are fetched again after every change, and each fetch is a download that the log tells of. */
function useContent(id: string, version: string): { data?: Content; error?: Error } {
  const [loaded, setLoaded] = useState<{ data?: Content; error?: Error }>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another file
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setLoaded({});
    request(fedex.file, { params: { id } }, { signal })
      .then((response) => response.blob())
      .then(describe)
      .then(
        (data) => setLoaded({ data }),
        (error: Error) => signal.aborted || setLoaded({ error }),
      );
    return () => controller.abort();
  }, [id, version]);
  return loaded;
}

/** Of what type a file is, the server has seen from what is in it. Nothing else is ever shown in the page. */
async function describe(content: Blob): Promise<Content> {
  const isPdf = content.type === "application/pdf";
  const isPicture = content.type.startsWith("image/");
  return { content, isPicture, isPdf, about: isPdf ? describePdf(await content.text()) : "" };
}

function useObjectUrl(content: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!content) return;
    const made = URL.createObjectURL(content);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content]);
  return url;
}
