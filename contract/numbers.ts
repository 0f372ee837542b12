/** The digits, comma, point and signs of Chinese and Japanese keyboards. */
const fullWidth = /[\uff0b-\uff19]/g;

/**
 * What people write as a number, with a point and without thousands: 1250.50 for "1,250.50", "1 250,50", "1.250,50" and
 * "1250,50". A single comma stands before decimals, unless exactly three digits follow and something other than 0 stands
 * before it; a single point always does. Undefined for anything else.
 */
export function plainNumber(written: string): string | undefined {
  const text = written
    .replace(/\p{Cf}/gu, "")
    .replace(fullWidth, (one) => String.fromCharCode(one.charCodeAt(0) - 0xfee0))
    .replace("٫", ".")
    .trim();
  const [, sign = "", digits = ""] = /^([-−+]?)\s*(.*)$/s.exec(text) ?? [];
  const plain = withPoint(digits);
  return plain && (sign === "" || sign === "+" ? plain : `-${plain}`);
}

/** The same of an amount, perhaps with its currency. */
export const plainAmount = (written: string) =>
  plainNumber(written.trim().replace(/^([-−]?)\s*\$\s*|\s*(\$|USD)$/gi, "$1"));

function withPoint(digits: string): string | undefined {
  if (/^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(digits)) return digits.replaceAll(",", "");
  if (/^[1-9]\d{0,2}([\s'’]\d{3})+([.,]\d+)?$/.test(digits)) return digits.replace(/[\s'’]/g, "").replace(",", ".");
  if (/^[1-9]\d{0,2}(\.\d{3})+,\d+$/.test(digits)) return digits.replaceAll(".", "").replace(",", ".");
  return /^(\d+[.,]?\d*|[.,]\d+)$/.test(digits) ? digits.replace(",", ".").replace(/\.$/, "") : undefined;
}

export const decimalsOf = (plain: string) => plain.split(".")[1]?.length ?? 0;
