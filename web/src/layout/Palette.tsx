import { search } from "@footprint/contract/search.ts";
import type { User } from "@footprint/contract/users.ts";
import { Button, CloseButton, Kbd, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useDebouncedValue, useWindowEvent } from "@mantine/hooks";
import { createSpotlight, Spotlight, useSpotlight } from "@mantine/spotlight";
import "@mantine/spotlight/styles.layer.css";
import { IconBan, IconCalculator, IconPlus, IconSearch, IconTag, IconUserCheck } from "@tabler/icons-react";
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useNavigate } from "react-router";
import { useUserActions } from "../features/users/useUserActions.tsx";
import { formatCount } from "../shared/format.tsx";
import { commandKey, keys } from "../shared/keys.ts";
import { useLockedPage } from "../shared/lockedPage.ts";
import { useApiQuery } from "../shared/queries.ts";
import { useSession } from "../shared/session.ts";
import { useWhatTheyPay } from "../shared/whatTheyPay.tsx";
import { useWidthUpTo } from "../shared/windowWidth.ts";
import classes from "./Palette.module.css";
import { useKeysHelp } from "./PanelKeys.tsx";
import { foundGroups, type Group, type Item, namedScreens, searchedScreens } from "./paletteGroups.tsx";

/** The server does not search for less: one letter occurs in almost everything. */
const fewestLetters = 2;
const altKey = commandKey === "⌘" ? "⌥" : "Alt";

