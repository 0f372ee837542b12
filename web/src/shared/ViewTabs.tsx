import { type View, type ViewScreen, views } from "@footprint/contract/views.ts";
import { ActionIcon } from "@mantine/core";
import {
  IconChevronDown,
  IconDeviceFloppy,
  IconPencil,
  IconPlus,
  IconTrash,
  IconUsers,
  IconUsersMinus,
} from "@tabler/icons-react";
import { useIsMutating } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { useLocation } from "react-router";
import { callApi } from "./api.ts";
import { todayIn } from "./days.ts";
import { deletion, useConfirm, useDialog } from "./dialogs.tsx";
import { formatCount } from "./format.tsx";
import { LazyMenu } from "./LazyMenu.tsx";
import { lazyPart } from "./lazyPart.tsx";
import type { List } from "./list.ts";
import { useStale } from "./liveEvents.ts";
import { useApiQuery, useToastedCall } from "./queries.ts";
import { useSession } from "./session.ts";
import { Tabs } from "./Tabs.tsx";
import { useToday } from "./today.ts";
import classes from "./ViewTabs.module.css";
import { addressOf, queryOf, spanIn } from "./views.ts";
import { useWidthUpTo } from "./windowWidth.ts";

const SaveView = lazyPart(() => import("./ViewForms.tsx").then((file) => file.SaveView));
const RenameView = lazyPart(() => import("./ViewForms.tsx").then((file) => file.RenameView));

/** The screen whose views these are, the name of the list without a view, and views that everybody has, as queries. */
export type ScreenViews = { screen: ViewScreen; all?: string; usual?: Record<string, string> };

type Known = { id: string; name: string; query: string; saved?: View };

/**
 * The views of a list. The one in the address is selected, or of several that show the same the one clicked; after
 * changes it stays selected, with a mark, until the list shows another view.
 */
function useViews<T extends { _id: string }>(list: List<T>, { screen, all = "All", usual = {} }: ScreenViews) {
  const today = useToday();
  const open = useDialog();
  const { search: address } = useLocation();
  // Loaded after the list; until then there are only those that everybody has.
  const { data } = useApiQuery(views.list, { query: { screen } }, { enabled: list.query.isFetched && !list.isPart });
  const known: Known[] = [
    { id: "all", name: all, query: "" },
    ...Object.entries(usual).map(([name, query]) => ({ id: name, name, query })),
    ...(data?.views ?? []).map((saved) => ({ id: saved._id, name: saved.name, query: saved.query, saved })),
  ];

  const [last, setLast] = useState("all");
  const [clicked, setClicked] = useState<string>();
  const equal = known.filter(({ query }) => addressOf(query, today) === list.shown);
  // A view with a filter that does not exist any more shows another, but has its own address.
  const isHere = ({ query }: Known) => addressOf(query, today) === addressOf(address, today);
  const exact =
    known.find((view) => view.id === clicked && isHere(view)) ??
    equal.find(({ id }) => id === clicked) ??
    equal.find(({ id }) => id === last) ??
    equal[0];
  if (exact && exact.id !== last) setLast(exact.id);
  const lit = exact ?? known.find(({ id }) => id === last) ?? known[0];
  const totals = useTotals(list, exact !== undefined);

  return {
    tabs: known.map((view) => ({
      id: view.id,
      name: view.name,
      to: `?${addressOf(view.query, today)}`,
      isChosen: view === lit,
      isChanged: view === lit && !exact,
      count: totals[addressOf(view.query, today)],
      isCounted: view.id === "all",
      onClick: () => setClicked(view.id),
      menu: view === lit && view.saved && <ViewMenu view={view.saved} shown={exact ? undefined : list.shown} />,
    })),
    /** For a list that shows no saved view. */
    save: exact
      ? undefined
      : () =>
          open((close) => (
            <SaveView screen={screen} shown={list.shown} span={spanIn(list.shown, today)} onClose={close} />
          )),
  };
}

