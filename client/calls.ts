// Written by generate.ts from the contract. Do not edit: `npm run client:generate`.
import { Caller, type CallOptions } from "./calling.ts";

export type Customer = {
  _id: string;
  discordId: string;
  username: string;
  email: string;
  balance: number;
  status: boolean;
  isVerified: boolean;
  customPricingEnabled: boolean;
  createdAt: string;
};

export type Transfer = {
  _id: string;
  kind: "deposit" | "purchase" | "refund" | "adjustment" | "reversal";
  amount: number;
  balanceAfter: number;
  for:
    | {
        kind: "order";
        _id: string;
        uuid: string;
        labelType: string;
        weight: number;
        custom: boolean | null;
      }
    | {
        kind: "bulk order";
        _id: string;
        uuid: string;
        orderCount: number;
      }
    | {
        kind: "fedex order";
        _id: string;
        uuid: string;
      }
    | {
        kind: "invoice";
        _id: string;
        payment_method: string;
      }
    | {
        kind: "transfer";
        _id: string;
        of: "deposit" | "purchase" | "refund" | "adjustment" | "reversal";
        createdAt: string;
      }
    | null;
  reason: string;
  reverses: string | null;
  reversedBy: string | null;
  createdAt: string;
};

export type LabelType = {
  uid: string;
  name: string;
  type: "usps" | "shipv2" | "wwbiz";
  maxWeight: number;
  prices: Array<{
    fromWeight: number;
    toWeight: number;
    price: number;
    custom: boolean;
  }>;
};

export type Price = {
  fromWeight: number;
  toWeight: number;
  price: number;
};

export type Order = {
  _id: string;
  uuid: string;
  user: {
    _id: string;
    username: string;
  };
  labelType: {
    name: string;
  };
  price: number;
  weight: number;
  tracking: string;
  isRefunded: boolean;
  createdAt: string;
  fromName: string;
  fromCompany: string;
  fromStreet: string;
  fromStreet2: string;
  fromCity: string;
  fromState: string;
  fromZip: string;
  fromCountry: string;
  toName: string;
  toCompany: string;
  toStreet: string;
  toStreet2: string;
  toCity: string;
  toState: string;
  toZip: string;
  toCountry: string;
};

export type Warning = {
  path: string;
  message: string;
};

export type Purchase = {
  labelType: string;
  weight: number;
  fromName: string;
  fromCompany?: string | undefined;
  fromStreet: string;
  fromStreet2?: string | undefined;
  fromCity: string;
  fromState?: string | undefined;
  fromZip: string;
  fromCountry: string;
  toName: string;
  toCompany?: string | undefined;
  toStreet: string;
  toStreet2?: string | undefined;
  toCity: string;
  toState?: string | undefined;
  toZip: string;
  toCountry: string;
  tracking?: string | undefined;
};

export type FedexOrder = {
  _id: string;
  uuid: string;
  status: "Pending" | "Completed" | "Cancelled" | "Awaiting User Input" | "In Process";
  note: string;
  price: number | null;
  file: string | null;
  createdAt: string;
};

export type ListedFedexOrder = {
  _id: string;
  uuid: string;
  status: "Pending" | "Completed" | "Cancelled" | "Awaiting User Input" | "In Process";
  note: string;
  price: number | null;
  file: string | null;
  createdAt: string;
  from: {
    name: string;
    city: string;
    state: string;
    zip: string;
  };
  to: {
    name: string;
    city: string;
    state: string;
    zip: string;
  };
  weight: number;
  weightUnit: string;
};

export type Invoice = {
  _id: string;
  amount: number;
  payment_method: "cashapp" | "paypal";
  status: "pending" | "paid" | "expired" | "failed" | "reversed";
  hosted_url: string;
  createdAt: string;
};

