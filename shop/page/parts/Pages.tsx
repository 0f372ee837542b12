import { useSearchParams } from "react-router";

export function usePage(): number {
  const [query] = useSearchParams();
  const page = Number(query.get("page"));
  return Number.isInteger(page) && page > 0 ? page : 1;
}

/** Paging of a list; the page is in the address. */
export function Pages({ totalPages }: { totalPages: number }) {
  const [, setQuery] = useSearchParams();
  const page = usePage();
  if (totalPages <= 1 && page === 1) return null;
  const turn = (to: number) =>
    setQuery((query) => {
      if (to === 1) query.delete("page");
      else query.set("page", String(to));
      return query;
    });
  return (
    <nav className="pages" aria-label="Pages">
      <button
        type="button"
        className="button plain"
        disabled={page <= 1}
        onClick={() => turn(Math.min(page - 1, totalPages))}
      >
        Back
      </button>
      <span className="soft figure">
        Page {page} of {totalPages}
      </span>
      <button type="button" className="button plain" disabled={page >= totalPages} onClick={() => turn(page + 1)}>
        Next
      </button>
    </nav>
  );
}
