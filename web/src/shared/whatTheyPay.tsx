import { useDialog } from "./dialogs.tsx";
import { lazyPart } from "./lazyPart.tsx";
import type { Asked } from "./WhatTheyPayDialog.tsx";

const WhatTheyPay = lazyPart(() => import("./WhatTheyPayDialog.tsx").then((file) => file.WhatTheyPayDialog));

/** Opens the dialog that shows what a customer would pay. */
export function useWhatTheyPay(): (asked?: Asked) => void {
  const open = useDialog();
  return (asked = {}) => open((close) => <WhatTheyPay {...asked} onClose={close} />);
}