/** One search over everything the operator may see, the screens, and the actions on the customer found. */
export function Palette({
  typed,
  onReady,
  onClose,
}: {
  /** What was typed before the palette was loaded. */
  typed: RefObject<string>;
  onReady: () => void;
  onClose: (hasChosen: boolean) => void;
}) {
  useLockedPage("palette");
  const [store] = useState(openedStore);
  const { selected } = useSpotlight(store);
  const [text, setText] = useState("");
  const listId = useId();
  const navigate = useNavigate();
  const showKeys = useKeysHelp();
  const { role } = useSession();
  const isPhone = useWidthUpTo("phone");

  const wanted = text.trim();
  const [q] = useDebouncedValue(wanted, 200);
  const isSearch = [...wanted].length >= fewestLetters;
  const query = useApiQuery(search.find, { query: { q } }, { enabled: [...q].length >= fewestLetters });
  const found = isSearch ? query.data : undefined;
  /** The results belong to the current text. */
  const isSettled = !isSearch || (q === wanted && (query.isError || (found !== undefined && !query.isPlaceholderData)));

  const results = found ? foundGroups(found, wanted) : [];
  const named = namedScreens(role, wanted);
  const plain = usePlainActions(wanted);
  const groups: Group[] = [
    { title: "Go to", items: named },
    ...results,
    { title: "Actions", items: plain },
    { title: "Screens", items: isSearch ? searchedScreens(role, wanted) : [] },
  ];

  const [actedOn, actOn] = useState<string>();
  const customers = found?.customers.rows ?? [];
  const customer = customers.find(({ _id }) => _id === actedOn) ?? customers[0];
  const actions = useActions(customer);
  if (customer) groups.push({ title: `Actions for ${customer.username}`, items: actions });

  const shown = groups.filter(({ items }) => items.length > 0);
  const items = shown.flatMap(({ items }) => items);
  const current = items[selected];
  if (current?.customer && current.customer !== actedOn) actOn(current.customer);
  const idOf = (index: number) => `${listId}-${index}`;
  const select = (index: number) => store.setState({ ...store.getState(), selected: index });

  // Spotlight looks here for the first row when something is typed.
  useEffect(() => store.setState({ ...store.getState(), listId }), [store, listId]);
  const last = useRef<string>(undefined);
  // Together with the rows, which may be walked through as soon as they are seen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another answer begins at its first row, unless one had moved on
  useLayoutEffect(() => {
    const kept = selected > 0 ? items.findIndex(({ key }) => key === last.current) : -1;
    select(Math.max(kept, wanted ? 0 : -1));
  }, [isSettled, q]);
  useLayoutEffect(() => {
    last.current = current?.key;
  });

  function choose(item: Item | undefined, inNewTab: boolean) {
    if (!item) return;
    if (item.to && inNewTab) window.open(item.to, "_blank", "noopener");
    else if (item.to) void navigate(item.to);
    else item.act?.();
    onClose(Boolean(item.to) && !inNewTab);
  }

  /**
   * Enter was pressed before the answer: the row that had been reached, or else the best hit, is opened if the answer
   * has it.
   */
  const [hurried, setHurried] = useState<{ inNewTab: boolean; key: string | undefined }>();
  useEffect(() => {
    if (!hurried || !isSettled) return;
    setHurried(undefined);
    const { key, inNewTab } = hurried;
    choose(key ? items.find((item) => item.key === key) : (named[0] ?? results[0]?.items[0]), inNewTab);
  });

  useWindowEvent(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || event.isComposing) return;
      // The screen below must not get this key once the palette is gone.
      event.stopImmediatePropagation();
      onClose(false);
    },
    { capture: true },
  );

  function onKey(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const withCommand = event.ctrlKey || event.metaKey;
    const isInField = event.target instanceof HTMLInputElement;
    const byLetter = event.altKey && actions.find(({ code }) => code === event.code);
    const firstAction = items.indexOf(actions[0] as Item);
    const isClosing = withCommand && event.key.toLowerCase() === "k";
    const isEnter = isInField && event.key === "Enter";
    // Holding a key down acts only once.
    if (event.repeat && (isClosing || byLetter || isEnter)) return swallow(event);
    if (isClosing) onClose(false);
    // Not before the answer, since the actions are those for the previous answer's customer.
    else if (byLetter) isSettled && choose(byLetter, false);
    else if (!isInField) return;
    else if (event.key === "ArrowDown") step(1);
    else if (event.key === "ArrowUp") step(-1);
    else if (isEnter && isSettled) choose(current, withCommand);
    else if (isEnter) setHurried({ inNewTab: withCommand, key: selected > 0 ? current?.key : undefined });
    else if (event.key === "Tab" && !event.shiftKey && firstAction >= 0) {
      if (isSettled) moveTo(firstAction);
      document.getElementById(idOf(items.length - 1))?.scrollIntoView({ block: "nearest" });
    } else if (event.key === keys.help.key && !text) help();
    else return;
    swallow(event);
  }

  /** Stored at once, since the answer may come at the same moment. */
  function moveTo(index: number) {
    last.current = items[index]?.key;
    select(index);
  }

  /** After the last row comes the first. */
  function step(by: 1 | -1) {
    const next = (Math.max(selected, by === 1 ? -1 : 0) + by + items.length) % items.length;
    moveTo(next);
    document.getElementById(idOf(next))?.scrollIntoView({ block: "nearest" });
  }

  function help() {
    onClose(false);
    showKeys();
  }

  return (
    <Spotlight.Root
      store={store}
      query={text}
      onQueryChange={(next) => {
        setHurried(undefined);
        setText(next);
      }}
      onSpotlightClose={() => onClose(false)}
      shortcut={null}
      closeOnEscape={false}
      returnFocus={false}
      size={680}
      radius={14}
      yOffset="clamp(8px, 100vw - 480px, 88px)"
      xOffset={8}
      zIndex={200}
      overlayProps={{ color: "#1c2233", backgroundOpacity: 0.35 }}
      transitionProps={{ duration: 0 }}
      attributes={{ content: { "aria-label": "Search or jump to" } }}
      classNames={{ content: classes.content }}
    >
      <div className={classes.palette} onKeyDownCapture={onKey}>
        <Spotlight.Search
          className={classes.search}
          placeholder="Search or jump to…"
          maxLength={200}
          data-autofocus
          onFocus={() => {
            if (typed.current) setText(typed.current);
            typed.current = "";
            onReady();
          }}
          role="combobox"
          aria-label="Search or jump to"
          aria-expanded={items.length > 0}
          aria-controls={items.length > 0 ? listId : undefined}
          aria-activedescendant={current && idOf(selected)}
          aria-autocomplete="list"
          leftSectionWidth={50}
          leftSection={<IconSearch size={20} aria-hidden />}
          rightSectionWidth={58}
          rightSection={
            isPhone ? (
              <CloseButton aria-label="Close" onClick={() => onClose(false)} />
            ) : (
              <UnstyledButton aria-label="Close, esc" onClick={() => onClose(false)}>
                <Kbd size="xs">esc</Kbd>
              </UnstyledButton>
            )
          }
        />
        <Notes text={wanted} isSearch={isSearch} isSettled={isSettled} query={query} isEmpty={results.length === 0} />
        {items.length > 0 && (
          <div className={classes.list} id={listId} role="listbox" aria-label="Found" aria-busy={!isSettled}>
            {shown.map((group) => (
              <Rows
                key={group.title}
                group={group}
                first={items.indexOf(group.items[0] as Item)}
                selected={selected}
                idOf={idOf}
                onChoose={choose}
              />
            ))}
          </div>
        )}
        <div className={classes.foot}>
          <Hint pressed={["↑", "↓"]}>choose</Hint>
          <Hint pressed={["↵"]}>open</Hint>
          <Hint pressed={[commandKey, "↵"]}>in a new tab</Hint>
          {customer && <Hint pressed={["tab"]}>actions</Hint>}
          <UnstyledButton className={classes.help} onClick={help}>
            <Hint pressed={[keys.help.key]}>all keys</Hint>
          </UnstyledButton>
        </div>
      </div>
    </Spotlight.Root>
  );
}

function swallow(event: KeyboardEvent) {
  event.preventDefault();
  event.stopPropagation();
}

function openedStore() {
  const [store, { open }] = createSpotlight();
  open();
  return store;
}

/** Never used: without a customer there are no actions. */
const nobody = { _id: "", username: "", balance: 0, status: true };

