import type { Page } from "@playwright/test";
import { expect } from "./expect.ts";

// What customers do in the example shop, and what they are told.

const from = {
  Name: "Tidewater",
  Street: "395 Garfield Ct",
  City: "Richmond",
  State: "VA",
  "ZIP code": "23220",
};
export const to = { Name: "Lena Okafor", Street: "88 Wharf Rd", City: "Portland", State: "ME", "ZIP code": "04101" };

export async function fillAddress(page: Page, side: "From" | "To", address: Record<string, string>) {
  const part = page.getByRole("region", { name: side, exact: true });
  for (const [name, value] of Object.entries(address)) {
    const field = part.getByRole(name === "State" ? "combobox" : "textbox", { name, exact: true });
    await (name === "State" ? field.selectOption(value) : field.fill(value));
  }
}

export async function fillLabel(page: Page, labelType: string, weight: string) {
  await page.getByRole("radio", { name: labelType }).check();
  await page.getByLabel("Weight").fill(weight);
  await fillAddress(page, "From", from);
  await fillAddress(page, "To", to);
}

export async function askForFedex(page: Page) {
  for (const name of ["Weight", "Length", "Width", "Height"]) await page.getByLabel(name, { exact: true }).fill("12.5");
  await fillAddress(page, "From", from);
  await fillAddress(page, "To", to);
  await page.getByRole("button", { name: "Ask for this label" }).dblclick();
}

export async function signUp(page: Page, username: string) {
  await page.goto("/sign-up");
  await page.getByLabel("Your name or company").fill(username);
  await page.getByLabel("E-mail").fill(`${username}@example.com`);
  await page.getByLabel("Password").fill("a password of theirs");
  await page.getByRole("button", { name: "Create the account" }).click();
  await expect(page.getByRole("heading", { name: `Hello, ${username}` })).toBeVisible();
}

export async function topUp(page: Page, amount: string) {
  await page.getByLabel("Amount").fill(amount);
  await page.getByRole("button", { name: "Show me how to pay" }).click();
}

export async function chooseFile(page: Page, text: string) {
  const other = page.getByRole("button", { name: "Choose another file" });
  const chooser = page.getByLabel("CSV file with labels");
  await expect(other.or(chooser)).toBeVisible();
  if (await other.isVisible()) await other.click();
  await chooser.setInputFiles({ name: "labels.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
}

export const columns =
  "label_type,weight,from_name,from_street,from_city,from_state,from_zip,to_name,to_street,to_city,to_state,to_zip";
export const sender = "Tidewater,395 Garfield Ct,Richmond,VA,23220";

/** A file with so many labels of a type, each of 1 lb or oz. */
export function fileOf(many: number, labelType: string): string {
  const line = (place: number) => `${labelType},1,${sender},Person ${place},1 Elm St,Portland,ME,04101\n`;
  return `${columns}\n${Array.from({ length: many }, (_, place) => line(place + 1)).join("")}`;
}

export const buyButton = (page: Page) => page.getByRole("button", { name: "Buy this label" });

export const said = (page: Page, text: string | RegExp) =>
  page.getByRole("status").or(page.getByRole("alert")).filter({ hasText: text });

/** The balance in the header. */
export const expectBalance = (page: Page, balance: string) =>
  expect(page.getByRole("link", { name: `Balance ${balance}` })).toBeVisible();

/** A label of 1 lb or oz as a shop's server sends it. */
export const labelOf = (labelType: string) => ({
  labelType: labelType.replaceAll(" ", "-"),
  weight: 1,
  ...{ fromName: "Tidewater", fromStreet: "395 Garfield Ct", fromCity: "Richmond", fromState: "VA", fromZip: "23220" },
  ...{ toName: "Lena Okafor", toStreet: "88 Wharf Rd", toCity: "Portland", toState: "ME", toZip: "04101" },
  ...{ fromCountry: "US", toCountry: "US" },
});

export const pdf = "%PDF-1.4\n% a label\n<< /Type /Page /MediaBox [0 0 288 432] >>\n%%EOF\n";
