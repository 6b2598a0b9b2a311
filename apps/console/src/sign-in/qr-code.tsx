import encodeQR from 'qr';
import { useMemo, type ReactNode } from 'react';
import classes from './enrollment-step.module.css';

/** Renders a QR code. It is black on white in dark mode too, because many cameras can read only that. */
export function QrCode({ text, label }: { text: string; label: string }): ReactNode {
  const rows = useMemo(() => encodeQR(text, 'raw', { border: 3 }), [text]);
  const squares = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <svg
      className={classes.qr}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <path d={squares.join('')} fill="#000" />
    </svg>
  );
}
