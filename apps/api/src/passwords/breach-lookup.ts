import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { canonicalPassword } from '#domain';
import { Config, errorMessage, LOGGER, type Logger } from '#platform';

const TIMEOUT_MS = 1_000;

/** Longest answer that is read: a padded range is about 40 KiB. */
const MAX_ANSWER_BYTES = 512 * 1024;

/** What look-ups have come to since the process started. */
interface BreachLookupCounts {
  clean: number;
  breached: number;
  failed: number;
}

/**
 * Asks a list of breached passwords by k-anonymity: only the first 5 of 40 hex digits of the password's SHA-1
 * leave the house (the range interface of Have I Been Pwned, api.pwnedpasswords.com).
 */
@Injectable()
export class BreachLookup {
  private readonly counts: BreachLookupCounts = { clean: 0, breached: 0, failed: 0 };

  constructor(
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Whether the password stands on the list; false when the list does not answer within a second. */
  async isBreached(password: string): Promise<boolean> {
    const hash = createHash('sha1').update(canonicalPassword(password)).digest('hex').toUpperCase();
    try {
      const range = await this.range(hash.slice(0, 5));
      const isBreached = range.some(([suffix, count]) => suffix === hash.slice(5) && count !== '0');
      this.counts[isBreached ? 'breached' : 'clean'] += 1;
      return isBreached;
    } catch (error) {
      this.counts.failed += 1;
      const line = { reason: errorMessage(error), ...this.counts };
      this.logger.warn(line, 'breached password lookup failed');
      return false;
    }
  }

  private async range(prefix: string): Promise<string[][]> {
    const response = await fetch(`${this.config.passwords.breachListUrl}/range/${prefix}`, {
      headers: { 'Add-Padding': 'true', 'User-Agent': 'Gatehouse' },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`the breach list responded with status ${response.status}`);
    const text = await response.text();
    if (text.length > MAX_ANSWER_BYTES) throw new Error('the response of the breach list is too long');
    return text.split(/\r?\n/).map((line) => line.split(':'));
  }
}
