import { type NewUser, users } from "@footprint/contract/users.ts";
import { useEffect, useRef, useState } from "react";
import { callApi } from "../../shared/api.ts";
import { useDialog } from "../../shared/dialogs.tsx";
import { keepsFocus, keys, useKeys } from "../../shared/keys.ts";
import { lazyPart } from "../../shared/lazyPart.tsx";
import type { List } from "../../shared/list.ts";
import { useToastedCall } from "../../shared/queries.ts";

const DeclineUser = lazyPart(() => import("./DeclineUser.tsx").then((file) => file.DeclineUser));

/** Newcomers are judged one after the other: whoever is judged makes way for the next. */
export function useQueue(list: List<NewUser>) {
  const { rows = [], query, marked, goTo, isGone } = list;
  const open = useDialog();
  // What is said of those who are judged, but listed until the list is fetched again.
  const [judged, setJudged] = useState<ReadonlyMap<string, string>>(new Map());
  const waiting = rows.filter((user) => user.status && !judged.has(user._id) && !isGone(user));

  const judge = (id: string, said: string) => setJudged((all) => new Map(all).set(id, said));
  const takeBack = (id: string) => setJudged((all) => new Map([...all].filter(([other]) => other !== id)));
  useEffect(() => {
    const left = [...judged].filter(([id]) => rows.some(({ _id }) => _id === id));
    if (left.length < judged.size) setJudged(new Map(left));
  }, [judged, rows]);

  /** The list was at its end: the next is whoever it brings, unless something is being typed then. */
  const isNextToCome = useRef(false);
  function goOn(from: NewUser) {
    const at = rows.indexOf(from);
    const others = waiting.filter((user) => user !== from);
    const next = others.find((user) => rows.indexOf(user) > at) ?? others[0];
    isNextToCome.current = !next;
    goTo(next);
  }
  const first = waiting[0];
  useEffect(() => {
    if (!isNextToCome.current || !first || query.isPlaceholderData) return;
    isNextToCome.current = false;
    if (!keepsFocus()) goTo(first);
  });

  const call = useToastedCall((user: NewUser) =>
    callApi(users.verify, { params: { id: user._id } }).catch((error: unknown) => {
      takeBack(user._id);
      throw error;
    }),
  );
  function verify(user: NewUser) {
    judge(user._id, "Verifying…");
    goOn(user);
    call.mutate(user);
  }
  function decline(user: NewUser) {
    const done = () => {
      judge(user._id, "Declined");
      // The dialog gives the focus back first.
      window.requestAnimationFrame(() => goOn(user));
    };
    open((close) => <DeclineUser user={user} onDone={done} onClose={close} />);
  }

  const reached = waiting.find(({ _id }) => _id === marked);
  useKeys({
    [keys.verify.key]: reached && (() => verify(reached)),
    [keys.decline.key]: reached && (() => decline(reached)),
  });
  return { judged, verify, decline };
}
