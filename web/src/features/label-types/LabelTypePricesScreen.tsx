import { type LabelType, labelTypes, type PriceTier } from "@footprint/contract/label-types.ts";
import type { PriceOverview } from "@footprint/contract/price-preview.ts";
import { ActionIcon, Anchor, Button, Text } from "@mantine/core";
import { IconAlertTriangle, IconCalculator, IconClipboardText, IconPlus, IconTrash } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import { callApi } from "../../shared/api.ts";
import { TakenWidth } from "../../shared/beside.ts";
import { AddButton, RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { dayAfter, todayIn } from "../../shared/days.ts";
import { deletion, useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { formatCount, formatMoney, formatTotal, formatWeight, formatWeights, Time } from "../../shared/format.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { isNotFound, NotFound } from "../../shared/NotFound.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { useSession } from "../../shared/session.ts";
import { TablePanel } from "../../shared/TablePanel.tsx";
import { useWhatTheyPay } from "../../shared/whatTheyPay.tsx";
import { useWidthUpTo } from "../../shared/windowWidth.ts";
import { type Gap, isGap, tiersAndGaps } from "./gaps.ts";
import classes from "./Prices.module.css";

const TierForm = lazyPart(() => import("./TierForm.tsx").then((file) => file.TierForm));
const TierEditor = lazyPart(() => import("./TierEditor.tsx").then((file) => file.TierEditor));
const PricesAside = lazyPart(() => import("./PricesAside.tsx").then((file) => file.PricesAside));
const PastePrices = lazyPart(() => import("./PastePrices.tsx").then((file) => file.PastePrices));

const back = { to: "/pricing", label: "Label Pricing" };

/** What stands beside the table, in em. */
const asideWidth = 22.5;

/** The sum of all rows, as the last of them. */
type All = { _id: "all"; price: null };
type Row = PriceTier | Gap | All;
const isAll = (row: Row): row is All => row.price === null;
const isTier = (row: Row): row is PriceTier => !isAll(row) && !isGap(row);

/** The tier in the address (`?tier=`) is edited in its row; `price` proposes one. */
export function LabelTypePricesScreen() {
  const { id = "" } = useParams();
  const query = useApiQuery(labelTypes.read, { params: { id } });
  const overview = useApiQuery(labelTypes.overview, { params: { id } }).data;
  const [address, setAddress] = useSearchParams();
  const [draft, setDraft] = useState<number>();
  const [lastEdited, setLastEdited] = useState<PriceTier>();
  const confirm = useConfirm();
  const open = useDialog();
  const askWhatTheyPay = useWhatTheyPay();
  const isBelow = useWidthUpTo("withoutDrawer");
  const labelType = query.data?.labelType;
  const name = labelType?.name ?? "";
  const weights = ({ fromWeight, toWeight }: PriceTier | Gap) => formatWeights(fromWeight, toWeight, name);
  if (isNotFound(query.error)) return <NotFound what="label type" back={back} />;

  const editedId = address.get("tier");
  const current = labelType?.prices.find(({ _id }) => _id === editedId);
  if (current && current !== lastEdited) setLastEdited(current);
  // If somebody else deletes it, it stays with what was typed.
  const edited = current ?? (editedId === lastEdited?._id ? lastEdited : undefined);
  const isGone = !current;
  const proposed = Number(address.get("price") || Number.NaN);
  const soldOf = ({ _id }: PriceTier) => overview?.tiers.find((tier) => tier._id === _id);
  const most = Math.max(1, ...(overview?.tiers ?? []).map(({ orders }) => orders));

  const edit = (tier: PriceTier, price?: number) =>
    setAddress({ tier: tier._id, ...(price !== undefined && { price: String(price) }) }, { replace: true });
  const close = () => {
    setAddress({}, { replace: true });
    // Where the form was, its row is.
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-row="${editedId}"] button`)?.focus());
  };
  const add = (gap?: Gap) => labelType && open((close) => <TierForm labelType={labelType} gap={gap} onClose={close} />);
  const paste = () => labelType && open((close) => <PastePrices labelType={labelType} onClose={close} />);
  const askToDelete = (tier: PriceTier) => {
    const { _id: price_id, fromWeight, toWeight, price, version } = tier;
    const sold = soldOf(tier)?.orders;
    confirm({
      title: `Delete the price for ${weights(tier)}?`,
      message: `${name} parcels of ${weights(tier)}, now ${formatMoney(price)}, can then not be priced.${sold ? ` ${orderCount(sold)} of the last 30 days ${sold === 1 ? "was" : "were"} of these weights.` : ""}`,
      asksReason: "for the log",
      ...deletion,
      onConfirm: (options, reason) =>
        callApi(
          labelTypes.deleteTier,
          { params: { id }, body: { price_id, fromWeight, toWeight, reason } },
          { ...options, version },
        ),
    });
  };

  const columns: Column<Row>[] = [
    {
      title: "Weight",
      cell: (row) =>
        isAll(row) ? (
          <Text inherit span c="dimmed" fw={500}>
            All tiers
          </Text>
        ) : (
          <b>{weights(row)}</b>
        ),
      onCard: "headline",
    },
    {
      title: "Price",
      cell: (row) => (isAll(row) ? "" : isGap(row) ? <Warning>No price</Warning> : <b>{formatMoney(row.price)}</b>),
      align: "right",
      onCard: "aside",
    },
    {
      title: "Orders, 30 days",
      cell: (row) => {
        const orders = isAll(row) ? overview?.all.orders : isTier(row) ? soldOf(row)?.orders : undefined;
        if (orders === undefined) return "";
        return isAll(row) ? <b>{formatCount(orders)}</b> : <Share orders={orders} most={most} />;
      },
      align: "right",
    },
    {
      title: "Revenue",
      cell: (row) => {
        const sold = isAll(row) ? overview?.all : isTier(row) ? soldOf(row) : undefined;
        return sold && (isAll(row) ? <b>{formatMoney(sold.revenue)}</b> : formatMoney(sold.revenue));
      },
      align: "right",
    },
    {
      title: "Custom prices",
      cell: (row) => {
        const sold = isAll(row) ? overview?.all : isTier(row) ? soldOf(row) : undefined;
        if (!sold) return "";
        return isAll(row) ? <b>{formatCount(sold.customPrices)}</b> : sold.customPrices || "–";
      },
      align: "right",
      only: "room",
    },
    {
      title: "Changed",
      cell: (row) => {
        const changedAt = isTier(row) ? soldOf(row)?.changedAt : undefined;
        return changedAt && <Time value={changedAt} />;
      },
      dimmed: true,
      align: "right",
      only: "room",
    },
    {
      title: "",
      cell: (row) => {
        if (isAll(row)) return "";
        if (isGap(row))
          return (
            <RowButton
              text="Add Weight"
              of={`for ${weights(row)}`}
              Icon={IconPlus}
              variant="default"
              onClick={() => add(row)}
            />
          );
        if (row._id === editedId) return <span className={classes.editing}>Editing</span>;
        return (
          <>
            <RowButton text="Edit" of={weights(row)} onClick={() => edit(row)} />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Delete ${weights(row)}`}
              onClick={() => askToDelete(row)}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </>
        );
      },
    },
  ];

  const table = (
    <TablePanel
      title="Prices by weight"
      query={query}
      rows={({ labelType }) =>
        rowsOf(edited && isGone ? { ...labelType, prices: [...labelType.prices, edited] } : labelType)
      }
      columns={columns}
      tone={(row) => (isAll(row) ? "total" : isGap(row) ? "warning" : undefined)}
      expanded={
        edited &&
        labelType && {
          id: edited._id,
          content: (
            <TierEditor
              key={`${edited._id} ${proposed}`}
              labelType={labelType}
              tier={edited}
              isGone={isGone}
              sold={soldOf(edited)}
              {...(proposed >= 0 && proposed < Number.POSITIVE_INFINITY && { price: proposed })}
              onDraft={setDraft}
              onClose={close}
            />
          ),
        }
      }
      empty={{ title: "No prices yet", hint: "Add the first one." }}
    />
  );
  const shown = current ?? labelType?.prices[0];

  return (
    <>
      <ScreenHeader
        title={labelType ? `${name} prices` : "Label type prices"}
        back={back}
        crumb={name || "Label type"}
        subtitle={labelType ? <Summary labelType={labelType} overview={overview} /> : ""}
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconCalculator size={16} aria-hidden />}
              onClick={() => askWhatTheyPay({ labelType: id })}
            >
              What would they pay?
            </Button>
            <Button
              variant="default"
              leftSection={<IconClipboardText size={16} aria-hidden />}
              disabled={!labelType}
              onClick={paste}
            >
              Paste table
            </Button>
            <AddButton text="Add Weight" disabled={!labelType} onClick={() => add()} />
          </>
        }
      />
      <div className={classes.screen}>
        <TakenWidth value={isBelow ? 0 : asideWidth}>{table}</TakenWidth>
        {labelType && shown && (
          <PricesAside
            labelType={labelType}
            tier={shown}
            draft={current && draft}
            scheduled={overview?.scheduled ?? []}
            onReturn={(price) => edit(shown, price)}
          />
        )}
      </div>
    </>
  );
}

