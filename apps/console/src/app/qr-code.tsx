import encodeQR from 'qr';
import { useMemo, type ReactNode } from 'react';
import classes from './enrollment-step.module.css';

/** Black on white also in the dark: many cameras read nothing else. */
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
