import { labelTypes } from "@footprint/contract/label-types.ts";
import { users } from "@footprint/contract/users.ts";
import { IconCalendar } from "@tabler/icons-react";
import { type Days, formatDays, isDay, spansAt, todayIn } from "./days.ts";
import { useDialog } from "./dialogs.tsx";
import { FilterChip, FinderChip, LinkChip } from "./FilterChip.tsx";
import type { MenuParts } from "./LazyMenu.tsx";
import { lazyPart } from "./lazyPart.tsx";
import { type ChipProps, isId, type ListFilter } from "./list.ts";
import { useApiQuery } from "./queries.ts";
import { useSession } from "./session.ts";

const CustomerFinder = lazyPart(() => import("./Finder.tsx").then((file) => file.CustomerFinder));
const StaffFinder = lazyPart(() => import("./Finder.tsx").then((file) => file.StaffFinder));
const DayPicker = lazyPart(() => import("./DayPicker.tsx").then((file) => file.DayPicker));

/** Filters by creation, in business days. */
export const dayFilter: ListFilter<"from" | "to"> = { names: ["from", "to"], accepts: isDay, Chip: DayChip };

function DayChip({ values: { from, to }, set }: ChipProps) {
  const { timezone } = useSession();
  const open = useDialog();
  return (
    <FilterChip
      label="Date"
      text={formatDays({ from, to }, todayIn(timezone))}
      onRemove={() => set({ from: undefined, to: undefined })}
      choices={(Menu, chip) => (
        <Spans
          Menu={Menu}
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

/** A separate component, drawn when the menu opens, so that "today" is right in a page left open overnight. */
function Spans(props: { Menu: MenuParts; chosen: Days; onChoose: (days: Days) => void; onCustom: () => void }) {
  const { Menu, chosen, onChoose, onCustom } = props;
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
        choices={(Menu) => (
          <Choices Menu={Menu} options={options} chosen={values[name]} onChoose={(value) => set({ [name]: value })} />
        )}
      />
    ),
  };
}

/** Filters that only links set, such as those of figures: shown while set, and removable. */
export function linkFilter<N extends string, R = unknown>(
  name: N,
  label: string,
  { accepts, textOf }: { accepts: (value: string) => boolean; textOf: (value: string, reply: R | undefined) => string },
): ListFilter<N, R> {
  return {
    names: [name],
    accepts,
    Chip({ values: { [name]: value }, set, reply }) {
      return (
        <LinkChip label={label} text={value && textOf(value, reply)} onRemove={() => set({ [name]: undefined })} />
      );
    },
  };
}

export const yesOrNoFilter = <N extends string>(name: N, label: string) =>
  choiceFilter(name, label, [
    ["true", "Yes"],
    ["false", "No"],
  ]);

type ChoicesProps = { Menu: MenuParts; chosen: string | undefined; onChoose: (value: string) => void };

function Choices({ Menu, ...props }: ChoicesProps & { options: readonly Option[] }) {
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
      choices={(Menu) => <LabelTypes Menu={Menu} chosen={labelType} onChoose={(value) => set({ labelType: value })} />}
    />
  );
}

/** Fetched when the menu opens. */
function LabelTypes(props: ChoicesProps) {
  const { Menu } = props;
  const { data, error } = useApiQuery(labelTypes.list, {});
  if (!data) return <Menu.Label>{error?.message ?? "Loading…"}</Menu.Label>;
  const options = data.labelTypes.map(({ _id, name }) => [_id, name] as const);
  return <Choices options={options} {...props} />;
}

/** One customer's rows. */
export const customerFilter: ListFilter<"customer"> = {
  names: ["customer"],
  accepts: (value) => isId.test(value),
  Chip: CustomerChip,
};

function CustomerChip({ values: { customer: id }, set }: ChipProps) {
  const open = useDialog();
  const { data, isError } = useApiQuery(
    users.read,
    { params: { id: id ?? "" } },
    { enabled: id !== undefined, retry: false },
  );
  const choose = (customer: string | undefined) => set({ customer });
  return (
    <FinderChip
      label="Customer"
      text={id && (data?.user.username ?? (isError ? "unknown" : "…"))}
      onRemove={() => choose(undefined)}
      onOpen={() => open((close) => <CustomerFinder onChoose={choose} onClose={close} />)}
    />
  );
}

type Asked = { by: { username: string } | null };

/** Filters by who did it: a link sets the id, and administrators find staff by name. */
export const doerFilter = (label: string): ListFilter<"by", Asked> => ({
  names: ["by"],
  accepts: (value) => isId.test(value),
  Chip: (props) => <DoerChip label={label} {...props} />,
});
export const byFilter = doerFilter("By");

function DoerChip({ label, values: { by }, set, reply }: ChipProps<Asked> & { label: string }) {
  const open = useDialog();
  const { role } = useSession();
  const choose = (id: string | undefined) => set({ by: id });
  const filter = {
    label,
    text: by && (reply?.by?.username ?? (reply ? "nobody known" : "…")),
    onRemove: () => choose(undefined),
  };
  if (role !== "admin") return <LinkChip {...filter} />;
  return <FinderChip {...filter} onOpen={() => open((close) => <StaffFinder onChoose={choose} onClose={close} />)} />;
}
