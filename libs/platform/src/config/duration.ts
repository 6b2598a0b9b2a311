/** The START_TIMEOUT default, which scripts/run-all.mjs needs before it starts the programs. */
export const DEFAULT_START_TIMEOUT = '5m';

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `250ms`, `15s`, `5m`, `12h` or `30d`. Returns ms. */
export function parseDuration(value: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(value.trim());
  if (!match) throw new Error('must be a duration such as 500ms, 15s, 5m, 12h or 30d');
  return Number(match[1]) * units[match[2]!]!;
}
