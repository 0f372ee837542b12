import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { Link } from "react-router";
import type { ApiError } from "./api.ts";
import { listAddress } from "./listMemory.ts";
import { Notice } from "./Notice.tsx";

/** 404 for an unknown id, 400 for a malformed one. */
export const isNotFound = (error: ApiError | null) => error?.status === 404 || error?.status === 400;

/** The screen of a record that does not exist. */
export function NotFound({ what, back }: { what: string; back: { to: string; label: string } }) {
  const title = `This ${what} does not exist`;
  useDocumentTitle(`${title} · Footprint`);
  return (
    <Notice title={title} hint="The link may be mistyped or out of date." heading>
      <Button variant="default" component={Link} to={listAddress(back.to)}>
        Go to {back.label}
      </Button>
    </Notice>
  );
}
