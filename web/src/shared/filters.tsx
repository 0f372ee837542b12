import { labelTypes } from "@footprint/contract/label-types.ts";
import { users } from "@footprint/contract/users.ts";
import { Menu } from "@mantine/core";
import { IconCalendar } from "@tabler/icons-react";
import { type Days, formatDays, isDay, spansAt, todayIn } from "./days.ts";
import { useDialog } from "./dialogs.tsx";
import { FilterChip, LinkChip } from "./FilterChip.tsx";
import { lazyPart } from "./lazyPart.tsx";
import { type ChipProps, isId, type ListFilter } from "./list.ts";
import { useApiQuery } from "./queries.ts";
import { useSession } from "./session.ts";

const DayPicker = lazyPart(() => import("./DayPicker.tsx").then((file) => file.DayPicker));

/** When it was created, in business days. */
export const dayFilter: ListFilter<"from" | "to"> = { names: ["from", "to"], accepts: isDay, Chip: DayChip };

function DayChip({ values: { from, to }, set }: ChipProps) {
  const { timezone } = useSession();
  const open = useDialog();
  return (
    <FilterChip
      label="Date"
      text={formatDays({ from, to }, todayIn(timezone))}
      onRemove={() => set({ from: undefined, to: undefined })}
      choices={(chip) => (
        <Spans
          chosen={{ from, to }}
          onChoose={set}
          onCustom={() => {
            chip.current?.focus();
            open((close) => <DayPicker days={{ from, to }} onChoose={set} onClose={close} />);
          }}
        />
      )}
    />
  );
}

/** A part of its own: drawn when the menu opens, so that today is today in a page that was left open overnight. */
function Spans(props: { chosen: Days; onChoose: (days: Days) => void; onCustom: () => void }) {
  const { chosen, onChoose, onCustom } = props;
  const { timezone } = useSession();
  return (
    <>
      {Object.entries(spansAt(todayIn(timezone))).map(([name, days]) => (
        <Menu.RadioItem
          key={name}
          value={name}
          checked={days.from === chosen.from && days.to === chosen.to}
          onChange={() => onChoose(days)}
          closeMenuOnClick
        >
          {name}
        </Menu.RadioItem>
      ))}
      <Menu.Divider />
      <Menu.Item leftSection={<IconCalendar size={14} aria-hidden />} onClick={onCustom}>
        Custom…
      </Menu.Item>
    </>
  );
}

type Option = readonly [value: string, text: string];

/** One of a few values. */
export function choiceFilter<N extends string>(name: N, label: string, options: readonly Option[]): ListFilter<N> {
  return {
    names: [name],
    accepts: (value) => options.some(([known]) => known === value),
    Chip: ({ values, set }) => (
      <FilterChip
        label={label}
        text={options.find(([value]) => value === values[name])?.[1]}
        onRemove={() => set({ [name]: undefined })}
        choices={() => <Choices options={options} chosen={values[name]} onChoose={(value) => set({ [name]: value })} />}
      />
    ),
  };
}

export const yesOrNoFilter = <N extends string>(name: N, label: string) =>
  choiceFilter(name, label, [
    ["true", "Yes"],
    ["false", "No"],
  ]);

function Choices(props: { options: readonly Option[]; chosen: string | undefined; onChoose: (value: string) => void }) {
  return props.options.map(([value, text]) => (
    <Menu.RadioItem
      key={value}
      value={value}
      checked={value === props.chosen}
      onChange={props.onChoose}
      closeMenuOnClick
    >
      {text}
    </Menu.RadioItem>
  ));
}

export const labelTypeFilter: ListFilter<"labelType"> = {
  names: ["labelType"],
  accepts: (value) => isId.test(value),
  Chip: LabelTypeChip,
};

function LabelTypeChip({ values: { labelType }, set }: ChipProps) {
  const { data, isError } = useApiQuery(labelTypes.list, {}, { enabled: Boolean(labelType) });
  const name = data?.labelTypes.find(({ _id }) => _id === labelType)?.name;
  return (
    <FilterChip
      label="Label type"
      text={labelType && (name ?? (data || isError ? "unknown" : "…"))}
      onRemove={() => set({ labelType: undefined })}
      choices={() => <LabelTypes chosen={labelType} onChoose={(value) => set({ labelType: value })} />}
    />
  );
}

/** Fetched when the menu opens. */
function LabelTypes({ chosen, onChoose }: { chosen: string | undefined; onChoose: (value: string) => void }) {
  const { data, error } = useApiQuery(labelTypes.list, {});
  if (!data) return <Menu.Label>{error?.message ?? "Loading…"}</Menu.Label>;
  const options = data.labelTypes.map(({ _id, name }) => [_id, name] as const);
  return <Choices options={options} chosen={chosen} onChoose={onChoose} />;
}

/** One customer's rows: customers are many, so a link brings the id. */
export const customerFilter: ListFilter<"customer"> = {
  names: ["customer"],
  accepts: (value) => isId.test(value),
  Chip: ({ values: { customer }, set }) =>
    customer && <CustomerChip id={customer} onRemove={() => set({ customer: undefined })} />,
};

function CustomerChip({ id, onRemove }: { id: string; onRemove: () => void }) {
  const { data, isError } = useApiQuery(users.read, { params: { id } }, { retry: false });
  const name = data?.user.username ?? (isError ? "unknown" : "…");
  return <LinkChip label="Customer" text={name} onRemove={onRemove} />;
}
