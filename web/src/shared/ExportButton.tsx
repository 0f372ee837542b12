import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { Button } from "@mantine/core";
import { IconDownload, IconX } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { downloadRows } from "./downloadFile.ts";
import classes from "./ExportButton.module.css";
import { formatCount } from "./format.tsx";
import { notify, notifyError } from "./notify.ts";
import { useSession } from "./session.ts";

type Progress = { rows: number; of: number | undefined };

/**
 * Saves all rows of a list as a file, for administrators. While it runs it shows the progress, and cancels when
 * pressed.
 */
export function ExportButton({ call, input }: { call: Endpoint; input: object }) {
  const { role } = useSession();
  const [running, setRunning] = useState<AbortController>();
  const [progress, setProgress] = useState<Progress>({ rows: 0, of: undefined });
  // Leaving the screen cancels it.
  useEffect(() => () => running?.abort(), [running]);
  if (role !== "admin") return null;

  async function start() {
    const controller = new AbortController();
    setProgress({ rows: 0, of: undefined });
    setRunning(controller);
    try {
      const rows = await downloadRows(call, input, {
        signal: controller.signal,
        onProgress: (done, of) => setProgress({ rows: done, of }),
      });
      notify("success", `Exported ${rows === 1 ? "1 row" : `${formatCount(rows)} rows`}`);
    } catch (error) {
      if (!controller.signal.aborted) notifyError(error as Error);
    } finally {
      setRunning(undefined);
    }
  }

  return (
    <div className={classes.export}>
      {running && <ProgressLine {...progress} />}
      <Button
        variant="default"
        leftSection={running ? <IconX size={16} aria-hidden /> : <IconDownload size={16} aria-hidden />}
        // The second click of a double click must not cancel what the first one started.
        onClick={(event) => (running ? event.detail < 2 && running.abort() : void start())}
      >
        {running ? "Cancel export" : "Export"}
      </Button>
    </div>
  );
}

function ProgressLine({ rows, of }: Progress) {
  return (
    <div className={classes.progress}>
      <span>
        {formatCount(rows)}
        {of !== undefined && ` of ${formatCount(of)}`} rows
      </span>
      <progress aria-label="Export" {...(of !== undefined && { value: rows, max: Math.max(of, rows, 1) })} />
    </div>
  );
}
