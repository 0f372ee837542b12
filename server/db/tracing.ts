/**
 * What is told of work while it is done, where somebody wants traces; operations/tracing.ts makes spans of it. Nobody
 * does unless OTEL_EXPORTER_OTLP_ENDPOINT is set: then this is undefined, and nothing of it is even loaded.
 */
export type Tracing = {
  /** A statement goes out. Returns what to call with its failure, or with nothing; undefined outside of traced calls. */
  statement(text: string): ((failure?: unknown) => void) | undefined;
  /** Something is sent to another host. Returns headers that name it there, and what to call with what came of it. */
  sending(host: string): {
    headers: Record<string, string>;
    end(answer: { status: number | null; problem: string }): void;
  };
  /** Something happens to the call that is under way. */
  note(what: string, code: string | undefined): void;
};

export let tracing: Tracing | undefined;

export function traceWith(told: Tracing): void {
  tracing = told;
}
