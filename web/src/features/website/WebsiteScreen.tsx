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
        subtitle="How customers pay, what staff may do, and how shops connect"
        showsTimes
      />
      <PaymentSettings />
      <StaffLimits />
      <ApiKeys />
      {webhooks}
    </>
  );
}
