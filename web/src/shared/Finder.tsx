import { staff } from "@footprint/contract/staff.ts";
import { users } from "@footprint/contract/users.ts";
import { Select } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import { useDebouncedCallback } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { Dialog } from "./Dialog.tsx";
import { useApiQuery } from "./queries.ts";

type FinderProps = { onChoose: (id: string) => void; onClose: () => void };
type Known = { _id: string; username: string };

/** Finds a customer by typing. */
export function CustomerFinder({ onChoose, onClose }: FinderProps) {
  return (
    <FinderDialog label="customer" onClose={onClose}>
      <CustomerField onChoose={closing(onChoose, onClose)} autoFocus />
    </FinderDialog>
  );
}

/** Finds a staff account by typing. */
export function StaffFinder({ onChoose, onClose }: FinderProps) {
  const [search, setSearch] = useState("");
  const { data } = useApiQuery(staff.list, { query: { search } });
  return (
    <FinderDialog label="by" onClose={onClose}>
      <FinderField
        label="By"
        hint="Username"
        found={data?.staff}
        onSearch={setSearch}
        onChoose={closing(onChoose, onClose)}
        autoFocus
      />
    </FinderDialog>
  );
}

const closing = (onChoose: FinderProps["onChoose"], onClose: () => void) => (id: string) => {
  onChoose(id);
  onClose();
};

function FinderDialog({ label, onClose, children }: { label: string; onClose: () => void; children: ReactNode }) {
  return (
    <Dialog title={`Filter by ${label}`} size="sm" onClose={onClose}>
      {children}
    </Dialog>
  );
}

/** A field that finds a customer. */
export function CustomerField(props: {
  label?: string;
  /** Chosen at the beginning. */
  chosen?: Known | undefined;
  onChoose: (id: string) => void;
  autoFocus?: boolean;
}) {
  const [search, setSearch] = useState("");
  const { data } = useApiQuery(users.list, { query: { search } });
  return (
    <FinderField label="Customer" hint="Name, discord id, email" found={data?.users} onSearch={setSearch} {...props} />
  );
}

function FinderField({
  label,
  hint,
  found,
  chosen,
  onSearch,
  onChoose,
  autoFocus = false,
}: {
  label: string;
  hint: string;
  /** Undefined while loading. */
  found: readonly Known[] | undefined;
  chosen?: Known | undefined;
  onSearch: (text: string) => void;
  onChoose: (id: string) => void;
  autoFocus?: boolean;
}) {
  const [text, setText] = useState(chosen?.username ?? "");
  const search = useDebouncedCallback(onSearch, 300);
  // The chosen one may not be among the results.
  const others = found?.filter(({ _id }) => _id !== chosen?._id) ?? [];
  const offered = chosen && text === chosen.username ? [chosen, ...others] : (found ?? []);
  return (
    <Select
      label={label}
      placeholder={hint}
      data-autofocus={autoFocus || undefined}
      searchable
      maxLength={200}
      {...(chosen && { defaultValue: chosen._id })}
      // Kept here, because the field itself would clear it with every answer.
      searchValue={text}
      onSearchChange={(next) => {
        setText(next);
        search(next);
      }}
      data={offered.map(({ _id, username }) => ({ value: _id, label: username }))}
      // Room for ten, so that nothing scrolls that keys cannot reach.
      maxDropdownHeight={400}
      comboboxProps={{ portalProps: { target: "#content" } }}
      // The server has searched already.
      filter={({ options }) => options}
      nothingFoundMessage={found ? "Nothing found" : "Loading…"}
      onChange={(id) => id && onChoose(id)}
    />
  );
}
