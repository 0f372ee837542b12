/**
 * What is reported while work is done, for operations/tracing.ts to make spans of. Unless OTEL_EXPORTER_OTLP_ENDPOINT
 * is set, `tracing` is undefined and its code is not even loaded.
 */
export type Tracing = {
  /** A statement is sent. Returns a function for its end and any failure; undefined outside of traced calls. */
  statement(text: string): ((failure?: unknown) => void) | undefined;
  /** A request is sent to another host. Returns headers that carry the trace, and a function for its end. */
  sending(host: string): {
    headers: Record<string, string>;
    end(answer: { status: number | null; problem: string }): void;
  };
  /** Notes something about the call under way. */
  note(what: string, code: string | undefined): void;
};

export let tracing: Tracing | undefined;

export function traceWith(told: Tracing): void {
  tracing = told;
}
