import { Kbd } from "@mantine/core";
import { screensFor } from "../screens.tsx";
import { Dialog } from "../shared/Dialog.tsx";
import { deskKeys, goKey, keys } from "../shared/keys.ts";
import { useSession } from "../shared/session.ts";
import classes from "./KeysHelp.module.css";

/** All keys, in words. */
export function KeysHelp({ onClose }: { onClose: () => void }) {
  const { role } = useSession();
  const screens = screensFor(role).flatMap(({ letter, label }) =>
    letter ? [{ pressed: [goKey, letter], does: label }] : [],
  );
  return (
    <Dialog title="Keys" size="xl" onClose={onClose}>
      <div className={classes.columns}>
        <Keys title="In a list" items={Object.values(keys).map(inWords)} />
        <Keys title="Go to" items={screens} />
        <Keys title="At the Fedex desk" items={Object.values(deskKeys).map(inWords)} />
      </div>
    </Dialog>
  );
}

const inWords = ({ key, does }: { key: string; does: string }) => ({ pressed: key.split(" "), does });

function Keys({ title, items }: { title: string; items: { pressed: string[]; does: string }[] }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <dl className={classes.keys}>
        {items.map(({ pressed, does }) => (
          <div key={does}>
            <dt>
              {pressed.map((key) => (
                <Kbd key={key} size="sm">
                  {key}
                </Kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
