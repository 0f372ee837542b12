import { createContext, useContext } from "react";
import { useLocation } from "react-router";

/** Whether the way from an address to another screen has begun. */
export const LeavingContext = createContext((_pathname: string): boolean => false);

/**
 * Asked before a screen changes its own address: it is still shown while the next one's code loads, and would lead back
 * to itself.
 */
export function useIsLeaving(): () => boolean {
  const isLeaving = useContext(LeavingContext);
  const { pathname } = useLocation();
  return () => isLeaving(pathname);
}
