import { AddButton } from "../../shared/buttons.tsx";
import { useDialog } from "../../shared/dialogs.tsx";
import { lazyPart } from "../../shared/lazyPart.tsx";

const CreateTracking = lazyPart(() => import("./CreateTracking.tsx").then((file) => file.CreateTracking));

export function CreateButton() {
  const open = useDialog();
  return <AddButton text="Create codes" onClick={() => open((close) => <CreateTracking onClose={close} />)} />;
}
