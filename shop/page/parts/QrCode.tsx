import encodeQR from "qr";

export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, "raw");
  const squares = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")));
  return (
    <div className="qr">
      <svg viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label}>
        <path d={squares.join("")} />
      </svg>
    </div>
  );
}
