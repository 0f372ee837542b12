import { Button } from "@mantine/core";

/** Paging for things listed newest first. */
export function NewerOlder({
  page,
  totalPages = 1,
  onPage,
}: {
  page: number;
  totalPages: number | undefined;
  onPage: (page: number) => void;
}) {
  if (totalPages <= 1) return null;
  return (
    <>
      <Button variant="default" size="xs" disabled={page === 1} onClick={() => onPage(page - 1)}>
        Newer
      </Button>
      <Button variant="default" size="xs" disabled={page >= totalPages} onClick={() => onPage(page + 1)}>
        Older
      </Button>
    </>
  );
}
