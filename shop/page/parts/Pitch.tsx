import { IconReceiptRefund, IconTag, IconTruckDelivery } from "@tabler/icons-react";
import { Logo } from "./Logo.tsx";

const pledges = [
  { Icon: IconTag, name: "The price before you buy", text: "Yours, to the cent, with what is left of your balance." },
  {
    Icon: IconTruckDelivery,
    name: "One label or five hundred",
    text: "Typed in, or from a file that is checked first.",
  },
  { Icon: IconReceiptRefund, name: "Nothing lost", text: "Every label, payment and refund stays in your history." },
];

/** Describes this shop to visitors. */
export const Pitch = ({ title, text }: { title: string; text: string }) => (
  <div className="stack wide">
    <span className="brand">
      <Logo />
      Larkpost
    </span>
    <div className="stack tight">
      <h1>{title}</h1>
      <p className="soft">{text}</p>
    </div>
    <ul className="pledges">
      {pledges.map(({ Icon, name, text }) => (
        <li key={name}>
          <Icon className="pledge" size={24} stroke={1.6} aria-hidden />
          <div>
            <strong>{name}</strong>
            <div className="soft">{text}</div>
          </div>
        </li>
      ))}
    </ul>
  </div>
);