export type FootprintEvent = { id: string; timestamp: string } & (
  | {
      type: "order.created";
      data: {
        customer: NamedCustomer;
        order: Order;
      };
    }
  | {
      type: "order.refunded";
      data: {
        customer: NamedCustomer;
        order: Order;
        reason: string;
      };
    }
  | {
      type: "bulk-order.created";
      data: {
        customer: NamedCustomer;
        bulkOrder: {
          _id: string;
          uuid: string;
          total: number;
          orders: Array<{
            _id: string;
            uuid: string;
            price: number;
            tracking: string;
          }>;
          createdAt: string;
        };
      };
    }
  | {
      type: "invoice.created";
      data: {
        customer: NamedCustomer;
        invoice: Invoice;
      };
    }
  | {
      type: "invoice.paid";
      data: {
        customer: NamedCustomer;
        invoice: Invoice;
      };
    }
  | {
      type: "invoice.reversed";
      data: {
        customer: NamedCustomer;
        invoice: Invoice;
      };
    }
  | {
      type: "customer.created";
      data: {
        customer: Customer;
      };
    }
  | {
      type: "customer.verified";
      data: {
        customer: Customer;
      };
    }
  | {
      type: "customer.changed";
      data: {
        customer: Customer;
      };
    }
  | {
      type: "balance.changed";
      data: {
        customer: NamedCustomer;
        balance: number;
        transfer: {
          _id: string;
          kind: "deposit" | "purchase" | "refund" | "adjustment" | "reversal";
          amount: number;
          for: string | null;
        };
      };
    }
  | {
      type: "fedex-order.created";
      data: {
        customer: NamedCustomer;
        order: FedexOrder;
      };
    }
  | {
      type: "fedex-order.changed";
      data: {
        customer: NamedCustomer;
        order: FedexOrder;
      };
    }
  | {
      type: "price.changed";
      data: {
        labelType: {
          _id: string;
          uid: string;
          name: string;
          status: boolean;
        };
        customer: NamedCustomer | null;
        prices: Array<Price>;
      };
    }
  | {
      type: "codes.low";
      data: {
        type: "priority" | "express" | "ground_oz" | "ground_lbs";
        left: number;
        alert: number;
      };
    }
  | {
      type: "books.unbalanced";
      data: {
        problems: Array<string>;
        checkedAt: string;
      };
    }
  | {
      type: "settings.changed";
      data: {
        setting: "payment-handle" | "limits" | "two-step" | "unusual-rules" | "code-alerts";
        cashapp?:
          | {
              cashappId: string;
              image: string | null;
            }
          | undefined;
      };
    }
  | { type: "test"; data: Record<string, unknown> }
);

export type NamedCustomer = {
  _id: string;
  discordId: string;
  username: string;
};

export type PutCustomerInput = {
  discordId: string;
  username: string;
  email?: string | undefined;
};
export type PutCustomerReply = {
  customer: Customer;
};

export type GetCustomerInput = {
  discordId: string;
};
export type GetCustomerReply = {
  customer: Customer;
};

export type TransfersInput = {
  discordId: string;
  ids?: string | undefined;
  page?: number | undefined;
  limit?: number | undefined;
  sort?: "asc" | "des" | undefined;
  kind?: "All" | "deposit" | "purchase" | "refund" | "adjustment" | "reversal" | undefined;
  from?: string | undefined;
  to?: string | undefined;
};
export type TransfersReply = {
  transfers: Array<Transfer>;
  total: number;
  totalPages: number;
  totalCapped?: boolean | undefined;
};

export type LabelTypesInput = {
  discordId: string;
};
export type LabelTypesReply = {
  labelTypes: Array<LabelType>;
};

export type QuoteInput = {
  discordId: string;
  labelType: string;
  weight: number;
};
export type QuoteReply = {
  price: number;
  tier: Price;
  custom: boolean;
};

export type CreateOrderInput = {
  labelType: string;
  weight: number;
  fromName: string;
  fromCompany?: string | undefined;
  fromStreet: string;
  fromStreet2?: string | undefined;
  fromCity: string;
  fromState?: string | undefined;
  fromZip: string;
  fromCountry: string;
  toName: string;
  toCompany?: string | undefined;
  toStreet: string;
  toStreet2?: string | undefined;
  toCity: string;
  toState?: string | undefined;
  toZip: string;
  toCountry: string;
  tracking?: string | undefined;
  discordId: string;
};
export type CreateOrderReply = {
  order: Order;
  balance: number;
  warnings: Array<Warning>;
};

export type OrdersInput = {
  page?: number | undefined;
  limit?: number | undefined;
  sort?: "asc" | "des" | undefined;
  search?: string | undefined;
  discordId: string;
  status?: "All" | "Active" | "Refunded" | undefined;
  from?: string | undefined;
  to?: string | undefined;
};
export type OrdersReply = {
  orders: Array<Order>;
  total: number;
  totalPages: number;
  totalCapped?: boolean | undefined;
};

