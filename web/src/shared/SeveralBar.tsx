import { UnstyledButton } from "@mantine/core";
import { IconX, type TablerIcon } from "@tabler/icons-react";
import { formatCount, formatMoney } from "./format.tsx";
import classes from "./SeveralBar.module.css";

type SeveralBarProps = {
  count: number;
  sum: number | undefined;
  /** Further rows that a click would choose. */
  offer: { text: string; onClick: () => void } | undefined;
  /** What is being done; until it is finished nothing else can be. */
  doing: string | undefined;
  actions: { text: string; Icon: TablerIcon; danger: boolean; onClick: () => void }[];
  onClear: () => void;
};

/** How many rows are chosen, and the actions on them. */
export function SeveralBar({ count, sum, offer, doing, actions, onClear }: SeveralBarProps) {
  return (
    <section className={classes.bar} aria-label="Chosen rows">
      <div className={classes.count} role="status">
        {formatCount(count)} selected
        {sum !== undefined && <span>{formatMoney(sum)}</span>}
        {doing && <span>{doing}</span>}
      </div>
      {offer && (
        <UnstyledButton className={`${classes.button} ${classes.link}`} onClick={offer.onClick}>
          {offer.text}
        </UnstyledButton>
      )}
      <div className={classes.actions}>
        {actions.map(({ text, Icon, danger, onClick }) => (
          <UnstyledButton
            key={text}
            className={classes.button}
            data-danger={danger || undefined}
            disabled={Boolean(doing)}
            onClick={onClick}
          >
            <Icon size={16} aria-hidden />
            {text}
          </UnstyledButton>
        ))}
      </div>
      <UnstyledButton className={classes.button} aria-label="Choose none" onClick={onClear}>
        <IconX size={16} aria-hidden />
      </UnstyledButton>
    </section>
  );
}
