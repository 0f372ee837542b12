/** How far this computer's clock is ahead of the server's. */
let ahead = 0;

/** Now, by the server's clock: on a computer whose clock is wrong, "today" is the same day as in the server's figures. */
export const serverNow = () => Date.now() - ahead;

/** Compares the clocks. A difference of less than half a minute may be the time that an answer takes. */
export function compareClocks({ headers }: Response): void {
  const told = Date.parse(headers.get("date") ?? "");
  if (Math.abs(serverNow() - told) > 30_000) ahead = Date.now() - told;
}