const rowsOf = (labelType: LabelType): Row[] => {
  const rows = tiersAndGaps(labelType);
  return labelType.prices.length > 0 ? [...rows, { _id: "all", price: null }] : rows;
};

const orderCount = (total: number) => formatTotal({ total }, "order", "orders", false);

/** 7 tiers, up to 70 lb. 776 orders in the last 30 days. */
function Summary({ labelType, overview }: { labelType: LabelType; overview: PriceOverview | undefined }) {
  const { timezone } = useSession();
  const count = formatTotal({ total: labelType.prices.length }, "tier", "tiers", false);
  const today = todayIn(timezone);
  const days = `from=${dayAfter(today, -29)}&to=${today}`;
  return (
    <>
      {count}, up to {formatWeight(labelType.maxWeight, labelType.name)}.{" "}
      {overview && (
        <Anchor component={Link} inherit to={`/orders?status=Active&labelType=${labelType._id}&${days}`}>
          {orderCount(overview.all.orders)} in the last 30 days
        </Anchor>
      )}
    </>
  );
}

/** A number, and what it is of the largest. */
function Share({ orders, most }: { orders: number; most: number }) {
  return (
    <span className={classes.share}>
      <span className={classes.bar} aria-hidden>
        <span style={{ width: `${(orders / most) * 100}%` }} />
      </span>
      <span className={classes.sold}>{formatCount(orders)}</span>
    </span>
  );
}

function Warning({ children }: { children: ReactNode }) {
  return (
    <Text span size="sm" fw={600} c="var(--mantine-color-orange-light-color)">
      <IconAlertTriangle size={16} aria-hidden style={{ marginRight: 8, verticalAlign: "text-bottom" }} />
      {children}
    </Text>
  );
}
