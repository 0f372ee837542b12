import { Tooltip, type TooltipProps } from "@mantine/core";
import type { RefObject } from "react";
import { StandIn } from "./StandIn.tsx";

export type HintTipProps = Pick<TooltipProps, "label" | "opened" | "disabled" | "position"> & {
  at: RefObject<HTMLElement | null>;
};

/** The tooltip of a Hint. */
export function HintTip({ at, ...tooltip }: HintTipProps) {
  return (
    <Tooltip {...tooltip}>
      <StandIn at={at} />
    </Tooltip>
  );
}
