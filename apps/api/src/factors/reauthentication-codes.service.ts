import { Injectable } from '@nestjs/common';
import type { CustomerCaller } from '@gatehouse/auth';
import { canonicalCode, testCode, type Customer, type ProjectContext } from '@gatehouse/domain';
import { ReauthenticationCodesRepository, type CustomerForUpdate, type Tx } from '@gatehouse/persistence';
import { Config, Keyring, secureDigits } from '@gatehouse/platform';
import { MailWriterService } from '../mail-templates/mail-writer.service.js';
import { MailQuotaService } from '../mail/mail-quota.service.js';
import { FactorChangesService } from './factor-changes.service.js';

const KIND = 'reauthentication-code';
const DIGITS = 6;

/**
 * Emails codes with which customers prove their identity again. A code is valid only in its session and for its
 * address, and never for a sign-in.
 */
@Injectable()
export class ReauthenticationCodesService {
  constructor(
    private readonly codes: ReauthenticationCodesRepository,
    private readonly changes: FactorChangesService,
    private readonly mails: MailWriterService,
    private readonly quota: MailQuotaService,
    private readonly keyring: Keyring,
    private readonly config: Config,
  ) {}

  /** Sends a code, which voids the session's previous code. @throws GatehouseError `rate_limited` */
  async send(caller: CustomerCaller, project: ProjectContext): Promise<void> {
    const { customer, sessionId } = caller;
    const fixed = testCode(project, customer.email, this.config);
    const code = fixed ?? secureDigits(DIGITS);
    const mail = { kind: KIND, recipient: customer.email } as const;
    if (fixed === null) {
      const request = { ...mail, isTrusted: true, isAuthenticated: true };
      await this.quota.assertAllowed(project, request);
    }
    await this.changes.runLocked(caller, async (tx) => {
      await this.codes.replace(tx, sessionId, this.hash(customer, sessionId, code)[0]!);
      if (fixed === null) await this.mails.write(tx, { ...mail, customer, project, parameters: { code } });
    });
  }

  /** Counts a guess, and returns true if it is correct. */
  guess({ customer, sessionId }: CustomerCaller, code: string): Promise<boolean> {
    return this.codes.guess(sessionId, this.hash(customer, sessionId, code));
  }

  /**
   * Consumes a code that was guessed correctly. Returns false if it was used in the meantime, sent to another
   * address, or is older than the last access revocation.
   * @param customer the customer as locked by the transaction
   */
  consume(tx: Tx, customer: CustomerForUpdate, sessionId: string, code: string): Promise<boolean> {
    return this.codes.consume(tx, customer, sessionId, this.hash(customer, sessionId, code));
  }

  /** Returns the hash of a code under each root secret. */
  private hash({ email }: Pick<Customer, 'email'>, sessionId: string, code: string): Buffer[] {
    return this.keyring.macWithEachKey(KIND, `${sessionId}:${email}:${canonicalCode(code)}`);
  }
}