export type ReadOrderInput = {
  id: string;
};
export type ReadOrderReply = {
  order: Order;
  refund: {
    amount: number;
    reason: string;
    createdAt: string;
  } | null;
};

export type CreateBulkOrderInput = {
  discordId: string;
  orders: Array<Purchase>;
};
export type CreateBulkOrderReply = {
  bulkOrder: {
    _id: string;
    uuid: string;
    orders: Array<Order>;
    total: number;
    createdAt: string;
  };
  balance: number;
  warnings: Array<Warning>;
};

export type CreateFedexOrderInput = {
  discordId: string;
  from: {
    name: string;
    street: string;
    street2?: string | undefined;
    city: string;
    state?: string | undefined;
    zip: string;
  };
  to: {
    name: string;
    street: string;
    street2?: string | undefined;
    city: string;
    state?: string | undefined;
    zip: string;
  };
  weight: number;
  length: number;
  width: number;
  height: number;
  dimensionUnit: string;
  weightUnit: string;
  specialNotes?: string | undefined;
};
export type CreateFedexOrderReply = {
  order: FedexOrder;
  warnings: Array<Warning>;
};

export type FedexOrdersInput = {
  page?: number | undefined;
  limit?: number | undefined;
  sort?: "asc" | "des" | undefined;
  search?: string | undefined;
  discordId: string;
};
export type FedexOrdersReply = {
  orders: Array<ListedFedexOrder>;
  total: number;
  totalPages: number;
  totalCapped?: boolean | undefined;
};

export type ReadFedexOrderInput = {
  id: string;
};
export type ReadFedexOrderReply = {
  order: FedexOrder;
};

export type ReadFedexFileInput = {
  id: string;
};
export type ReadFedexFileReply = File;

export type CreateInvoiceInput = {
  discordId: string;
  amount: number;
  payment_method: "cashapp" | "paypal";
  hosted_url?: string | undefined;
};
export type CreateInvoiceReply = {
  invoice: Invoice;
};

export type InvoicesInput = {
  page?: number | undefined;
  limit?: number | undefined;
  sort?: "asc" | "des" | undefined;
  discordId: string;
};
export type InvoicesReply = {
  invoices: Array<Invoice>;
  total: number;
  totalPages: number;
  totalCapped?: boolean | undefined;
};

export type ReadInvoiceInput = {
  id: string;
};
export type ReadInvoiceReply = {
  invoice: Invoice;
};

export type SetInvoiceStatusInput = {
  id: string;
  status: "pending" | "paid" | "expired" | "failed";
};
export type SetInvoiceStatusReply = {
  invoice: Invoice;
  balance: number;
};

export type PaymentSettingsInput = Record<string, never>;
export type PaymentSettingsReply = {
  cashapp: {
    cashappId: string;
    image: string | null;
  };
};

export type PullInput = {
  after?: string | undefined;
  limit?: number | undefined;
  wait?: number | undefined;
};
export type PullReply = {
  events: Array<FootprintEvent>;
  next: string;
};

/** Every call that a shop can make. */
export class Calls extends Caller {
  /** Create a customer, or update one that this shop brought; a new one is unverified, active, with a balance of 0. Needs the scope `customers`. */
  putCustomer(input: PutCustomerInput, options?: CallOptions): Promise<PutCustomerReply> {
    return this.call("PUT", "/api/v1/storefront/customers/:discordId", input, options);
  }

  /** Read a customer and their balance. */
  getCustomer(input: GetCustomerInput, options?: CallOptions): Promise<GetCustomerReply> {
    return this.call("GET", "/api/v1/storefront/customers/:discordId", input, options);
  }

  /** What changed a customer's balance, with the balance after each change. */
  transfers(input: TransfersInput, options?: CallOptions): Promise<TransfersReply> {
    return this.call("GET", "/api/v1/storefront/customers/:discordId/transfers", input, options);
  }

  /** Active label types with the prices that this customer pays. Needs the scope `orders`. */
  labelTypes(input: LabelTypesInput, options?: CallOptions): Promise<LabelTypesReply> {
    return this.call("GET", "/api/v1/storefront/label-types", input, options);
  }

