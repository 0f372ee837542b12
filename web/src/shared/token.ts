import Cookies from "js-cookie";

const cookie = "footprint";

export const readToken = () => Cookies.get(cookie);

export function storeToken(token: string): void {
  Cookies.set(cookie, token, { path: "/", sameSite: "strict", secure: window.location.protocol === "https:" });
}

export const removeToken = () => Cookies.remove(cookie, { path: "/" });
