import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import type { RunOptions } from "axe-core";
import { expect } from "./expect.ts";

const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** `frontOnly`: if a dialog is open, what lies behind it is not searched. */
type Extent = { frontOnly?: boolean };

export async function expectAccessible(page: Page, extent: Extent = {}) {
  await expectNoViolations(page, extent, {
    // Only violations are reported in detail.
    resultTypes: ["violations"],
    rules: { "color-contrast": { enabled: false } },
  });
  await expectReadable(page, extent);
}

/** The rules about colours: everything that another theme can break. */
export async function expectColours(page: Page, extent: Extent = {}) {
  await expectNoViolations(page, extent, { resultTypes: ["violations"], runOnly: ["link-in-text-block"] });
  await expectReadable(page, extent);
}

const scopeOf = async (page: Page, { frontOnly = false }: Extent) =>
  frontOnly && (await page.getByRole("dialog").count()) > 0 ? "[role=dialog]" : "html";

async function expectNoViolations(page: Page, extent: Extent, options: RunOptions) {
  const scope = await scopeOf(page, extent);
  // Retried, since right after a change of theme or screen old colours may still be there.
  await expect(async () => {
    if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
    const { violations } = await page.evaluate(([scope, options]) => window.axe.run(scope, options), [
      scope,
      options,
    ] as const);
    const found = violations.map(({ id, help, nodes }) => ({ id, help, where: nodes.map((node) => node.html) }));
    expect(found, `accessibility of ${page.url()}`).toEqual([]);
  }).toPass({ timeout: 60_000 });
}

declare global {
  interface Window {
    axe: typeof import("axe-core");
  }
}

/**
 * Texts stand out from what is behind them (WCAG 1.4.3). Axe looks for the same, but takes thirty times as long, since
 * it first works out what covers what.
 */
async function expectReadable(page: Page, extent: Extent) {
  const scope = await scopeOf(page, extent);
  await expect
    .poll(() => page.evaluate(faintTexts, scope), { message: `faint texts of ${page.url()}`, timeout: 60_000 })
    .toEqual([]);
}

/** Runs in the page, and goes once through its elements, from the back to the front. */
function faintTexts(scope: string): string[] {
  type Colour = readonly [red: number, green: number, blue: number, share: number];
  /** What an element is drawn on; unknown where it is a picture. */
  type Ground = Colour | undefined;
  type Area = { box: DOMRect; colour: Colour };

  const read = new Map<string, Colour>();
  function colourOf(value: string): Colour {
    const known = read.get(value);
    if (known) return known;
    const [red = 0, green = 0, blue = 0, share = 1] = (value.match(/[\d.]+(e-\d+)?/g) ?? []).map(Number);
    const scale = value.startsWith("rgb") ? 1 : value.startsWith("color(srgb ") ? 255 : undefined;
    if (!scale) throw new Error(`A colour written in another way: ${value}`);
    const colour = [red * scale, green * scale, blue * scale, share] as const;
    read.set(value, colour);
    return colour;
  }
  const mix = (front: Colour, ground: Colour, share: number): Colour => {
    const part = (place: 0 | 1 | 2) => front[place] * share + ground[place] * (1 - share);
    return [part(0), part(1), part(2), 1];
  };
  const paint = (front: Colour, ground: Colour) => mix(front, ground, front[3]);
  const luminance = ([red, green, blue]: Colour) => {
    const part = (value: number) => (value <= 10.31 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
  };
  const contrast = (one: Colour, other: Colour) => {
    const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (lighter + 0.05) / (darker + 0.05);
  };

  const faint: string[] = [];
  const fields = "input:not([type=checkbox], [type=radio], [type=file]), select, textarea";
  const fronts = [...document.querySelectorAll(scope)];
  const hasText = (element: Element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim());

  function check(element: Element, style: CSSStyleDeclaration, ground: Colour, seen: (c: Colour) => Colour) {
    const { height, width } = element.getBoundingClientRect();
    // What is there only for screen readers is a pixel wide.
    if (style.visibility !== "visible" || height <= 1 || width <= 1) return;
    const size = Number.parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const colour = colourOf(element instanceof SVGElement ? style.fill : style.color);
    const found = contrast(seen(paint(colour, ground)), seen(ground));
    if (found < (isLarge ? 3 : 4.5)) faint.push(`${found.toFixed(2)}: ${element.outerHTML.slice(0, 300)}`);
  }

  /**
   * `seen`: how a colour looks from outside, where the element or one around it is translucent. Returns the area that
   * the element colours.
   */
  function look(element: Element, around: Ground, seenAround: (colour: Colour) => Colour): Area | undefined {
    if (!fronts.some((front) => front.contains(element) || element.contains(front))) return;
    // Texts of what is disabled may be faint.
    if (element.matches(":disabled, [aria-disabled=true]")) return;
    const style = getComputedStyle(element);
    const opacity = Number(style.opacity);
    if (style.display === "none" || opacity === 0) return;
    const seen = opacity < 1 && around ? (colour: Colour) => seenAround(mix(colour, around, opacity)) : seenAround;
    const own = colourOf(style.backgroundColor);
    const ground = style.backgroundImage !== "none" ? undefined : own[3] === 1 ? own : around && paint(own, around);
    if (ground) {
      if (hasText(element) || element.matches(fields)) check(element, style, ground, seen);
      if (element.matches(":placeholder-shown"))
        check(element, getComputedStyle(element, "::placeholder"), ground, seen);
    }
    // What stands over an element before it, such as the selected one's name over its colour.
    const areas: Area[] = [];
    for (const child of element.children) {
      const under = areas.length > 0 ? areas.findLast(({ box }) => isOver(child, box)) : undefined;
      const area = look(child, under?.colour ?? ground, seen);
      if (area) areas.push(area);
    }
    return own[3] > 0 && ground ? { box: element.getBoundingClientRect(), colour: ground } : undefined;
  }
  function isOver(element: Element, box: DOMRect) {
    const { bottom, left, right, top } = element.getBoundingClientRect();
    const [across, down] = [(left + right) / 2, (top + bottom) / 2];
    return box.left <= across && across <= box.right && box.top <= down && down <= box.bottom;
  }

  const white = [255, 255, 255, 1] as const;
  look(document.documentElement, white, (colour) => colour);
  return faint;
}
