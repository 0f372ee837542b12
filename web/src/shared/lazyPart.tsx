import { type ComponentType, type ReactNode, startTransition, useEffect, useEffectEvent, useState } from "react";
import { RetryAlert } from "./LoadFailure.tsx";
import { loadPart } from "./loadCode.ts";
import { notifyError } from "./notify.ts";

/**
 * A dialog or other part of a screen whose code loads when first shown; until then it shows `waiting`. If the code does
 * not come, what can be closed closes with a toast, and opens when it is asked for again. Other parts offer Retry.
 */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  waiting: (props: P) => ReactNode = () => null,
): ComponentType<P> {
  let Loaded: ComponentType<P> | undefined;
  return function Part(props) {
    const [state, setState] = useState<"loading" | "loaded" | Error>("loading");
    const giveUp = useEffectEvent((error: Error) => {
      if (!("onClose" in props)) return setState(error);
      notifyError(error);
      (props.onClose as () => void)();
    });
    useEffect(() => {
      if (Loaded || state !== "loading") return;
      let isShown = true;
      loadPart(load).then(
        (part) => {
          Loaded = part;
          // In pieces, between which the browser answers.
          if (isShown) startTransition(() => setState("loaded"));
        },
        (error) => isShown && giveUp(error),
      );
      return () => {
        isShown = false;
      };
    }, [state]);
    if (Loaded) return <Loaded {...props} />;
    if (state instanceof Error)
      return (
        <RetryAlert mb="md" onRetry={() => setState("loading")}>
          {state.message}
        </RetryAlert>
      );
    return waiting(props);
  };
}
