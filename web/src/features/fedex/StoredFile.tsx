import { type FedexOrder, fedex } from "@footprint/contract/fedex.ts";
import { Button } from "@mantine/core";
import { IconDownload, IconExternalLink, IconFile, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { request } from "../../shared/api.ts";
import { saveFile } from "../../shared/downloadFile.ts";
import { Emblem } from "../../shared/Emblem.tsx";
import { formatBytes } from "../../shared/format.tsx";
import { notify } from "../../shared/notify.ts";
import classes from "./FedexDesk.module.css";
import { describePdf } from "./pdf.ts";

/**
 * The file of an order, in the page: a picture as it is; of a PDF what it says about itself, since the panel lets no
 * document run inside of it. Fetched once for as long as the order is open.
 */
export function StoredFile({
  order: { _id },
  file: { name, size },
  isRemoved,
  onRemove,
}: {
  order: FedexOrder;
  file: NonNullable<FedexOrder["file"]>;
  isRemoved: boolean;
  onRemove: (isRemoved: boolean) => void;
}) {
  const { data, error } = useQuery({
    // Not by the order alone: a new file takes the old one's place.
    queryKey: ["fedex file", _id, name, size],
    queryFn: async () => describe(await (await request(fedex.file, { params: { id: _id } })).blob()),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const url = useObjectUrl(data?.content);
  const open = () => url && !window.open(url, "_blank") && notify("warning", "The browser did not open another tab");

  return (
    <div className={classes.file} data-removed={isRemoved || undefined} aria-busy={!data && !error}>
      {data?.isPicture && url ? (
        <img src={url} alt={`What is in ${name}`} />
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
          <>
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
          </>
        )}
      </div>
    </div>
  );
}

async function describe(content: Blob) {
  const isPicture = content.type.startsWith("image/");
  return { content, isPicture, about: isPicture ? "" : describePdf(await content.text()) };
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
