import { StatusBadge } from "../../shared/format.tsx";
import classes from "./Webhooks.module.css";
import { formatDuration } from "./words.ts";

type Try = { status: number | null; problem: string; duration: number | null; answer: string };

/** What a receiver answered to a try, in its own words. */
export function Answered({ status, problem, duration, answer, of }: Try & { of?: string }) {
  const isTaken = status !== null && status >= 200 && status < 300 && !problem;
  return (
    <div className={classes.answered}>
      <div className={classes.outcome}>
        <StatusBadge tone={isTaken ? "positive" : "danger"}>{isTaken ? "Accepted" : "Not accepted"}</StatusBadge>
        <span>{[status, problem].filter(Boolean).join(" ")}</span>
        {duration !== null && <span className={classes.duration}>{formatDuration(duration)}</span>}
      </div>
      {answer ? (
        <LongText label={of ? `Answer to ${of}` : "Answer"} text={answer} />
      ) : (
        status !== null && <span className={classes.duration}>The answer is empty.</span>
      )}
    </div>
  );
}

/** As it was sent or received; longer text scrolls. */
export function LongText({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <section className={classes.text} aria-label={label} tabIndex={0}>
      {text}
    </section>
  );
}
