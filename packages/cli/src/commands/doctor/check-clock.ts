import { failed, ok, warning, type CheckResult } from './check-result.js';
import type { PublicResponse } from './public-request.js';

const CHECK = 'clock';
/** Tolerance of @gatehouse/server for access token expiry, plus the resolution of the `Date` header, in seconds. */
const TOKEN_TOLERANCE = 5 + 1;
/** Standard Webhooks timestamp tolerance, in seconds. */
const WEBHOOK_TOLERANCE = 300;

/** Compares this machine's clock with a response's `Date` header. */
export function checkClock({ headers, at }: PublicResponse): CheckResult {
  const server = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(server))
    return warning(
      CHECK,
      'The response has no Date header',
      'Configure the proxy to forward the Date header.',
    );
  // The header has no milliseconds, so the middle of its second is the best estimate.
  const difference = at - (server + 500);
  const seconds = Math.round(Math.abs(difference) / 1_000);
  if (seconds <= TOKEN_TOLERANCE) return ok(CHECK, "matches the server's clock");
  const cause = `This machine's clock is ${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} the server's clock`;
  const fix = 'Synchronize both clocks with NTP.';
  return seconds > WEBHOOK_TOLERANCE
    ? failed(
        CHECK,
        `${cause}: webhooks are rejected (tolerance ${WEBHOOK_TOLERANCE} s), and access tokens expire at the wrong time`,
        fix,
      )
    : warning(CHECK, `${cause}: access tokens expire at the wrong time (tolerance 5 s)`, fix);
}