/** How many rows the views have that were shown since the last change by anybody, by what they show. */
function useTotals<T extends { _id: string }>(
  { path, query, shown }: List<T>,
  isView: boolean,
): Record<string, string> {
  const [totals, setTotals] = useState<Record<string, string>>({});
  const isChanging = useIsMutating() > 0;
  useEffect(() => {
    if (isChanging) setTotals({});
  }, [isChanging]);
  useStale(path, () => setTotals({}));
  const { total, totalCapped } = query.data ?? {};
  if (total === undefined || query.isPlaceholderData || !isView) return totals;
  const count = formatCount(total) + (totalCapped ? "+" : "");
  if (totals[shown] !== count) setTotals({ ...totals, [shown]: count });
  return totals;
}

const ViewsContext = createContext<ReturnType<typeof useViews>>({ tabs: [], save: undefined });

/** Provides a list's views to parts of its screen, so that the rows are not drawn again when they arrive. */
export function Views<T extends { _id: string }>(props: { list: List<T>; views: ScreenViews; children: ReactNode }) {
  return <ViewsContext value={useViews(props.list, props.views)}>{props.children}</ViewsContext>;
}

/** Saves what the list shows as a view, if it is none yet. */
export const useSaveView = () => useContext(ViewsContext).save;

/**
 * The views of a list as tabs above it. On phones the last tab saves a view; elsewhere that button is beside the
 * filters.
 */
export function ViewTabs() {
  const { tabs, save } = useContext(ViewsContext);
  const isPhone = useWidthUpTo("phone");
  return (
    <Tabs label="Views" tabs={tabs}>
      {save && isPhone && (
        <ActionIcon className={classes.save} variant="subtle" aria-label="Save view" onClick={save}>
          <IconPlus size={16} />
        </ActionIcon>
      )}
    </Tabs>
  );
}

/** The actions on a view; `shown` is what the list shows instead of it. */
function ViewMenu({ view, shown }: { view: View; shown: string | undefined }) {
  const { role, timezone } = useSession();
  const open = useDialog();
  const confirm = useConfirm();
  const update = useToastedCall((change: { query?: string; shared?: boolean }) =>
    callApi(views.update, { params: { id: view._id }, body: change }),
  );
  const isAdmin = role === "admin";
  // What is shared belongs to the administrators, whoever shared it.
  if (!isAdmin && (view.shared || !view.own)) return null;

  const askToDelete = () =>
    confirm({
      title: `Delete the view ${view.name}?`,
      message: view.shared ? "It is shared: everybody loses it." : "The list itself stays as it is.",
      ...deletion,
      onConfirm: () => callApi(views.delete, { params: { id: view._id } }),
      onDone: () => document.getElementById("content")?.focus(),
    });

  return (
    <LazyMenu
      position="bottom-start"
      withinPortal
      portalProps={{ target: "#content" }}
      button={
        <ActionIcon
          className={classes.more}
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={`View ${view.name}`}
          loading={update.isPending}
        >
          <IconChevronDown size={14} />
        </ActionIcon>
      }
    >
      {(Menu) => (
        <>
          {view.shared && <Menu.Label>Shared by {view.by.username}</Menu.Label>}
          {shown !== undefined && (
            <Menu.Item
              leftSection={<IconDeviceFloppy size={16} aria-hidden />}
              onClick={() => update.mutate({ query: queryOf(shown, spanIn(shown, todayIn(timezone))) })}
            >
              Update to what is shown
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => open((close) => <RenameView view={view} onClose={close} />)}
          >
            Rename
          </Menu.Item>
          {isAdmin && (
            <Menu.Item
              leftSection={view.shared ? <IconUsersMinus size={16} aria-hidden /> : <IconUsers size={16} aria-hidden />}
              onClick={() => update.mutate({ shared: !view.shared })}
            >
              {view.shared ? "Stop sharing" : "Share with everybody"}
            </Menu.Item>
          )}
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={askToDelete}
          >
            Delete
          </Menu.Item>
        </>
      )}
    </LazyMenu>
  );
}
