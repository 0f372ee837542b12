import { dayIn } from "@footprint/contract/days.ts";
import { type Scope, scopes } from "@footprint/contract/endpoint.ts";
import { type ApiKey, website } from "@footprint/contract/website.ts";
import { Checkbox, Code, NativeSelect, Stack, Textarea, TextInput } from "@mantine/core";
import type { FormErrors, UseFormReturnType } from "@mantine/form";
import { useEffect, useState } from "react";
import { callApi } from "../../shared/api.ts";
import { todayIn } from "../../shared/days.ts";
import { FormModal } from "../../shared/FormModal.tsx";
import { HistoryButton } from "../../shared/HistoryButton.tsx";
import { scopeLabel } from "../../shared/labels.ts";
import { amountOf, MoneyField } from "../../shared/NumberField.tsx";
import { useApiQuery } from "../../shared/queries.ts";
import { ShownOnce } from "../../shared/ShownOnce.tsx";
import { useSession } from "../../shared/session.ts";
import classes from "./ApiKeys.module.css";
import { endOfDay } from "./expiry.ts";

const scopeHints: Record<Scope, string> = {
  orders: "Prices, quotes, labels and Fedex orders",
  customers: "Bring customers, and change those it brought",
  deposits: "Open invoices, and set them expired or failed",
  "mark-as-paid": "Set invoices paid, which credits the customer",
};

/** As typed into the form: amounts and days as text, one address on a line. */
type Fields = {
  name: string;
  shop: string;
  scopes: Scope[];
  depositsPerDay: string;
  expires: string;
  addresses: string;
};
type Form = { fields: UseFormReturnType<Fields> };

const inBody = ({ name, scopes, depositsPerDay, expires, addresses }: Fields, timezone: string) => ({
  name,
  scopes,
  depositsPerDay: depositsPerDay === "" ? null : amountOf(depositsPerDay),
  expiresAt: expires === "" ? null : endOfDay(expires, timezone),
  addresses: addresses.split(/[\s,]+/).filter(Boolean),
});

const isOver = (day: string, timezone: string): FormErrors =>
  day !== "" && day < todayIn(timezone) ? { expires: "This day is over" } : {};

/** The new key is shown in the same dialog: it is not shown again. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const { timezone } = useSession();
  // Already fetched by the screen below.
  const shops = useApiQuery(website.listApiKeys, {}, { enabled: false }).data?.shops ?? [];
  const noLimits = { scopes: [...scopes], depositsPerDay: "", expires: "", addresses: "" };
  return (
    <FormModal
      title="Create API key"
      initialValues={{ name: "", shop: "", ...noLimits }}
      validate={({ expires }) => isOver(expires, timezone)}
      onSubmit={(values, options) => {
        const body = { ...inBody(values, timezone), ...(values.shop && { shop: values.shop }) };
        return callApi(website.createApiKey, { body }, options);
      }}
      submitLabel="Create"
      workingLabel="Creating…"
      next={({ key }) => <NewKey value={key} onClose={onClose} />}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <NameField fields={fields} />
          {shops.length > 0 && (
            <NativeSelect
              label="Shop"
              description="It sees and changes what its shop brought in, and nothing else"
              data={[
                { value: "", label: "A new shop" },
                ...shops.map(({ _id, name, createdAt }) => ({
                  value: _id,
                  label: `${name}, since ${dayIn(timezone, Date.parse(createdAt))}`,
                })),
              ]}
              {...fields.getInputProps("shop")}
            />
          )}
          <FoldedLimits fields={fields} />
        </>
      )}
    </FormModal>
  );
}

function NewKey({ value, onClose }: { value: string; onClose: () => void }) {
  return (
    <ShownOnce
      title="Your new key"
      hint="Copy it now: it is not shown again."
      text={value}
      warning="Copy the key first, then say that you have kept it."
      kept="I have kept it"
      onClose={onClose}
    >
      <Code block style={{ overflowWrap: "anywhere", whiteSpace: "normal" }}>
        {value}
      </Code>
    </ShownOnce>
  );
}

export function EditKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { timezone } = useSession();
  const { _id: id, name, expiresAt, depositsPerDay } = apiKey;
  const initialValues = {
    name,
    shop: apiKey.shop._id,
    scopes: apiKey.scopes,
    depositsPerDay: depositsPerDay === null ? "" : String(depositsPerDay),
    expires: expiresAt ? dayIn(timezone, Date.parse(expiresAt)) : "",
    addresses: apiKey.addresses.join("\n"),
  };
  return (
    <FormModal
      title={`Edit ${name}`}
      initialValues={initialValues}
      validate={({ expires }) => (expires === initialValues.expires ? {} : isOver(expires, timezone))}
      onSubmit={(values, options) => {
        // What is unchanged is not sent: somebody else may have changed it, and a key may expire in the middle of a day.
        const before = Object.entries(inBody(initialValues, timezone));
        const isSame = new Set(before.map((field) => JSON.stringify(field)));
        const changed = Object.entries(inBody(values, timezone)).filter((field) => !isSame.has(JSON.stringify(field)));
        return callApi(website.updateApiKey, { params: { id }, body: Object.fromEntries(changed) }, options);
      }}
      submitLabel="Save"
      aside={<HistoryButton of={name} subject={id} />}
      onClose={onClose}
    >
      {(fields) => (
        <>
          <NameField fields={fields} />
          <LimitFields fields={fields} />
        </>
      )}
    </FormModal>
  );
}

const NameField = ({ fields }: Form) => (
  <TextInput
    label="Name"
    description="Which shop will use it; its changes are logged under this name"
    data-autofocus
    {...fields.getInputProps("name")}
  />
);

/** Opens by itself when a field inside has an error. */
function FoldedLimits({ fields }: Form) {
  const [unfolded, setUnfolded] = useState(false);
  useEffect(() => {
    const { name, shop, ...inside } = fields.errors;
    if (Object.keys(inside).length > 0) setUnfolded(true);
  }, [fields.errors]);
  return (
    <details className={classes.folded} open={unfolded} onToggle={(event) => setUnfolded(event.currentTarget.open)}>
      <summary>Limits</summary>
      <LimitFields fields={fields} />
    </details>
  );
}

const LimitFields = ({ fields }: Form) => (
  <Stack gap="md">
    <Checkbox.Group label="For" {...fields.getInputProps("scopes")}>
      <Stack gap="xs" mt={4}>
        {scopes.map((scope) => (
          <Checkbox key={scope} value={scope} label={scopeLabel(scope)} description={scopeHints[scope]} />
        ))}
      </Stack>
    </Checkbox.Group>
    <MoneyField
      label="Marked as paid per day"
      description="At most; empty for any amount"
      {...fields.getInputProps("depositsPerDay")}
    />
    <TextInput
      label="Last day"
      description="It ends with this day; empty for never"
      type="date"
      {...fields.getInputProps("expires")}
    />
    <Textarea
      label="Addresses"
      description="Where it may be used, such as 203.0.113.7 or 203.0.113.0/24, one on a line; empty for everywhere"
      rows={3}
      autoComplete="off"
      spellCheck={false}
      {...fields.getInputProps("addresses")}
    />
  </Stack>
);
