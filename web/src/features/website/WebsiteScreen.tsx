import { ScreenHeader } from "../../shared/ScreenHeader.tsx";
import { ApiKeys } from "./ApiKeys.tsx";
import { PaymentSettings } from "./PaymentSettings.tsx";
import { StaffLimits } from "./StaffLimits.tsx";

export function WebsiteScreen() {
  return (
    <>
      <ScreenHeader
        title="Website Settings"
        subtitle="What the shop shows to its customers, and how it calls in"
        showsTimes
      />
      <PaymentSettings />
      <StaffLimits />
      <ApiKeys />
    </>
  );
}
