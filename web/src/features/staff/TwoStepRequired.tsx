import { settingsId } from "@footprint/contract/logs.ts";
import { type TwoStepRequired as Required, staff } from "@footprint/contract/staff.ts";
import { NativeSelect, Skeleton, Text } from "@mantine/core";
import { callApi } from "../../shared/api.ts";
import { Dialog } from "../../shared/Dialog.tsx";
import { FormModal } from "../../shared/FormModal.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { LoadFailure } from "../../shared/LoadFailure.tsx";
import { useApiQuery } from "../../shared/queries.ts";

const title = "Two-step sign-in";
const choices: { value: Required; label: string }[] = [
  { value: "nobody", label: "Nobody" },
  { value: "administrators", label: "Administrators" },
  { value: "everybody", label: "Everybody" },
];

/** Of whom two-step sign-in is required. */
export function TwoStepRequired({ onClose }: { onClose: () => void }) {
  const query = useApiQuery(staff.twoStepRequired, {});
  if (!query.data)
    return (
      <Dialog title={title} onClose={onClose}>
        {query.isError ? <LoadFailure title="This could not be loaded" query={query} /> : <Skeleton height={140} />}
      </Dialog>
    );
  const { twoStepRequired, without } = query.data;
  const withoutIt = (required: Required) =>
    (required === "nobody" ? 0 : without.administrators) + (required === "everybody" ? without.staff : 0);
  return (
    <FormModal
      title={title}
      initialValues={{ twoStepRequired }}
      onSubmit={(body, options) => callApi(staff.updateTwoStepRequired, { body }, options)}
      submitLabel="Save"
      aside={<HistoryButton of="the settings" subject={settingsId} />}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <NativeSelect
            label="Required of"
            description="Anyone without it has to set it up before doing anything else, even where they are already signed in."
            data={choices}
            data-autofocus
            {...fields.getInputProps("twoStepRequired")}
          />
          <Text size="sm" c="dimmed" role="status">
            {asked(withoutIt(fields.values.twoStepRequired))}
          </Text>
        </>
      )}
    </FormModal>
  );
}

const asked = (accounts: number) =>
  accounts === 0
    ? "Nobody is asked to set it up."
    : accounts === 1
      ? "1 account has none yet, and is asked to set it up."
      : `${accounts} accounts have none yet, and are asked to set it up.`;
