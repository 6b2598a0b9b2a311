import { formatNumber, formatRatio, median, type SectionResult } from './report.js';

export const RAW_BCRYPT = 'raw bcrypt';

/** What the rounds of one route gave, in their order. */
export interface RouteResults {
  rates: number[];
  p99s: number[];
  failed: number;
}

/** The median of the rounds' ratios: what slows the machine for a while slows both sides of a round. */
function ratio(figures: Map<string, RouteResults>, name: string, comparison: string): number {
  const compared = figures.get(comparison)!.rates;
  return median(figures.get(name)!.rates.map((rate, round) => rate / compared[round]!));
}

/** Every route beside the two plain ones, and beside raw bcrypt where it hashes. */
export function requestsReport(figures: Map<string, RouteResults>, notes: string[]): SectionResult {
  const to = (name: string, comparison: string): string => formatRatio(ratio(figures, name, comparison));
  const head = [
    '',
    'requests/s',
    'rounds',
    'p99 ms',
    'to bare',
    'to verify + read',
    'to sign + update',
    'to raw bcrypt',
    'failed',
  ];
  const rows = [...figures].map(([name, { rates, p99s, failed }]) => {
    const isRaw = name === RAW_BCRYPT;
    const isHashing = isRaw || ['POST register', 'POST login'].includes(name);
    return [
      name,
      formatNumber(median(rates)),
      `${formatNumber(Math.min(...rates))} to ${formatNumber(Math.max(...rates))}`,
      isRaw ? '' : formatNumber(median(p99s)),
      isRaw ? '' : to(name, 'bare route'),
      isRaw ? '' : to(name, 'verify + read'),
      isRaw ? '' : to(name, 'sign + update'),
      isHashing ? to(name, RAW_BCRYPT) : '',
      isRaw ? '' : String(failed),
    ];
  });
  return {
    table: [head, ...rows],
    notes,
    targets: [
      {
        name: '/me to the route that verifies and reads',
        value: ratio(figures, 'GET /me', 'verify + read'),
        bound: 0.8,
        direction: 'at least',
        unit: '',
      },
      {
        name: 'refresh to the route that signs and updates',
        value: ratio(figures, 'POST refresh', 'sign + update'),
        bound: 0.5,
        direction: 'at least',
        unit: '',
      },
      {
        name: 'logins to raw bcrypt',
        value: 100 * ratio(figures, 'POST login', RAW_BCRYPT),
        bound: 90,
        direction: 'at least',
        unit: ' %',
      },
    ],
  };
}
