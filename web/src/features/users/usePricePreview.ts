import { customPrices } from "@footprint/contract/custom-prices.ts";
import type { Input } from "@footprint/contract/endpoint.ts";
import { useDebouncedValue } from "@mantine/hooks";
import { ApiError, callApi, ifRefused } from "../../shared/api.ts";
import { useAskAgain } from "../../shared/askAgain.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { type TierValues, tierOf } from "../../shared/TierFields.tsx";

type Asked = Input<typeof customPrices.preview>;

/** What is asked about one price: the numbers that would be sent. */
export const askedAbout = (customer: string, labelType: string, tier: TierValues, _id?: string): Asked => ({
  params: { id: customer },
  query: { labelType, ...tierOf(tier), ...(_id && { _id }) },
});

/** The same while it is typed: undefined until it can be a price. */
export function shownAbout(customer: string, labelType: string, tier: TierValues, _id?: string): Asked | undefined {
  const isFilledIn = labelType && Object.values(tier).every((text) => text.trim() !== "");
  const isPrice = Object.values(tierOf(tier)).every((value) => value >= 0);
  return isFilledIn && isPrice ? askedAbout(customer, labelType, tier, _id) : undefined;
}

const nothing: Asked = { params: { id: "" }, query: { labelType: "", fromWeight: "", toWeight: "", price: "" } };

/** The preview of what is typed. What makes no sense has none: saving it says why. */
export function usePricePreview(asked: Asked | undefined) {
  const [settled] = useDebouncedValue(asked, 300);
  return useApiQuery(customPrices.preview, settled ?? nothing, { enabled: settled !== undefined, retry: false });
}

/** Before one price is saved: asks again where it is unusual. */
export function useAskAboutPrice() {
  const askAgain = useAskAgain();
  return async (asked: Asked, title: string, action: string) => {
    const plan = await callApi(customPrices.preview, asked).catch(ifRefused);
    await askAgain({ title, action, warnings: plan?.warnings.map(({ message }) => message) ?? [] });
  };
}

/** What was shown is not what would be done any more: the form shows it anew, and says so. */
export function tellConflict(error: unknown): never {
  throw error instanceof ApiError ? new ApiError(error.status, error.message, error.issues) : error;
}
