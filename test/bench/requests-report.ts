import { formatNumber, formatRatio, median, type SectionResult } from './report.js';

export const RAW_BCRYPT = 'raw bcrypt';

/** A route's results by round. */
export interface RouteResults {
  rates: number[];
  p99s: number[];
  failed: number;
}

/** Returns the median ratio. Load on the machine varies, so each ratio compares rates from the same round. */
function ratio(results: Map<string, RouteResults>, name: string, comparison: string): number {
  const compared = results.get(comparison)!.rates;
  return median(results.get(name)!.rates.map((rate, round) => rate / compared[round]!));
}

/** Compares every route with the two plain ones, and routes that hash with raw bcrypt. */
export function requestsReport(results: Map<string, RouteResults>, notes: string[]): SectionResult {
  const ratioTo = (name: string, comparison: string): string => formatRatio(ratio(results, name, comparison));
  const head = [
    '',
    'requests/s',
    'rounds',
    'p99 ms',
    'ratio to bare',
    'ratio to verify + read',
    'ratio to sign + update',
    'ratio to raw bcrypt',
    'failed',
  ];
  const rows = [...results].map(([name, { rates, p99s, failed }]) => {
    const isRaw = name === RAW_BCRYPT;
    const isHashing = isRaw || ['POST register', 'POST login'].includes(name);
    return [
      name,
      formatNumber(median(rates)),
      `${formatNumber(Math.min(...rates))} to ${formatNumber(Math.max(...rates))}`,
      isRaw ? '' : formatNumber(median(p99s)),
      isRaw ? '' : ratioTo(name, 'bare route'),
      isRaw ? '' : ratioTo(name, 'verify + read'),
      isRaw ? '' : ratioTo(name, 'sign + update'),
      isHashing ? ratioTo(name, RAW_BCRYPT) : '',
      isRaw ? '' : String(failed),
    ];
  });
  return {
    table: [head, ...rows],
    notes,
    targets: [
      {
        name: 'ratio of /me to the route that verifies and reads',
        value: ratio(results, 'GET /me', 'verify + read'),
        bound: 0.8,
        direction: 'at least',
        unit: '',
      },
      {
        name: 'ratio of refresh to the route that signs and updates',
        value: ratio(results, 'POST refresh', 'sign + update'),
        bound: 0.5,
        direction: 'at least',
        unit: '',
      },
      {
        name: 'logins relative to raw bcrypt',
        value: 100 * ratio(results, 'POST login', RAW_BCRYPT),
        bound: 90,
        direction: 'at least',
        unit: ' %',
      },
    ],
  };
}
