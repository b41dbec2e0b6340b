/** A text as a QR code, drawn here: it is a secret, and goes to no other program. Always dark on white, as cameras expect. */
import encodeQR from 'qr';
import classes from './Account.module.css';

const QUIET = 4;

export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = drawing(text);
  return (
    <svg
      className={classes.qr}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={`M0 0h${size}v${size}H0z`} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/** The dark squares as a path, in units of a square. */
export function drawing(text: string): { size: number; path: string } {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET });
  const squares = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size: rows.length, path: squares.join('') };
}
