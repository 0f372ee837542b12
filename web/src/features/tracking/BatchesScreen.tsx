import { codeBatches } from "@footprint/contract/code-batches.ts";
import type { CodeBatch } from "@footprint/contract/tracking.ts";
import { IconPencil, IconTrash } from "@tabler/icons-react";
import { callApi } from "../../shared/api.ts";
import { RowButton } from "../../shared/buttons.tsx";
import type { Column } from "../../shared/DataTable.tsx";
import { useConfirm, useDialog } from "../../shared/dialogs.tsx";
import { dayFilter } from "../../shared/filters.tsx";
import { formatCount, StatusBadge, Time } from "../../shared/format.tsx";
import { ListScreen } from "../../shared/ListScreen.tsx";
import { labelOf } from "../../shared/labels.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import { useList } from "../../shared/list.ts";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { ShortId, shortened } from "../../shared/ShortId.tsx";
import { counting } from "../../shared/several.ts";
import { BatchFile } from "./BatchFile.tsx";
import { CreateButton } from "./CreateButton.tsx";
import { typeFilter } from "./codeFilters.tsx";
import { TrackingTabs } from "./TrackingTabs.tsx";

const BatchForm = lazyPart(() => import("./BatchForm.tsx").then((file) => file.BatchForm));

const filters = [dayFilter, typeFilter];

const unusedCodes = counting("unused code", "unused codes");

/** Who registered which range of codes, when, where it came from, and how much of it is used. */
export function BatchesScreen() {
  const list = useList(codeBatches.list, (reply) => reply.batches, { filters, within: {} });
  const open = useDialog();
  const confirm = useConfirm();

  const askToWithdraw = ({ _id, type, first, amount, left, used }: CodeBatch) =>
    confirm({
      title: "Withdraw this batch?",
      message: `${unusedCodes(left)} of ${formatCount(amount)} ${labelOf(type)} from ${shortened(first)} on will be deleted; ${formatCount(used)} used ${used === 1 ? "one stays" : "ones stay"}. This cannot be undone.`,
      action: `Withdraw ${unusedCodes(left)}`,
      working: "Withdrawing…",
      danger: true,
      onConfirm: () => callApi(codeBatches.withdraw, { params: { id: _id } }),
    });

  const columns: Column<CodeBatch>[] = [
    {
      title: "Range",
      cell: ({ first }) => <ShortId value={first} name="first code" />,
      second: ({ last, amount }) => (amount > 1 ? `to ${shortened(last)}` : "A single code"),
      width: "16%",
      onCard: "headline",
    },
    { title: "Type", cell: ({ type }) => labelOf(type), second: ({ template }) => labelOf(template), width: "12%" },
    {
      title: "Codes",
      cell: ({ used, amount }) => `${formatCount(used)} of ${formatCount(amount)} used`,
      second: (batch) => <Rest batch={batch} />,
      align: "right",
      width: "12%",
      onCard: "aside",
    },
    {
      title: "Came from",
      cell: ({ note }) => note || <StatusBadge tone="plain">Nobody noted it</StatusBadge>,
      second: (batch) => batch.file && <BatchFile batch={batch} />,
      wraps: true,
    },
    {
      title: "Registered",
      cell: ({ createdAt }) => <Time value={createdAt} />,
      second: ({ by }) => by?.username ?? "Nobody noted it",
      width: "13%",
    },
    {
      title: "",
      cell: (batch) => (
        <>
          <RowButton text="Codes" of={`of ${batch.first}`} to={`/usps?batch=${batch._id}`} />
          <RowButton
            text="Edit"
            of={batch.first}
            Icon={IconPencil}
            onClick={() => open((close) => <BatchForm batch={batch} onClose={close} />)}
          />
          {batch.left > 0 && (
            <RowButton danger text="Withdraw" of={batch.first} Icon={IconTrash} onClick={() => askToWithdraw(batch)} />
          )}
        </>
      ),
    },
  ];

  return (
    <>
      <ScreenHeader title="USPS Tracking" actions={<CreateButton />} showsTimes />
      <TrackingTabs chosen="Batches" />
      <ListScreen
        title="Batches"
        counted={["batch", "batches"]}
        list={list}
        views={{ screen: "usps", usual: {} }}
        columns={columns}
        exported={codeBatches.export}
        searchFor="Note, first or last code"
        empty={{
          title: "No batches yet",
          hint: "Codes that are registered together are a batch, with a note of where they came from.",
          action: <CreateButton />,
        }}
        pageOf={({ _id }) => `/usps?batch=${_id}`}
      />
    </>
  );
}

function Rest({ batch: { amount, left, used } }: { batch: CodeBatch }) {
  const deleted = amount - left - used;
  return [`${formatCount(left)} left`, deleted > 0 && `${formatCount(deleted)} deleted`].filter(Boolean).join(", ");
}
