import { ActionIcon } from "@mantine/core";
import { IconChartBar, IconCopy, IconDots, IconDownload, IconTable } from "@tabler/icons-react";
import { copyText } from "../../shared/copyText.ts";
import { LazyMenu } from "../../shared/LazyMenu.tsx";
import { notify } from "../../shared/notify.ts";
import { asTabbedText, type Sheet, saveAsCsv } from "./csv.ts";

/** Takes figures elsewhere: as text, as a file; and shows a chart's as a table. */
export function FigureMenu({
  title,
  file,
  sheet,
  table,
}: {
  title: string;
  file: string;
  sheet: () => Sheet;
  table?: { isShown: boolean; toggle: () => void };
}) {
  const copy = async () => {
    const copied = await copyText(asTabbedText(sheet()));
    notify(copied ? "success" : "error", copied ? `${title} copied` : "The browser did not let it be copied");
  };
  return (
    <LazyMenu
      position="bottom-end"
      withinPortal
      portalProps={{ target: "#content" }}
      button={
        <ActionIcon variant="subtle" color="gray" aria-label={`${title}: table, copy, export`} data-print="never">
          <IconDots size={16} />
        </ActionIcon>
      }
    >
      {(Menu) => (
        <>
          {table && (
            <Menu.Item
              leftSection={table.isShown ? <IconChartBar size={16} aria-hidden /> : <IconTable size={16} aria-hidden />}
              onClick={table.toggle}
            >
              {table.isShown ? "Show as chart" : "Show as table"}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconCopy size={16} aria-hidden />} onClick={copy}>
            Copy
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload size={16} aria-hidden />} onClick={() => saveAsCsv(file, sheet())}>
            Export CSV
          </Menu.Item>
        </>
      )}
    </LazyMenu>
  );
}
