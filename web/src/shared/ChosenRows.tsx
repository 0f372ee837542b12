import type { Endpoint } from "@footprint/contract/endpoint.ts";
import { mostChosen } from "@footprint/contract/schemas.ts";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { useDialog } from "./dialogs.tsx";
import { downloadRows } from "./downloadFile.ts";
import { formatCount } from "./format.tsx";
import { lazyPart } from "./lazyPart.tsx";
import type { List } from "./list.ts";
import { notify, notifyError } from "./notify.ts";
import { useSession } from "./session.ts";
import { counting, type Several, type SeveralAction, sumOf } from "./several.ts";
import { useWidthUpTo } from "./windowWidth.ts";

const SeveralBar = lazyPart(() => import("./SeveralBar.tsx").then((file) => file.SeveralBar));
const SeveralDialog = lazyPart(() => import("./SeveralDialog.tsx").then((file) => file.SeveralDialog));

/** The actions on the chosen rows, while there are any. */
export function ChosenRows<T extends { _id: string }>({ list, several }: { list: List<T>; several: Several<T> }) {
  const open = useDialog();
  const isPhone = useWidthUpTo("phone");
  const { role } = useSession();
  const [isExporting, setExporting] = useState(false);
  const { chosen } = list;
  if (chosen.rows.length === 0) return null;
  const { nameOf, customerOf, amountOf, exported } = several;

  async function exportChosen(call: Endpoint) {
    setExporting(true);
    try {
      const rows = await downloadRows(call, { ...list.asked, body: { ids: chosen.rows.map(({ _id }) => _id) } });
      notify("success", `Exported ${counting("row", "rows")(rows)}`);
    } catch (error) {
      notifyError(error as Error);
    }
    setExporting(false);
  }

  function start(action: SeveralAction<T>, rows: readonly T[], text: string) {
    const { act, ask } = action;
    if (act) return act(rows);
    open((close) => (
      <SeveralDialog
        text={text}
        danger={action.danger ?? false}
        rows={rows.map((row) => ({
          _id: row._id,
          name: nameOf(row),
          customer: customerOf?.(row),
          amount: amountOf?.(row) ?? 0,
        }))}
        leftOut={chosen.rows.length - rows.length}
        question={ask}
        onDone={chosen.drop}
        onClose={close}
      />
    ));
  }

  const actions = several.actions.flatMap((action) => {
    const rows = action.applies ? chosen.rows.filter(action.applies) : chosen.rows;
    const { text, Icon, danger = false } = action;
    const said = text(rows.length);
    return rows.length > 0 ? [{ text: said, Icon, danger, onClick: () => start(action, rows, said) }] : [];
  });
  if (exported && role === "admin")
    actions.unshift({ text: "Export", Icon: IconDownload, danger: false, onClick: () => void exportChosen(exported) });
  return (
    <SeveralBar
      count={chosen.rows.length}
      sum={amountOf && sumOf(chosen.rows.map(amountOf))}
      offer={chosen.isFetching ? undefined : offerOf(list, isPhone)}
      doing={chosen.isFetching ? "Choosing…" : isExporting ? "Exporting…" : undefined}
      actions={actions}
      onClear={chosen.clear}
    />
  );
}

/** Offers all pages once this one is chosen; on a phone, whose cards have no heading, first the rest of this page. */
function offerOf<T extends { _id: string }>({ rows = [], query, chosen }: List<T>, isPhone: boolean) {
  const { total = 0, totalCapped = false } = query.data ?? {};
  if (rows.some(({ _id }) => !chosen.has(_id)))
    return isPhone ? { text: "This page", onClick: () => chosen.add(rows) } : undefined;
  const isMore = total > mostChosen || totalCapped;
  if (chosen.rows.length >= (isMore ? mostChosen : total)) return undefined;
  const all = formatCount(total) + (totalCapped ? "+" : "");
  return {
    text: isMore ? `Choose the first ${formatCount(mostChosen)} of ${all}` : `Choose all ${all} that match`,
    onClick: () => void chosen.addAll(),
  };
}
