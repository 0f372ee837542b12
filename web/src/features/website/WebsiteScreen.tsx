import type { ReactNode } from "react";
import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { ApiKeys } from "./ApiKeys.tsx";
import { PaymentSettings } from "./PaymentSettings.tsx";
import { StaffLimits } from "./StaffLimits.tsx";

export function WebsiteScreen({ webhooks }: { webhooks: ReactNode }) {
  return (
    <>
      <ScreenHeader
        title="Website Settings"
        subtitle="What the shop shows to its customers, how it calls in, and how it hears of what happens"
        showsTimes
      />
      <PaymentSettings />
      <StaffLimits />
      <ApiKeys />
      {webhooks}
    </>
  );
}
