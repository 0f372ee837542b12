// What can be checked about a US address without asking anybody.

/** Each state's ZIP codes by their first three digits; some cross a state border. */
const states = {
  AL: ["Alabama", "350-369"],
  AK: ["Alaska", "995-999"],
  AZ: ["Arizona", "850-865"],
  AR: ["Arkansas", "716-729"],
  CA: ["California", "900-961"],
  CO: ["Colorado", "800-816"],
  CT: ["Connecticut", "060-069"],
  DE: ["Delaware", "197-199"],
  DC: ["District of Columbia", "200-205 569"],
  FL: ["Florida", "320-339 341-349"],
  GA: ["Georgia", "300-319 398-399"],
  HI: ["Hawaii", "967-968"],
  ID: ["Idaho", "832-838"],
  IL: ["Illinois", "600-629"],
  IN: ["Indiana", "460-479"],
  IA: ["Iowa", "500-528"],
  KS: ["Kansas", "660-679"],
  KY: ["Kentucky", "400-427"],
  LA: ["Louisiana", "700-714"],
  ME: ["Maine", "039-049"],
  MD: ["Maryland", "205-219"],
  MA: ["Massachusetts", "010-027 055"],
  MI: ["Michigan", "480-499"],
  MN: ["Minnesota", "550-567"],
  MS: ["Mississippi", "386-397"],
  MO: ["Missouri", "630-658"],
  MT: ["Montana", "590-599"],
  NE: ["Nebraska", "680-693"],
  NV: ["Nevada", "889-898"],
  NH: ["New Hampshire", "030-038"],
  NJ: ["New Jersey", "070-089"],
  NM: ["New Mexico", "870-884"],
  NY: ["New York", "005 063 100-149"],
  NC: ["North Carolina", "270-289"],
  ND: ["North Dakota", "580-588"],
  OH: ["Ohio", "430-459"],
  OK: ["Oklahoma", "730-731 734-749"],
  OR: ["Oregon", "970-979"],
  PA: ["Pennsylvania", "150-196"],
  RI: ["Rhode Island", "028-029"],
  SC: ["South Carolina", "290-299"],
  SD: ["South Dakota", "570-577"],
  TN: ["Tennessee", "370-385"],
  TX: ["Texas", "733 739 750-799 885"],
  UT: ["Utah", "840-847"],
  VT: ["Vermont", "050-059"],
  VA: ["Virginia", "201 220-246"],
  WA: ["Washington", "980-994"],
  WV: ["West Virginia", "247-268"],
  WI: ["Wisconsin", "530-549"],
  WY: ["Wyoming", "820-831 834"],
  AS: ["American Samoa", "967"],
  GU: ["Guam", "969"],
  MP: ["Northern Mariana Islands", "969"],
  PR: ["Puerto Rico", "006-007 009"],
  VI: ["U.S. Virgin Islands", "008"],
  FM: ["Micronesia", "969"],
  MH: ["Marshall Islands", "969"],
  PW: ["Palau", "969"],
  AA: ["Armed Forces Americas", "340"],
  AE: ["Armed Forces Europe", "090-098"],
  AP: ["Armed Forces Pacific", "962-966"],
} as const satisfies Record<string, readonly [name: string, zips: string]>;

/** All values for the state of a US address, in the order of a form. */
export const usStates = Object.entries(states).map(([code, [name, zips]]) => ({
  code,
  name,
  zips: zips.split(" ").map((range) => range.split("-")),
}));

type UsState = (typeof usStates)[number];
type Place = { state: string; zip: string; country?: string };
export type AddressWarning = { field: "state" | "zip"; message: string };

/**
 * Contradictions in a US address; none for other countries. Fedex orders have no country, so their address counts as
 * American if its state is one of ours. These are only warnings, since whoever wrote the address may know better.
 */
export function addressWarnings({ state, zip, country }: Place): AddressWarning[] {
  const known = stateOf(state);
  if (country === undefined ? !known : !isUs(country)) return [];
  const stateWarning: AddressWarning[] = known
    ? []
    : [
        {
          field: "state",
          message: state.trim() ? `“${state.trim()}” is not a state of the US` : "The state is missing",
        },
      ];
  const digits = zip.trim();
  if (!/^\d{5}([ -]?\d{4})?$/.test(digits))
    return [
      ...stateWarning,
      { field: "zip", message: `“${digits}” is not a ZIP code: those have 5 digits, or 5 and 4` },
    ];
  const owners = ownersOf(digits.slice(0, 3));
  if (owners.length === 0) return [...stateWarning, { field: "zip", message: `There is no ZIP code ${digits}` }];
  if (!known || owners.includes(known)) return stateWarning;
  const named = owners.map(({ name }) => name).join(" or ");
  return [{ field: "zip", message: `ZIP code ${digits} is in ${named}, not in ${known.name}` }];
}

const letters = (text: string) => text.toUpperCase().replace(/[^A-Z]/g, "");

const statesByName = new Map(
  usStates.flatMap((state) => [state.code, letters(state.name)].map((name): [string, UsState] => [name, state])),
);
const stateOf = (text: string): UsState | undefined => statesByName.get(letters(text));

const isUs = (country: string) =>
  ["US", "USA", "UNITEDSTATES", "UNITEDSTATESOFAMERICA", "THEUNITEDSTATES"].includes(letters(country));

/** The states that have ZIP codes which begin with these three digits, looked up once for each. */
function ownersOf(start: string): UsState[] {
  const owners = ownersByStart.get(start) ?? usStates.filter((one) => has(one, start));
  ownersByStart.set(start, owners);
  return owners;
}
const ownersByStart = new Map<string, UsState[]>();

const has = ({ zips }: UsState, start: string) =>
  zips.some(([first = "", last = first]) => first <= start && start <= last);
