import { mostChosen } from "./chosen.ts";
import { useDialog } from "./dialogs.tsx";
import { formatCount } from "./format.tsx";
import { lazyPart } from "./lazyPart.tsx";
import type { List } from "./list.ts";
import { type Several, type SeveralAction, sumOf } from "./several.ts";
import { useWidthUpTo } from "./windowWidth.ts";

const SeveralBar = lazyPart(() => import("./SeveralBar.tsx").then((file) => file.SeveralBar));
const SeveralDialog = lazyPart(() => import("./SeveralDialog.tsx").then((file) => file.SeveralDialog));

/** What can be done with the rows that are chosen, as long as some are. */
export function ChosenRows<T extends { _id: string }>({ list, several }: { list: List<T>; several: Several<T> }) {
  const open = useDialog();
  const isPhone = useWidthUpTo("phone");
  const { chosen } = list;
  if (chosen.rows.length === 0) return null;
  const { nameOf, customerOf, amountOf } = several;

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
  return (
    <SeveralBar
      count={chosen.rows.length}
      sum={amountOf && sumOf(chosen.rows.map(amountOf))}
      offer={chosen.isFetching ? undefined : offerOf(list, isPhone)}
      isFetching={chosen.isFetching}
      actions={actions}
      onClear={chosen.clear}
    />
  );
}

/** All pages, once this one is chosen; on a phone, whose cards have no head, first the rest of this one. */
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
