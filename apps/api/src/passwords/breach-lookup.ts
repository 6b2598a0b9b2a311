import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { canonicalPassword } from '@gatehouse/domain';
import { Config, errorMessage, LOGGER, OutboundClient, userAgent, type Logger } from '@gatehouse/platform';

const TIMEOUT_MS = 1_000;

/** Maximum size of a response, in bytes. A padded range is about 40 KiB long. */
const MAX_RESPONSE_BYTES = 512 * 1024;

/** Number of lookups since the process started, by result. */
interface BreachLookupCounts {
  clean: number;
  breached: number;
  failed: number;
}

/**
 * Looks up passwords in a list of breached passwords with k-anonymity: only the first 5 of the 40 hex digits of the
 * SHA-1 hash are sent (range API of Have I Been Pwned, api.pwnedpasswords.com).
 */
@Injectable()
export class BreachLookup {
  private readonly client = OutboundClient.forOperatorTargets(TIMEOUT_MS);
  private readonly counts: BreachLookupCounts = { clean: 0, breached: 0, failed: 0 };

  constructor(
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Returns true if the password is in the list, and false if the list does not respond within one second.
   */
  async isBreached(password: string): Promise<boolean> {
    const hash = createHash('sha1').update(canonicalPassword(password)).digest('hex').toUpperCase();
    try {
      const range = await this.fetchRange(hash.slice(0, 5));
      const isBreached = range.some(([suffix, count]) => suffix === hash.slice(5) && count !== '0');
      this.counts[isBreached ? 'breached' : 'clean'] += 1;
      return isBreached;
    } catch (error) {
      this.counts.failed += 1;
      this.logger.warn({ reason: errorMessage(error), ...this.counts }, 'breached password lookup failed');
      return false;
    }
  }

  private async fetchRange(prefix: string): Promise<string[][]> {
    const response = await this.client.request({
      method: 'GET',
      url: `${this.config.passwords.breachListUrl}/range/${prefix}`,
      headers: { 'Add-Padding': 'true', 'User-Agent': userAgent },
    });
    if (!response.ok) {
      response.discard();
      throw new Error(`the breach list responded with status ${response.status}`);
    }
    const text = await response.text(MAX_RESPONSE_BYTES);
    return text.split(/\r?\n/).map((line) => line.split(':'));
  }
}
