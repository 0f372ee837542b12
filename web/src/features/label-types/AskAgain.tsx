import type { PriceWarning } from "@footprint/contract/price-preview.ts";
import { Button, Group } from "@mantine/core";
import { ApiError } from "../../shared/api.ts";
import { Dialog } from "../../shared/Dialog.tsx";
import { useDialog } from "../../shared/dialogs.tsx";
import { PriceWarnings } from "./PriceWarnings.tsx";

type Asked = { title: string; labelType: string; warnings: readonly PriceWarning[]; action: string };

/** Asks once more where prices deserve a second look: goes on when somebody agrees, and fails where not. */
export function useAskAgain(): (asked: Asked) => Promise<void> {
  const open = useDialog();
  return (asked) =>
    new Promise((agree, refuse) => {
      if (asked.warnings.length === 0) return agree();
      const leave = () => refuse(new ApiError(0, "Nothing was changed"));
      if (!open((close) => <Question asked={asked} onAgree={agree} onLeave={leave} onClose={close} />)) leave();
    });
}

function Question(props: { asked: Asked; onAgree: () => void; onLeave: () => void; onClose: () => void }) {
  const { asked, onAgree, onLeave, onClose } = props;
  const end = (decide: () => void) => () => {
    decide();
    onClose();
  };
  return (
    <Dialog title={asked.title} onClose={end(onLeave)}>
      <PriceWarnings labelType={asked.labelType} warnings={asked.warnings} />
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={end(onLeave)} data-autofocus>
          Cancel
        </Button>
        <Button color="red.8" onClick={end(onAgree)}>
          {asked.action}
        </Button>
      </Group>
    </Dialog>
  );
}
