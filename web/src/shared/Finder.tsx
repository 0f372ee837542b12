import { staff } from "@footprint/contract/staff.ts";
import { users } from "@footprint/contract/users.ts";
import { Select } from "@mantine/core";
import "@mantine/core/styles/Combobox.layer.css";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";
import { Dialog } from "./Dialog.tsx";
import { useApiQuery } from "./queries.ts";

type FinderProps = { onChoose: (id: string) => void; onClose: () => void };

/** Finds a customer by what is typed. */
export function CustomerFinder(props: FinderProps) {
  const [search, setSearch] = useState("");
  const { data } = useApiQuery(users.list, { query: { search } });
  return <Finder label="Customer" hint="Name, discord id, email" found={data?.users} onSearch={setSearch} {...props} />;
}

/** Finds a staff account by what is typed. */
export function StaffFinder(props: FinderProps) {
  const [search, setSearch] = useState("");
  const { data } = useApiQuery(staff.list, { query: { search } });
  return <Finder label="By" hint="Username" found={data?.staff} onSearch={setSearch} {...props} />;
}

function Finder({
  label,
  hint,
  found,
  onSearch,
  onChoose,
  onClose,
}: FinderProps & {
  label: string;
  hint: string;
  /** Undefined while they load. */
  found: readonly { _id: string; username: string }[] | undefined;
  onSearch: (text: string) => void;
}) {
  const [text, setText] = useState("");
  const search = useDebouncedCallback(onSearch, 300);
  return (
    <Dialog title={`Filter by ${label.toLowerCase()}`} size="sm" onClose={onClose}>
      <Select
        label={label}
        placeholder={hint}
        data-autofocus
        searchable
        maxLength={200}
        // Kept here: a field that keeps it itself would empty it with every answer.
        searchValue={text}
        onSearchChange={(next) => {
          setText(next);
          search(next);
        }}
        data={found?.map(({ _id, username }) => ({ value: _id, label: username })) ?? []}
        // As high as ten of them, so that nothing scrolls that keys do not reach.
        maxDropdownHeight={400}
        comboboxProps={{ portalProps: { target: "#content" } }}
        // The server has searched already.
        filter={({ options }) => options}
        nothingFoundMessage={found ? "Nothing found" : "Loading…"}
        onChange={(id) => {
          if (!id) return;
          onChoose(id);
          onClose();
        }}
      />
    </Dialog>
  );
}
