/** A lark, drawn simply. */
export const Logo = () => (
  <svg width="32" height="32" viewBox="0 0 32 32" aria-hidden>
    <rect width="32" height="32" rx="9" fill="#0c5a52" />
    <path
      d="M6 13.5c3.500-3.800 7.300-3 10 5.500 2.700-8.500 6.500-9.300 10-5.500"
      fill="none"
      stroke="#fff"
      strokeWidth="2.8"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
);
