import { Skeleton } from "@mantine/core";
import { useDisclosure, useLocalStorage } from "@mantine/hooks";
import { lazy, type RefObject, Suspense, useEffect, useRef } from "react";
import { type Location, Outlet, ScrollRestoration, useLocation, useNavigation } from "react-router";
import { LeavingBlocker } from "../shared/blockLeaving.ts";
import { DialogProvider } from "../shared/dialogs.tsx";
import { lazyPart } from "../shared/lazyPart.tsx";
import { useLive } from "../shared/liveEvents.ts";
import { loadScreen } from "../shared/loadCode.ts";
import { usePrinting } from "../shared/printing.ts";
import { useWidthUpTo } from "../shared/windowWidth.ts";
import { Confirmation } from "./Confirmation.tsx";
import { Header } from "./Header.tsx";
import { announceHandle } from "./handleNotice.ts";
import classes from "./Layout.module.css";
import { PanelKeys } from "./PanelKeys.tsx";
import { Sidebar } from "./Sidebar.tsx";

const NewSignIns = lazyPart(() => import("./NewSignIns.tsx").then((file) => file.NewSignIns));
const PhoneMenu = lazyPart(() => import("./PhoneMenu.tsx").then((file) => file.PhoneMenu));
/** Not a lazyPart, which tells with a toast that it failed. Where its code does not come, the fallback page says so. */
const LazyToasts = lazy(async () => ({
  default: await loadScreen(() => import("./Toasts.tsx").then((file) => file.Toasts)),
}));

export const Toasts = () => (
  <Suspense>
    <LazyToasts />
  </Suspense>
);

export function Layout() {
  const isPhone = useWidthUpTo("phone");
  const [menuOpen, menu] = useDisclosure(false);
  const [chosen, setCollapsed] = useLocalStorage<boolean | undefined>({
    key: "footprint-sidebar-collapsed",
    defaultValue: undefined,
    getInitialValueInEffect: false,
  });
  const isNarrow = useWidthUpTo("withoutSidebar");
  const collapsed = chosen ?? isNarrow;
  const { pathname, search } = useLocation();
  const isNavigating = useNavigation().state !== "idle";
  const content = useRef<HTMLElement>(null);

  // A new screen gets the focus; another page or search of the same list leaves it where it is.
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    menu.close();
    content.current?.focus({ preventScroll: true });
  }, [pathname, menu]);

  useFocusAfterRemoval(content);
  usePrinting();
  useLive("paymentHandle", announceHandle);

  return (
    <DialogProvider screen={pathname} details={new URLSearchParams(search).get("view")}>
      <a href="#content" className={classes.skip}>
        Skip to content
      </a>
      <Header onMenu={isPhone ? menu.toggle : undefined} menuOpen={menuOpen} />
      <div className={classes.frame}>
        {isPhone ? (
          menuOpen && <PhoneMenu onClose={menu.close} />
        ) : (
          <aside className={classes.sidebar} data-collapsed={collapsed || undefined}>
            <Sidebar collapsed={collapsed} onCollapse={() => setCollapsed(!collapsed)} />
          </aside>
        )}
        <main
          id="content"
          ref={content}
          tabIndex={-1}
          className={classes.content}
          data-busy={isNavigating || undefined}
        >
          <NewSignIns />
          <Outlet />
        </main>
      </div>
      <PanelKeys />
      <Confirmation />
      <LeavingBlocker />
      <Toasts />
      <ScrollRestoration getKey={scrollKey} />
    </DialogProvider>
  );
}

/** When the focused element is removed, such as a button of a deleted row, the screen itself gets the focus. */
function useFocusAfterRemoval(content: RefObject<HTMLElement | null>) {
  useEffect(() => {
    if (!content.current) return;
    let last: EventTarget | null = null;
    const remember = (event: FocusEvent) => {
      last = event.target;
    };
    const removal = new MutationObserver(() => {
      const isLost = document.activeElement === document.body && last instanceof Node && !last.isConnected;
      if (isLost) content.current?.focus({ preventScroll: true });
    });
    content.current.addEventListener("focusin", remember);
    removal.observe(content.current, { childList: true, subtree: true });
    return () => {
      content.current?.removeEventListener("focusin", remember);
      removal.disconnect();
    };
  }, [content]);
}

/** The first page of every visit has the key "default", so its address is used instead. */
const scrollKey = ({ key, pathname, search }: Location) => (key === "default" ? pathname + search : key);

/** Shown while the first screen's code loads. */
export function LoadingScreen() {
  return (
    <div role="status" aria-label="Loading">
      <Skeleton height={24} width={200} mt={4} mb={36} />
      <div className={classes.loading} />
    </div>
  );
}
