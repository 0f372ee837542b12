import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { lazyScreen } from "./lazyScreen.ts";

/** A dialog or other part of a screen whose code loads when first shown; until then it shows `waiting`. */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  waiting: (props: P) => ReactNode = () => null,
): ComponentType<P> {
  const Part: ComponentType<P> = lazy(async () => ({ default: await lazyScreen(load) }));
  return (props) => (
    <Suspense fallback={waiting(props)}>
      <Part {...props} />
    </Suspense>
  );
}
