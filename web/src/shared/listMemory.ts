/** What this browser remembers of lists. */
export const defaultPageSize = 10;
const sizeKey = "footprint-rows";

export const rememberedPageSize = () => {
  const size = Number(window.localStorage.getItem(sizeKey));
  return [25, 50, 100].includes(size) ? size : defaultPageSize;
};

export const rememberPageSize = (size: number) => window.localStorage.setItem(sizeKey, String(size));

/** Search, filters and page of each list, for the way back from a record's own page. */
const lists = new Map<string, string>();

export function rememberList(path: string, search: string): void {
  const address = new URLSearchParams(search);
  address.delete("view");
  lists.set(path, address.toString());
}

/** The address of a list as it was left. */
export function listAddress(path: string): string {
  const search = lists.get(path);
  return search ? `${path}?${search}` : path;
}
