/** A parcel. public/favicon.svg is the same drawing. */
export function Logo({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#4263eb" />
      <g fill="none" stroke="#fff" strokeWidth="2" strokeLinejoin="round" strokeLinecap="round">
        <path d="M16 5.5 25 10.5v11L16 26.5 7 21.5v-11z" />
        <path d="M7.4 10.7 16 15.5l8.6-4.8M16 15.5v10.6M11.2 8.2l8.8 5" />
      </g>
    </svg>
  );
}