/** The actions on a customer, by the dialogs of their row. */
function useActions(customer: Pick<User, "_id" | "username" | "balance" | "status"> = nobody): Item[] {
  const { addBalance, askToDisable, enable } = useUserActions(customer);
  const askWhatTheyPay = useWhatTheyPay();
  if (customer === nobody) return [];
  // The same action for another customer is another row.
  const keyed = (letter: string) => ({
    key: `${letter} ${customer._id}`,
    code: `Key${letter}`,
    pressed: [altKey, letter],
  });
  return [
    { icon: <IconPlus size={18} />, body: "Add Balance…", act: addBalance, ...keyed("B") },
    {
      icon: <IconTag size={18} />,
      body: "Custom prices",
      to: `/users/${customer._id}`,
      ...keyed("P"),
    },
    {
      icon: <IconCalculator size={18} />,
      body: `What would ${customer.username} pay…`,
      act: () => askWhatTheyPay({ customer }),
      ...keyed("W"),
    },
    customer.status
      ? { icon: <IconBan size={18} />, body: "Disable…", act: askToDisable, ...keyed("D") }
      : {
          icon: <IconUserCheck size={18} />,
          body: "Enable",
          act: () => enable.mutate(),
          ...keyed("D"),
        },
  ];
}

/** Actions that concern no particular customer, by name. */
function usePlainActions(text: string): Item[] {
  const askWhatTheyPay = useWhatTheyPay();
  const all: Item[] = [
    { key: "what they pay", icon: <IconCalculator size={18} />, body: "What would they pay…", act: askWhatTheyPay },
  ];
  const words = "what would they pay price quote".split(" ");
  return text === "" || words.some((word) => word.startsWith(text.toLowerCase().split(" ").at(-1) ?? "")) ? all : [];
}

/** Text instead of rows. */
function Notes({
  text,
  isSearch,
  isSettled,
  isEmpty,
  query,
}: {
  text: string;
  isSearch: boolean;
  isSettled: boolean;
  isEmpty: boolean;
  query: { error: Error | null; isFetching: boolean; refetch: () => unknown };
}) {
  if (!isSearch)
    return (
      <p className={classes.note}>
        Customers by name, e-mail or discord id. Orders, bulk orders, Fedex orders and invoices by id, customer,
        tracking code or a name on the label, orders by “maren 2.4 lb” too. Screens by name.
      </p>
    );
  if (isSettled && query.error)
    return (
      <div className={classes.note} role="alert">
        <b>The search failed.</b> {query.error.message}{" "}
        <Button size="compact-xs" variant="default" loading={query.isFetching} onClick={() => query.refetch()}>
          Retry
        </Button>
      </div>
    );
  if (!isEmpty) return null;
  return (
    <p className={classes.note} role="status">
      {isSettled ? `Nothing found by “${text}”` : "Searching…"}
    </p>
  );
}

/** The rows of a group below its title, with the link to all of them beside it. */
function Rows({
  group: { title, items, total },
  first,
  selected,
  idOf,
  onChoose,
}: {
  group: Group;
  first: number;
  selected: number;
  idOf: (index: number) => string;
  onChoose: (item: Item, inNewTab: boolean) => void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of options
    <div className={classes.group} role="group" aria-label={title}>
      <div className={classes.title} aria-hidden>
        {title}
      </div>
      {items.map((item, place) => {
        const isSelected = first + place === selected;
        return (
          // Not Spotlight.Action, which drops the id by which the field names the chosen row.
          <UnstyledButton
            key={item.key}
            id={idOf(first + place)}
            className={item.isAll ? classes.all : classes.row}
            role="option"
            tabIndex={-1}
            aria-selected={isSelected}
            data-action
            data-selected={isSelected || undefined}
            onMouseDown={(event) => event.preventDefault()}
            onClick={(event) => onChoose(item, event.ctrlKey || event.metaKey)}
          >
            {item.isAll ? (
              <>
                All {formatCount(total?.count ?? 0)}
                {total?.isCapped && "+"}
                <VisuallyHidden> {title}</VisuallyHidden>
              </>
            ) : (
              <>
                <span className={classes.icon} aria-hidden>
                  {item.icon}
                </span>
                <span className={classes.about}>{item.body}</span>
                <span className={classes.aside}>{item.aside}</span>
                <span className={classes.keys} aria-hidden>
                  {(item.pressed ?? (isSelected ? ["↵"] : [])).map((key) => (
                    <Kbd key={key} size="xs">
                      {key}
                    </Kbd>
                  ))}
                </span>
              </>
            )}
          </UnstyledButton>
        );
      })}
    </div>
  );
}

function Hint({ pressed, children }: { pressed: string[]; children: ReactNode }) {
  return (
    <span className={classes.hint}>
      {pressed.map((key) => (
        <Kbd key={key} size="xs">
          {key}
        </Kbd>
      ))}
      {children}
    </span>
  );
}
