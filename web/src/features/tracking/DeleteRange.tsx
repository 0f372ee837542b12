import { tracking } from "@footprint/contract/tracking.ts";
import { Text, TextInput } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { formatCount } from "../../shared/format.tsx";

const blank = { first: "", last: "" };

/** For a range that was mistyped when it was registered. */
export function DeleteRange({ onClose }: { onClose: () => void }) {
  return (
    <FormModal
      title="Delete a range of codes"
      initialValues={blank}
      check={(values) => (numbersIn(values) ? undefined : "Enter the first and the last code of the range")}
      onSubmit={(body) => callApi(tracking.deleteRange, { body })}
      submitLabel={(values) => `Delete ${counted(numbersIn(values))}`}
      workingLabel="Deleting…"
      danger
      onClose={onClose}
    >
      {(fields) => (
        <>
          <Text size="sm">
            Deletes what is registered from the first code to the last: {counted(numbersIn(fields.values))}. Nothing is
            deleted where one of them is used. This cannot be undone.
          </Text>
          {(["first", "last"] as const).map((name) => (
            <TextInput
              key={name}
              label={name === "first" ? "First code" : "Last code"}
              description="22 digits beginning with 9"
              inputMode="numeric"
              spellCheck={false}
              {...(name === "first" && { "data-autofocus": true })}
              styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
              {...fields.getInputProps(name)}
            />
          ))}
        </>
      )}
    </FormModal>
  );
}

const counted = (amount: number) => (amount === 1 ? "1 code" : `${amount > 0 ? formatCount(amount) : "no"} codes`);

/** How many codes a range has room for; the last digit of a code is its check digit. 0 where it is not a range. */
function numbersIn({ first, last }: typeof blank): number {
  const [from, to] = [first, last].map((code) =>
    /^9\d{21}$/.test(code.trim()) ? BigInt(code.trim().slice(0, 21)) : undefined,
  );
  return from !== undefined && to !== undefined && to >= from ? Number(to - from) + 1 : 0;
}
