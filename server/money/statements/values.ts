import type { StatementMapping } from "@footprint/contract/statements.ts";

// Amounts, dates and words of statements, as they are written in several countries.

/** Longer texts are no amount, date or status, and would only take time. */
export const longestValue = 100;

/** A number as written: without its sign, and with possible decimal marks. */
type Written = { digits: string; isNegative: boolean; currency: string | undefined };

const currencies: Record<string, string> = { $: "USD", US$: "USD", "€": "EUR", "£": "GBP", "¥": "JPY" };

/** Blanks and apostrophes between digits must separate thousands. */
const brokenThousands = /\d{4}[\s']+\d|\d[\s']+(?=\d)(?!\d{3}(?!\d))/;

/** "-$1,234.56", "1.234,56 €", "(12.00)", "12.00 USD", "USD 12", "12.00-" */
function written(text: string): Written | undefined {
  if (text.length > longestValue) return undefined;
  if (brokenThousands.test(text)) return undefined;
  const bare = text.replace(/[\s']/g, "");
  const isNegative = /^\(.*\)$|^[^\d]*[-−–]|[-−–][^\d]*$/.test(bare);
  const parts = /^([^\d]*?)([\d.,]+)([^\d]*)$/.exec(bare.replace(/[()+\-−–]/g, ""));
  if (!parts) return undefined;
  const [, before = "", digits = "", after = ""] = parts;
  const name = before || after;
  if ((before && after) || !/^([A-Z]{3}|US\$|[$€£¥])?$/i.test(name)) return undefined;
  return { digits, isNegative, currency: name ? (currencies[name.toUpperCase()] ?? name.toUpperCase()) : undefined };
}

/** The decimal mark that an amount shows; undefined if it could be either, or is no amount. */
export function decimalShown(text: string): StatementMapping["decimal"] | undefined {
  const { digits = "" } = written(text) ?? {};
  const marks = digits.replace(/\d/g, "");
  const last = marks.at(-1);
  if (last !== "." && last !== ",") return undefined;
  const other = last === "." ? "," : ".";
  if (marks.includes(other)) return last;
  // Several marks of one kind separate thousands.
  if (marks.length > 1) return other;
  return /[.,]\d{3}$/.test(digits) ? undefined : last;
}

export const isAmount = (text: string) => written(text) !== undefined;

/** The currency beside an amount, even if the amount is written unlike the others. */
export const currencyOf = (text: string) => written(text)?.currency;

/** Thousands in groups (of two digits where lakhs are used), with cents and trailing zeros. */
const grouped = {
  ".": /^(\d+|\d{1,3}(?:,\d{2,3})*,\d{3})?(?:\.(\d{0,2})0*)?$/,
  ",": /^(\d+|\d{1,3}(?:\.\d{2,3})*\.\d{3})?(?:,(\d{0,2})0*)?$/,
};

/** In cents. */
export function readAmount(text: string, decimal: StatementMapping["decimal"]): number | undefined {
  const amount = written(text);
  if (!amount) return undefined;
  const found = grouped[decimal].exec(amount.digits);
  if (!found || !/\d/.test(amount.digits)) return undefined;
  const whole = (found[1] ?? "").replace(/\D/g, "");
  const cents = Number(whole || 0) * 100 + Number((found[2] ?? "").padEnd(2, "0"));
  // No invoice is larger.
  if (cents > 100_000_000_000) return undefined;
  return amount.isNegative ? -cents : cents;
}

const months = new Map(
  [
    "jan januar january janvier janv enero ene gennaio gen januari janeiro styczen sty",
    "feb februar february fevrier fevr febrero febbraio februari fevereiro fev luty lut",
    "mar marz maerz mrz march mars marzo maart mrt marco marzec",
    "apr april avril avr abril abr aprile kwiecien kwi",
    "may mai mayo maggio mag mei maio maj",
    "jun juni june juin junio giugno giu junho czerwiec cze",
    "jul juli july juillet juil julio luglio lug julho lipiec lip",
    "aug august aout agosto ago augustus sierpien sie",
    "sep sept september septembre septiembre settembre set setembro wrzesien wrz",
    "oct okt october oktober octobre octubre ottobre ott outubro out pazdziernik paz",
    "nov november novembre noviembre novembro listopad lis",
    "dec dez december dezember decembre diciembre dic dicembre dezembro grudzien gru",
  ].flatMap((names, index) => names.split(" ").map((name) => [name, index + 1] as const)),
);

/** Small letters without accents. */
export const plain = (text: string) =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss").replaceAll("ł", "l");

type Day = { year: number; month: number; day: number; isAmbiguous: boolean };
/** What follows the day: a time, and perhaps a timezone. */
type WrittenDate = Day & { rest: string };

/** "2026-11-03", "11/03/2026", "03.11.2026", "3 Nov 2026", "Nov 3, 2026"; undefined if it is no date. */
function writtenDate(text: string, order: StatementMapping["dateOrder"]): WrittenDate | undefined {
  if (text.length > longestValue) return undefined;
  const trimmed = text.trim();
  const iso = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)[T,]?(.*)$/s.exec(trimmed);
  if (iso) return day(iso[1], iso[3], iso[4], iso[5]);
  const compact = /^(\d{4})(\d{2})(\d{2})(?!\d)(.*)$/s.exec(trimmed);
  if (compact) return day(compact[1], compact[2], compact[3], compact[4]);
  const numbers = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d),?(.*)$/s.exec(trimmed);
  if (numbers) {
    const [, first, mark, second, year, rest] = numbers;
    // With dots the day always comes first.
    const isDayFirst = mark === "." || order === "day first";
    const found = isDayFirst ? day(year, second, first, rest) : day(year, first, second, rest);
    return found && { ...found, isAmbiguous: mark !== "." };
  }
  const words = plain(trimmed);
  const dayFirst =
    /^(\d{1,2})(?:\.|st|nd|rd|th)?[ -]*(?:de )?([a-z]+)\.?,?[ -]*(?:de )?(\d{4}|\d{2})(?!\d),?(.*)$/s.exec(words);
  if (dayFirst) return day(dayFirst[3], months.get(dayFirst[2] ?? ""), dayFirst[1], dayFirst[4]?.toUpperCase());
  const monthFirst = /^([a-z]+)\.? +(\d{1,2})(?:st|nd|rd|th)?,? +(\d{4})(?!\d),?(.*)$/s.exec(words);
  if (monthFirst)
    return day(monthFirst[3], months.get(monthFirst[1] ?? ""), monthFirst[2], monthFirst[4]?.toUpperCase());
  return undefined;
}

