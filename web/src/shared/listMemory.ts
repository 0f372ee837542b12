/** What this browser remembers about lists. */
export const defaultPageSize = 10;
const sizeKey = "footprint-rows";

export const rememberedPageSize = () => {
  const size = Number(window.localStorage.getItem(sizeKey));
  return [25, 50, 100].includes(size) ? size : defaultPageSize;
};

export const rememberPageSize = (size: number) => window.localStorage.setItem(sizeKey, String(size));

const listKey = (path: string) => `footprint-list-${path}`;

/** Stores a list's search, filters and page, for the way back from a record's page. */
export function rememberList(path: string, search: string): void {
  const address = new URLSearchParams(search);
  address.delete("view");
  window.sessionStorage.setItem(listKey(path), address.toString());
}

/** The address of a list as it was left in this tab. */
export function listAddress(path: string): string {
  const search = window.sessionStorage.getItem(listKey(path));
  return search ? `${path}?${search}` : path;
}
