/** What was just typed to sign in, for who has to change it at once. In memory alone, until the server says who it was. */
let typed = "";

export const typedPassword = () => typed;

export function keepTyped(password: string): void {
  typed = password;
}
