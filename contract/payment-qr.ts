// What the QR codes of the payment app say. The panel and the server judge them by the same words.

export const handlePattern = /^\$[A-Za-z][\w-]{0,19}$/;

/** The forms in which the payment app and those who print its codes write whom they pay, with or without an amount. */
const link =
  /^(?:https?:\/\/)?(?:www\.)?cash\.(?:app|me)\/(?:\$|%24)([a-z][\w-]{0,19})(?:\/\d+(?:[.,]\d{1,2})?)?\/?(?:[?#].*)?$/i;

/** The handle that a QR code pays; null where it leads anywhere else. */
export function paidBy(text: string): string | null {
  const said = text.trim();
  if (handlePattern.test(said)) return said;
  const [, name] = link.exec(said) ?? [];
  return name ? `$${name}` : null;
}

/** The payment app knows no difference between upper and lower case. */
const pays = (text: string, handle: string) => paidBy(text)?.toLowerCase() === handle.toLowerCase();

/** What of an image's QR codes does not pay the handle. */
export const strangersIn = (texts: readonly string[], handle: string) => texts.filter((text) => !pays(text, handle));

/** What has to be said for QR codes that pay somebody else to be used: whom they pay, or where they lead. */
export function confirmationFor(strangers: readonly string[]): string {
  const words = strangers.map((text) => {
    const [handle, host] = [paidBy(text), hostOf(text)];
    return handle ? `pay ${handle}` : host && `open ${host}`;
  });
  const said = [...new Set(words)].join(" and ");
  return words.every((each) => each !== null) && said.length <= mostWords ? said : "use this image";
}

/** Nobody types more. */
const mostWords = 120;

/** Of server and browser alike; the contract is compiled for neither. */
declare const URL: { canParse(text: string): boolean; new (text: string): { hostname: string } };

/** Where a link leads; null for what is none, or is not read alike by all who scan it. */
function hostOf(text: string): string | null {
  const said = text.trim();
  if (/[\s\\]/.test(said) || !/^(https?:\/\/|[^:/?#]+\.[^:/?#])/i.test(said)) return null;
  const address = /^https?:/i.test(said) ? said : `https://${said}`;
  if (!URL.canParse(address)) return null;
  const host = new URL(address).hostname;
  // The payment app's own host says nothing about who is paid.
  return /^(www\.)?cash\.(app|me)$/.test(host) ? null : host;
}

export const isConfirmed = (strangers: readonly string[], said: string | undefined) =>
  said?.trim().toLowerCase() === confirmationFor(strangers).toLowerCase();

/** What the QR codes do instead: pays $stranger. */
export const inWords = (texts: readonly string[]) =>
  texts.map((text) => (paidBy(text) ? `pays ${paidBy(text)}` : `says “${legible(text)}”`)).join(" and ");

/** A code may hold thousands of characters, among them some that turn text around. */
function legible(text: string): string {
  const characters = [...text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").trim()];
  return characters.length > 80 ? `${characters.slice(0, 80).join("")}…` : characters.join("");
}