function day(
  year: string | undefined,
  month: string | number | undefined,
  dayOfMonth: string | undefined,
  rest = "",
): WrittenDate | undefined {
  const given = { year: Number(year), month: Number(month), day: Number(dayOfMonth) };
  if (year?.length === 2) given.year += 2000;
  const date = new Date(Date.UTC(given.year, given.month - 1, given.day));
  const isDay = date.getUTCMonth() === given.month - 1 && date.getUTCDate() === given.day;
  if (!isDay || given.year < 2000 || given.year > 2099) return undefined;
  return { ...given, isAmbiguous: false, rest: rest.trim() };
}

/** The orders of day and month in which a date can be read; none if it is no date. */
export function ordersOf(text: string): StatementMapping["dateOrder"][] {
  const read = (["day first", "month first"] as const).map((order) => ({ order, date: writtenDate(text, order) }));
  const isTold = read.some(({ date }) => date && !date.isAmbiguous);
  // 11/11 is the same day either way.
  const isSame = read[0]?.date?.day === read[1]?.date?.day && read[0]?.date !== undefined;
  return read.filter(({ date }) => date && (isTold || isSame || date.isAmbiguous)).map(({ order }) => order);
}

const offsets: Record<string, number> = {
  ...{ Z: 0, UTC: 0, GMT: 0, WET: 0, BST: 60, IST: 330, CET: 60, MEZ: 60, CEST: 120, MESZ: 120, EET: 120, EEST: 180 },
  ...{ EST: -300, EDT: -240, CST: -360, CDT: -300, MST: -420, MDT: -360, PST: -480, PDT: -420, AKST: -540, HST: -600 },
  ...{ JST: 540, AEST: 600, AEDT: 660 },
};

const timeParts = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([AP]\.?M\b\.?)?\s*(.*)$/is;

/** A moment, or only a day if there is no time. `home` is the timezone of times without one. */
export function readMoment(
  { date, time, zone }: { date: string; time: string; zone: string },
  order: StatementMapping["dateOrder"],
  home: string,
): { at: Date; hasTime: boolean } | undefined {
  if ([date, time, zone].some((text) => text.length > longestValue)) return undefined;
  const found = writtenDate(date, order);
  if (!found) return undefined;
  const clock = time.trim() || found.rest;
  const parts = timeParts.exec(clock);
  if (clock && !parts) return undefined;
  const [, hours = "0", minutes = "0", seconds = "0", half = "", behind = ""] = parts ?? [];
  if (half && Number(hours) > 12) return undefined;
  const hour = half ? (Number(hours) % 12) + (/^p/i.test(half) ? 12 : 0) : Number(hours);
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 60) return undefined;
  const local = Date.UTC(found.year, found.month - 1, found.day, hour, Number(minutes), Number(seconds));
  const at = momentIn(local, zone.trim() || behind.trim(), home);
  return at === undefined ? undefined : { at: new Date(at), hasTime: parts !== null };
}