  /** What a label would cost this customer. Needs the scope `orders`. */
  quote(input: QuoteInput, options?: CallOptions): Promise<QuoteReply> {
    return this.call("POST", "/api/v1/storefront/quotes", input, options);
  }

  /** Buy a label: priced, paid from the balance and recorded in one step. Needs the scope `orders`. */
  createOrder(input: CreateOrderInput, options?: CallOptions): Promise<CreateOrderReply> {
    return this.call("POST", "/api/v1/storefront/orders", input, options);
  }

  /** List what a customer bought in this shop. Needs the scope `orders`. */
  orders(input: OrdersInput, options?: CallOptions): Promise<OrdersReply> {
    return this.call("GET", "/api/v1/storefront/orders", input, options);
  }

  /** Read an order, and its refund if there was one. Needs the scope `orders`. */
  readOrder(input: ReadOrderInput, options?: CallOptions): Promise<ReadOrderReply> {
    return this.call("GET", "/api/v1/storefront/orders/:id", input, options);
  }

  /** Buy 1 to 500 labels, all or none. Needs the scope `orders`. */
  createBulkOrder(input: CreateBulkOrderInput, options?: CallOptions): Promise<CreateBulkOrderReply> {
    return this.call("POST", "/api/v1/storefront/bulk-orders", input, options);
  }

  /** Ask for a Fedex label; staff quote and fulfil it. Needs the scope `orders`. */
  createFedexOrder(input: CreateFedexOrderInput, options?: CallOptions): Promise<CreateFedexOrderReply> {
    return this.call("POST", "/api/v1/storefront/fedex-orders", input, options);
  }

  /** List a customer's Fedex orders of this shop. Needs the scope `orders`. */
  fedexOrders(input: FedexOrdersInput, options?: CallOptions): Promise<FedexOrdersReply> {
    return this.call("GET", "/api/v1/storefront/fedex-orders", input, options);
  }

  /** How a Fedex order stands. Needs the scope `orders`. */
  readFedexOrder(input: ReadFedexOrderInput, options?: CallOptions): Promise<ReadFedexOrderReply> {
    return this.call("GET", "/api/v1/storefront/fedex-orders/:id", input, options);
  }

  /** Download the file of a Fedex order. Needs the scope `orders`. */
  readFedexFile(input: ReadFedexFileInput, options?: CallOptions): Promise<ReadFedexFileReply> {
    return this.download("GET", "/api/v1/storefront/fedex-orders/:id/file", input, options);
  }

  /** Open an invoice for a deposit. Needs the scope `deposits`. */
  createInvoice(input: CreateInvoiceInput, options?: CallOptions): Promise<CreateInvoiceReply> {
    return this.call("POST", "/api/v1/storefront/invoices", input, options);
  }

  /** List a customer's invoices of this shop. Needs the scope `deposits` or `mark-as-paid`. */
  invoices(input: InvoicesInput, options?: CallOptions): Promise<InvoicesReply> {
    return this.call("GET", "/api/v1/storefront/invoices", input, options);
  }

  /** How an invoice stands. Needs the scope `deposits` or `mark-as-paid`. */
  readInvoice(input: ReadInvoiceInput, options?: CallOptions): Promise<ReadInvoiceReply> {
    return this.call("GET", "/api/v1/storefront/invoices/:id", input, options);
  }

  /** What became of an invoice; paid credits the customer, once, and needs the scope mark-as-paid, the others deposits. Needs the scope `deposits` or `mark-as-paid`. */
  setInvoiceStatus(input: SetInvoiceStatusInput, options?: CallOptions): Promise<SetInvoiceStatusReply> {
    return this.call("PUT", "/api/v1/storefront/invoices/:id/status", input, options);
  }

  /** The payment-app handle and the path of its QR image. */
  paymentSettings(input: PaymentSettingsInput = {}, options?: CallOptions): Promise<PaymentSettingsReply> {
    return this.call("GET", "/api/v1/storefront/payment-settings", input, options);
  }

  /** What happened since, oldest first: what concerns the key's shop and scopes. With `wait` an empty answer takes up to so many seconds. */
  pull(input: PullInput = {}, options?: CallOptions): Promise<PullReply> {
    return this.call("GET", "/api/v1/storefront/events", input, options);
  }
}
