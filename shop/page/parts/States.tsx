import { IconMoodSad } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Failure } from "../ask.ts";

/** Grey lines in the shape of what is loading. */
export const LoadingList = ({ rows = 4 }: { rows?: number }) => (
  <div className="list" aria-busy="true">
    <span className="unseen" role="status">
      Loading
    </span>
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
      <div className="item" key={row} aria-hidden>
        <div className="stack tight">
          <span className="shade" style={{ width: `${60 - (row % 3) * 12}%` }}>
            .
          </span>
          <span className="shade small" style={{ width: `${80 - (row % 2) * 20}%` }}>
            .
          </span>
        </div>
        <span className="shade" style={{ width: 64 }}>
          .
        </span>
      </div>
    ))}
  </div>
);

export const LoadingCard = ({ height = 220 }: { height?: number }) => (
  <div className="card" aria-busy="true" style={{ minHeight: height }}>
    <span className="unseen" role="status">
      Loading
    </span>
    <div className="stack" aria-hidden>
      <span className="shade" style={{ width: "40%" }}>
        .
      </span>
      <span className="shade" style={{ width: "85%" }}>
        .
      </span>
      <span className="shade" style={{ width: "70%" }}>
        .
      </span>
    </div>
  </div>
);

export const Empty = ({ icon, title, children }: { icon: ReactNode; title: string; children?: ReactNode }) => (
  <div className="list">
    <div className="empty">
      {icon}
      <h2>{title}</h2>
      {children}
    </div>
  </div>
);

type LoadedProps<T> = { query: UseQueryResult<T>; loading: ReactNode; children: (data: T) => ReactNode };

/** The data, or that it is loading, or why it is missing. */
export function Loaded<T>({ query, loading, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (!query.error) return loading;
  const { code, message } = query.error as Failure;
  return (
    <Empty
      icon={<IconMoodSad size={36} stroke={1.5} aria-hidden />}
      title={code === "missing" ? "There is nothing here" : "This could not be loaded"}
    >
      <p>{code === "missing" ? "It may be somebody else's, or the address is not quite right." : message}</p>
      {code !== "missing" && (
        <button type="button" className="button plain" onClick={() => query.refetch()}>
          Try again
        </button>
      )}
    </Empty>
  );
}
