import type { CreateBulkOrderReply, LabelType } from "@footprint/client";
import { IconDownload, IconFileSpreadsheet } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { Link } from "react-router";
import { inCents } from "../../prices.ts";
import { ask, Failure } from "../ask.ts";
import { check, mostLabels, type Priced, type Remark, remarksIn, sample } from "../bulk.ts";
import { download, textOf, writeCsv } from "../csv.ts";
import { useLabelTypes, useRefresh } from "../data.ts";
import { useDraft } from "../draft.ts";
import { Notice } from "../parts/Notice.tsx";
import { Refused } from "../parts/Refused.tsx";
import { Loaded, LoadingCard } from "../parts/States.tsx";
import { ShipTabs } from "../parts/Tabs.tsx";
import { useCustomer } from "../useCustomer.ts";
import { useTitle } from "../useTitle.ts";
import { count, dollars, placeOf } from "../words.ts";

type File = { name: string; text: string };

export function BulkScreen() {
  useTitle("Labels from a file");
  const labelTypes = useLabelTypes();
  const [bought, setBought] = useState<CreateBulkOrderReply>();
  return (
    <>
      <h1>Ship</h1>
      <ShipTabs />
      {bought ? (
        <Bought bought={bought} onMore={() => setBought(undefined)} />
      ) : (
        <Loaded query={labelTypes} loading={<LoadingCard />}>
          {(data) => <BulkForm labelTypes={data.labelTypes} onBought={setBought} />}
        </Loaded>
      )}
    </>
  );
}

type FormProps = { labelTypes: LabelType[]; onBought: (bought: CreateBulkOrderReply) => void };

function BulkForm({ labelTypes, onBought }: FormProps) {
  const { discordId } = useCustomer();
  const draft = useDraft<File | null>("bulk", discordId, () => null);
  const [problem, setProblem] = useState("");
  const file = draft.values;

  async function take(chosen: globalThis.File | undefined) {
    if (!chosen) return;
    setProblem("");
    if (chosen.size > 2 * 1024 * 1024) return setProblem("This file is too large for 500 labels.");
    if (/\.(xlsx?|numbers|ods|pdf)$/i.test(chosen.name))
      return setProblem("Save it as CSV in your spreadsheet program first, and choose that file.");
    draft.begin({ name: chosen.name, text: textOf(new Uint8Array(await chosen.arrayBuffer())) });
  }

  if (file) return <DryRun {...{ file, draft, labelTypes, onBought }} onOther={() => draft.begin(null)} />;
  return (
    <div className="columns aside">
      <div className="stack">
        <Drop onFile={take} />
        {problem && (
          <Notice tone="bad" isUrgent>
            {problem}
          </Notice>
        )}
      </div>
      <div className="card stack">
        <h2>How it works</h2>
        <ol className="steps">
          <li>
            <span>Fill in one line for each label, up to {mostLabels}.</span>
          </li>
          <li>
            <span>
              Choose the file. You see the total, and every line that is not right, before anything is bought.
            </span>
          </li>
          <li>
            <span>Buy all of them at once, or none.</span>
          </li>
        </ol>
        <button
          type="button"
          className="button plain"
          onClick={() => download("larkpost-sample.csv", writeCsv(sample(labelTypes)))}
        >
          <IconDownload size={18} aria-hidden />
          Sample file
        </button>
        <p className="soft small">
          Label types: {labelTypes.map(({ uid }) => uid).join(", ")}. First Class is weighed in ounces, all others in
          pounds.
        </p>
      </div>
    </div>
  );
}

/** Files can be dropped on the input itself, which covers the whole area. */
function Drop({ onFile }: { onFile: (file: globalThis.File | undefined) => void }) {
  const [isOver, setOver] = useState(false);
  return (
    <div className="drop" data-over={isOver}>
      <IconFileSpreadsheet size={40} stroke={1.4} aria-hidden />
      <strong>Choose a CSV file</strong>
      <span className="soft">or drop it here</span>
      <input
        type="file"
        accept=".csv,.txt,.tsv,text/csv,text/plain"
        aria-label="CSV file with labels"
        onDragEnter={() => setOver(true)}
        onDragLeave={() => setOver(false)}
        onDrop={() => setOver(false)}
        onChange={(event) => onFile(event.target.files?.[0])}
      />
    </div>
  );
}

type DryRunProps = FormProps & {
  file: File;
  draft: ReturnType<typeof useDraft<File | null>>;
  onOther: () => void;
};

