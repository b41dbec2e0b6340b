/** The product's mark: log lines kept by a corner post. */
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" fill="#0f5c55" />
      <path
        d="M6 6v12h12"
        fill="none"
        stroke="#fff"
        strokeWidth="2.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <path
        d="M10.5 7h7M10.5 10.5h4.5M10.5 14h7"
        stroke="#8fe0d0"
        strokeWidth="2"
        strokeLinecap="round"
      />
    </svg>
  );
}