function momentIn(local: number, zone: string, home: string): number | undefined {
  if (zone === "") return local - offsetAt(local, home);
  const known = offsets[zone.toUpperCase()];
  if (known !== undefined) return local - known * 60_000;
  const numbers = /^(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?$/i.exec(zone);
  if (numbers) {
    const minutes = Number(numbers[2]) * 60 + Number(numbers[3] ?? 0);
    return minutes > 14 * 60 ? undefined : local - (numbers[1] === "-" ? -minutes : minutes) * 60_000;
  }
  return isZone(zone) ? local - offsetAt(local, zone) : undefined;
}

const formats = new Map<string, Intl.DateTimeFormat | undefined>();

/** Timezones come from the file, so only a few are cached. */
function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(zone)) return formats.get(zone);
  if (formats.size >= 500) formats.clear();
  const format = (() => {
    try {
      return new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset", hour: "numeric" });
    } catch {
      return undefined;
    }
  })();
  formats.set(zone, format);
  return format;
}

const isZone = (zone: string) => zone.length <= 40 && formatOf(zone) !== undefined;

/** How far a timezone is ahead of UTC at a moment of its own clock. */
function offsetAt(local: number, zone: string): number {
  const at = (moment: number) => {
    const name = formatOf(zone)?.format(moment) ?? "";
    const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d+):(\d+)/.exec(name) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  };
  return at(local - at(local));
}

/** Words of a status, in small letters without accents. */
const completed =
  /complet|abgeschlossen|deposited|received|cleared|settled|success|paid|done|termine|finalis|completad|completat|voltooid|afgerond|concluid|zakonczon|erhalten|gutgeschrieben|processed|approved/;
const notCompleted =
  /pending|fail|cancel|revers|refund|denied|declin|expired|held|hold|unclaimed|returned|incomplete|not complet|uncleared|unpaid|ausstehend|offen|storn|fehlgeschlagen|zuruck|abgelehnt|attente|annul|echou|rembours|pendiente|cancelad|fallid|reembols|in sospeso|rifiutat|rimbors|behandeling|geannuleerd|mislukt|pendente|oczekuj|anulowan|processing|review|sent|waiting|removed|voided|partially/;

/** Undefined if the word is unknown. */
export function isCompleted(status: string): boolean | undefined {
  if (status.length > longestValue) return undefined;
  const words = plain(status);
  if (notCompleted.test(words)) return false;
  return completed.test(words) ? true : undefined;
}

/** For payments that are not completed: received and returned, rather than on the way or never arrived. */
export const isTakenBack = (status: string) =>
  /revers|refund|charge ?back|returned|cancel|voided|storn|zuruck|erstatt|annul|rembours|reembols|rimbors|geannuleerd|anulowan/.test(
    plain(status.slice(0, longestValue)),
  );

/** Incoming money that no customer paid: own transfers, currency conversions, and refunds from others. */
const noPayment =
  /conver|umrechn|withdraw|abbuch|bank deposit|bankgutschrift|bank to|transfer to|cash out|cash in|add cash|deposit from|hold|einbehalt|revers|ruckbuch|chargeback|refund|ruckzahl|erstatt|rembours|reembols|rimbors|fee|gebuhr|boost|bitcoin|stock|interest|savings|dividend|loan|borrow|cash card|atm|authori|request|order$|invoice sent/;

/** Outgoing money that is no refund, though it may name a payment. */
export const isOwnMoney = (type: string) =>
  /conver|umrechn|withdraw|abbuch|fee|gebuhr/.test(plain(type.slice(0, 1000)));

/** Money that was sent, where outgoing amounts are written without a sign. */
const outgoing =
  /\b(sent|debit(?! card)|outgoing|(payment|paid|transfer) to|money out|gesendet|ausgehend|zahlung an|envoye|enviad[oa]|verzonden|uitgaand|inviat[oa]|wyslan[aeo])\b/;

export const isNoPayment = (type: string) => noPayment.test(plain(type.slice(0, 1000)));

export const isOutgoing = (type: string) => outgoing.test(plain(type.slice(0, 1000)));
