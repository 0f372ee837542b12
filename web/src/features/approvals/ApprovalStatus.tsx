import type { Approval } from "@footprint/contract/approvals.ts";
import { StatusBadge } from "../../shared/format.tsx";
import { statusWords } from "./words.ts";

export function ApprovalStatus({ approval: { status } }: { approval: Approval }) {
  const tone = status === "waiting" ? "warning" : status === "failed" ? "danger" : "plain";
  return <StatusBadge tone={tone}>{statusWords[status]}</StatusBadge>;
}
