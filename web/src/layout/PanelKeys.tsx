import { useNavigate } from "react-router";
import { screensFor } from "../screens.tsx";
import { useDialog } from "../shared/dialogs.tsx";
import { goKey, keys, useKeys } from "../shared/keys.ts";
import { lazyPart } from "../shared/lazyPart.tsx";
import { useSession } from "../shared/session.ts";

const KeysHelp = lazyPart(() => import("./KeysHelp.tsx").then((file) => file.KeysHelp));

/** Shows all keys. */
export function useKeysHelp() {
  const open = useDialog();
  return () => open((close) => <KeysHelp onClose={close} />);
}

/** The keys that work on every screen: those that lead to others, and the one that shows them all. */
export function PanelKeys() {
  const navigate = useNavigate();
  const { role } = useSession();
  const toScreens = screensFor(role).flatMap(({ letter, path }) =>
    letter ? [[`${goKey} ${letter}`, () => void navigate(path)] as const] : [],
  );
  useKeys({ ...Object.fromEntries(toScreens), [keys.help.key]: useKeysHelp() });
  return null;
}
