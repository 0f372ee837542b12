import { Drawer, Skeleton } from "@mantine/core";
import { useDisclosure, useLocalStorage } from "@mantine/hooks";
import { type RefObject, useEffect, useRef } from "react";
import { type Location, Outlet, ScrollRestoration, useLocation, useNavigation } from "react-router";
import { ConfirmProvider } from "../shared/confirm.tsx";
import { useWidthUpTo } from "../shared/windowWidth.ts";
import { Header } from "./Header.tsx";
import classes from "./Layout.module.css";
import { Sidebar } from "./Sidebar.tsx";

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
  const { pathname } = useLocation();
  const isNavigating = useNavigation().state !== "idle";
  const content = useRef<HTMLElement>(null);

  // A new screen is read from its top; a new page or search of the same list leaves the focus where it is.
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    menu.close();
    content.current?.focus({ preventScroll: true });
  }, [pathname, menu]);

  useFocusThatStays(content);

  return (
    <ConfirmProvider>
      <a href="#content" className={classes.skip}>
        Skip to content
      </a>
      <Header onMenu={isPhone ? menu.toggle : undefined} menuOpen={menuOpen} />
      <div className={classes.frame}>
        {isPhone ? (
          <Drawer.Root opened={menuOpen} onClose={menu.close} size={264}>
            <Drawer.Overlay />
            <Drawer.Content aria-label="Menu">
              <div className={classes.drawerTop}>
                <Drawer.CloseButton aria-label="Close menu" />
              </div>
              <Sidebar />
            </Drawer.Content>
          </Drawer.Root>
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
          <Outlet />
        </main>
      </div>
      <ScrollRestoration getKey={placeOf} />
    </ConfirmProvider>
  );
}

/** Where a click removes what was clicked, such as a deleted row's button, the screen itself gets the focus. */
function useFocusThatStays(content: RefObject<HTMLElement | null>) {
  useEffect(() => {
    if (!content.current) return;
    let last: EventTarget | null = null;
    const note = (event: FocusEvent) => {
      last = event.target;
    };
    const removal = new MutationObserver(() => {
      const isLost = document.activeElement === document.body && last instanceof Node && !last.isConnected;
      if (isLost) content.current?.focus({ preventScroll: true });
    });
    content.current.addEventListener("focusin", note);
    removal.observe(content.current, { childList: true, subtree: true });
    return () => {
      content.current?.removeEventListener("focusin", note);
      removal.disconnect();
    };
  }, [content]);
}

/** First loads all have one key: each address remembers its own place. */
const placeOf = ({ key, pathname, search }: Location) => (key === "default" ? pathname + search : key);

/** While the first screen's code is on its way. */
export function LoadingScreen() {
  return (
    <div role="status" aria-label="Loading">
      <Skeleton height={24} width={200} mt={4} mb={36} />
      <div className={classes.loading} />
    </div>
  );
}