/** What the file would buy, and its faults. Nothing is bought yet. */
function DryRun({ file, draft, labelTypes, onBought, onOther }: DryRunProps) {
  const { balance, isVerified, status } = useCustomer();
  const refresh = useRefresh();
  const [failure, setFailure] = useState<Failure>();
  const { labels, faults, cautions } = useMemo(() => check(file.text, labelTypes), [file, labelTypes]);
  const total = labels.reduce((sum, { price }) => sum + inCents(price), 0);
  const left = (inCents(balance) - total) / 100;
  const refused = remarksIn(failure?.issues ?? [], labels);
  const { isSending, isUnsure } = draft;
  const canBuy = isVerified && status && labels.length > 0 && faults.length === 0;

  async function buy() {
    setFailure(undefined);
    try {
      const body = { price: total / 100, labels: labels.map(({ label }) => label) };
      const answer = await draft.send((key) => ask("POST /api/bulk-orders", { body: { key, ...body } }));
      void refresh("me", "orders", "transfers");
      onBought(answer);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      setFailure(error);
      void refresh("me", "prices");
    }
  }

  return (
    <div className="columns aside">
      <div className="stack">
        <div className="row apart">
          <h2 className="clip">{file.name}</h2>
          {/* What is no longer for sale cannot be sent again; then the list of orders tells. */}
          {(!isUnsure || faults.length > 0) && (
            <button type="button" className="button bare" onClick={onOther} disabled={isSending}>
              Choose another file
            </button>
          )}
        </div>
        {faults.length > 0 ? (
          <Remarks
            tone="bad"
            title={`${count(faults.length, "thing has", "things have")} to be mended before anything can be bought`}
            remarks={faults}
          />
        ) : (
          <Notice tone="well" title={`All ${count(labels.length, "line")} can be bought`} />
        )}
        {refused.length > 0 && <Remarks tone="bad" title="The back office refused these lines" remarks={refused} />}
        {cautions.length > 0 && (
          <Remarks
            tone="late"
            title={`${count(cautions.length, "address looks", "addresses look")} wrong. You know best: they can be bought as they are`}
            remarks={cautions}
          />
        )}
        {labels.length > 0 && <Preview labels={labels} labelTypes={labelTypes} />}
      </div>
      <div className="stays stack">
        <div className="card stack">
          <dl className="facts">
            <div>
              <dt>{faults.length > 0 ? "Lines that are right" : "Labels"}</dt>
              <dd className="figure">{labels.length}</dd>
            </div>
            <div>
              <dt>Your balance</dt>
              <dd className="figure">{dollars(balance)}</dd>
            </div>
            <div>
              <dt>Left after it</dt>
              <dd className="figure">{dollars(left)}</dd>
            </div>
            <div className="total">
              <dt>Total</dt>
              <dd className="figure">{dollars(total / 100)}</dd>
            </div>
          </dl>
          <Refused
            failure={refused.length > 0 ? undefined : failure}
            isUnsure={isUnsure && !isSending}
            missing={-left}
            what="your purchase"
          />
          <button type="button" className="button block" disabled={!canBuy || isSending} onClick={buy}>
            {isSending ? "Buying …" : isUnsure ? "Send it again" : `Buy ${count(labels.length, "label")}`}
          </button>
          <p className="soft small">All of them or none: where one cannot be bought, nothing is charged.</p>
        </div>
      </div>
    </div>
  );
}

function Remarks({ tone, title, remarks }: { tone: "bad" | "late"; title: string; remarks: Remark[] }) {
  return (
    <section className="card stack" aria-label={title}>
      <Notice tone={tone} title={title} isUrgent={tone === "bad"} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <ul className="lines" tabIndex={0} aria-label="Lines">
        {remarks.slice(0, 200).map(({ line, column, message }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line may be wrong in two ways
          <li key={index}>
            <span className="line figure">Line {line}</span>
            <span>
              {column && <span className="mono">{column}</span>} {message}
            </span>
          </li>
        ))}
      </ul>
      {remarks.length > 200 && <p className="soft small">and {remarks.length - 200} more</p>}
    </section>
  );
}

function Preview({ labels, labelTypes }: { labels: Priced[]; labelTypes: LabelType[] }) {
  const shown = 5;
  return (
    <section className="stack" aria-label="Labels in the file">
      <ul className="list">
        {labels.slice(0, shown).map(({ line, label, price }) => (
          <li className="item" key={line}>
            <div>
              <strong>{String(label.toName)}</strong>
              <div className="small soft">
                {labelTypes.find(({ uid }) => uid === label.labelType)?.name} ·{" "}
                {placeOf(String(label.toCity), String(label.toState))}
              </div>
            </div>
            <div className="end">
              <strong className="figure">{dollars(price)}</strong>
              <span className="small soft">Line {line}</span>
            </div>
          </li>
        ))}
      </ul>
      {labels.length > shown && <p className="soft small">and {count(labels.length - shown, "more label")}</p>}
    </section>
  );
}

function Bought({ bought, onMore }: { bought: CreateBulkOrderReply; onMore: () => void }) {
  const { orders, total } = bought.bulkOrder;
  const save = () =>
    download(
      "larkpost-labels.csv",
      writeCsv([
        ["to", "city", "state", "label", "price", "tracking"],
        ...orders.map((order) => [
          order.toName,
          order.toCity,
          order.toState,
          order.labelType.name,
          order.price.toFixed(2),
          order.tracking,
        ]),
      ]),
    );
  return (
    <div className="stack">
      <Notice tone="well" title={`${count(orders.length, "label")} bought for ${dollars(total)}`} isUrgent>
        {dollars(bought.balance)} are left in your balance.
        <div className="row">
          <button type="button" className="button" onClick={save}>
            <IconDownload size={18} aria-hidden />
            Download the tracking codes
          </button>
          <Link className="button plain" to="/orders">
            See your orders
          </Link>
          <button type="button" className="button bare" onClick={onMore}>
            Another file
          </button>
        </div>
      </Notice>
      <ul className="list">
        {orders.slice(0, 20).map((order) => (
          <li key={order._id}>
            <Link className="item" to={`/orders/${order._id}`}>
              <div>
                <strong>{order.toName}</strong>
                <div className="small soft mono">{order.tracking || "no tracking code"}</div>
              </div>
              <strong className="figure">{dollars(order.price)}</strong>
            </Link>
          </li>
        ))}
      </ul>
      {orders.length > 20 && <p className="soft small">and {count(orders.length - 20, "more label")}</p>}
    </div>
  );
}
