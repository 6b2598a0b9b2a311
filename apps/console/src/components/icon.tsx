import type { ReactNode } from 'react';

/** SVG paths in a view box of 24 by 24. */
const strokes = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM14 7h6V4h-6zM4 20h6v-3H4z',
  delivery: 'M3 11.5 21 4l-5 16-4.5-6.5zM11.5 13.5 21 4',
  'dead-letter': 'M4 6h16v12H4zM4 7l8 6 8-6M15 15l4 4M19 15l-4 4',
  endpoint: 'M7 12h10M4 12a3 3 0 1 0 6 0 3 3 0 0 0-6 0zM14 12a3 3 0 1 0 6 0 3 3 0 0 0-6 0z',
  batch: 'M12 3l9 5-9 5-9-5zM3 12.5l9 5 9-5M3 17l9 5 9-5',
  event: 'M13 3 5 14h6l-1 7 8-11h-6z',
  customer: 'M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c.5-4 3.700-6 8-6s7.500 2 8 6',
  organization: 'M4 21V5l8-2v18M12 9h8v12M3 21h18M8 8v.01M8 12v.01M8 16v.01M16 13v.01M16 17v.01',
  project: 'M3 7V5h7l2 2h9v12H3zM3 11h18',
  audit: 'M6 3h9l4 4v14H6zM14 3v5h5M9 12h6M9 16h6',
  mail: 'M3 6h18v12H3zM3 7l9 7 9-7',
  mailbox: 'M3 12l3-7h12l3 7v7H3zM3 12h5l2 3h4l2-3h5',
  operator: 'M12 3l8 3v6c0 4.500-3 7.500-8 9-5-1.500-8-4.500-8-9V6zM9 12l2 2 4-4',
  health: 'M3 12h4l3-8 4 16 3-8h4',
  key: 'M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM11 12l9-9M16 7l3 3',
  search: 'M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM15.500 15.500 20 20',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 13l4 4L19 7',
  cross: 'M6 6l12 12M18 6 6 18',
  alert: 'M12 4 2.500 20h19zM12 10v4M12 17v.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8v.01',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  external: 'M10 5H5v14h14v-5M14 4h6v6M20 4l-9 9',
  refresh: 'M20 11a8 8 0 1 0-2 6M20 4v7h-7',
  play: 'M8 5l11 7-11 7z',
  pause: 'M8 5v14M16 5v14',
  menu: 'M4 7h16M4 12h16M4 17h16',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.400 1.400M17.600 17.600 19 19M5 19l1.400-1.400M17.600 6.400 19 5',
  moon: 'M20 14.500A8.500 8.500 0 1 1 9.500 4a7 7 0 0 0 10.500 10.500z',
  screen: 'M3 5h18v11H3zM9 20h6M12 16v4',
  'sign-out': 'M14 4H5v16h9M10 12h11M17 8l4 4-4 4',
  'chevron-down': 'M6 9l6 6 6-6',
  'chevron-right': 'M9 6l6 6-6 6',
  'arrow-up': 'M12 20V4M6 10l6-6 6 6',
  'arrow-down': 'M12 4v16M6 14l6 6 6-6',
  back: 'M20 12H4M10 6l-6 6 6 6',
  plus: 'M12 5v14M5 12h14',
  bookmark: 'M6 3h12v18l-6-5-6 5z',
  columns: 'M4 5h16v14H4zM10 5v14M15 5v14',
  filter: 'M4 5h16l-6 8v6l-4-2v-4z',
  table: 'M4 5h16v14H4zM4 10h16M10 10v9',
  chart: 'M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6',
  redeliver: 'M4 12a8 8 0 0 1 14-5l2 2M20 4v5h-5M20 12a8 8 0 0 1-14 5l-2-2M4 20v-5h5',
  trash: 'M5 7h14M10 3h4M7 7l1 14h8l1-14M10 11v6M14 11v6',
  dots: 'M5 11.4a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2zM12 11.4a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2zM19 11.4a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2z',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 3',
  lock: 'M5 11h14v10H5zM8 11V7a4 4 0 0 1 8 0v4',
  wrap: 'M4 6h16M4 12h13a3 3 0 0 1 0 6h-4M15 15l-3 3 3 3M4 18h4',
} as const;

export type IconName = keyof typeof strokes;

/** Renders a decorative icon beside text or in a control that has its own label. Screen readers ignore it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }): ReactNode {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={strokes[name]} />
    </svg>
  );
}
