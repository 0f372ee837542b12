// Reads the QR codes of the payment app. Panel and server share these rules.

export const handlePattern = /^\$[A-Za-z][\w-]{0,19}$/;

/** The forms in which the payment app, and printers of its codes, write the payee, with or without an amount. */
const link =
  /^(?:https?:\/\/)?(?:www\.)?cash\.(?:app|me)\/(?:\$|%24)([a-z][\w-]{0,19})(?:\/\d+(?:[.,]\d{1,2})?)?\/?(?:[?#].*)?$/i;

/** The handle that a QR code pays; null if it leads anywhere else. */
export function paidBy(text: string): string | null {
  const said = text.trim();
  if (handlePattern.test(said)) return said;
  const [, name] = link.exec(said) ?? [];
  return name ? `$${name}` : null;
}

/** The payment app ignores upper and lower case. */
const pays = (text: string, handle: string) => paidBy(text)?.toLowerCase() === handle.toLowerCase();

/** The texts of QR codes that do not pay the handle. */
export const strangersIn = (texts: readonly string[], handle: string) => texts.filter((text) => !pays(text, handle));

/** The words that confirm QR codes paying somebody else: whom they pay, or where they lead. */
export function confirmationFor(strangers: readonly string[]): string {
  const words = strangers.map((text) => {
    const [handle, host] = [paidBy(text), hostOf(text)];
    return handle ? `pay ${handle}` : host && `open ${host}`;
  });
  const said = [...new Set(words)].join(" and ");
  return words.every((each) => each !== null) && said.length <= mostWords ? said : "use this image";
}

/** Longer confirmations would not be typed. */
const mostWords = 120;

/** Exists in servers and browsers alike, but the contract is compiled for neither. */
declare const URL: { canParse(text: string): boolean; new (text: string): { hostname: string } };

/** The host of a link; null if it is no link, or scanners may read it differently. */
function hostOf(text: string): string | null {
  const said = text.trim();
  if (/[\s\\]/.test(said) || !/^(https?:\/\/|[^:/?#]+\.[^:/?#])/i.test(said)) return null;
  const address = /^https?:/i.test(said) ? said : `https://${said}`;
  if (!URL.canParse(address)) return null;
  const host = new URL(address).hostname;
  // The payment app's own host does not say who is paid.
  return /^(www\.)?cash\.(app|me)$/.test(host) ? null : host;
}

export const isConfirmed = (strangers: readonly string[], said: string | undefined) =>
  said?.trim().toLowerCase() === confirmationFor(strangers).toLowerCase();

/** What the QR codes do, such as "pays $stranger". */
export const inWords = (texts: readonly string[]) =>
  texts.map((text) => (paidBy(text) ? `pays ${paidBy(text)}` : `says “${legible(text)}”`)).join(" and ");

/** A code may hold thousands of characters, some of which change the direction of text. */
function legible(text: string): string {
  const characters = [...text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").trim()];
  return characters.length > 80 ? `${characters.slice(0, 80).join("")}…` : characters.join("");
}
