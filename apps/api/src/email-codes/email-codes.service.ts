import { Injectable } from '@nestjs/common';
import {
  assertMethodEnabled,
  EMAIL_CODE_TTL,
  isTestAddress,
  type Customer,
  type ProjectContext,
} from '@gatehouse/domain';
import { CustomersRepository, EmailCodesRepository, Transactions } from '@gatehouse/persistence';
import { Config, Keyring, newToken, secureDigits } from '@gatehouse/platform';
import { respondUniformly } from '../http/respond-uniformly.js';
import { MailQuotaService, type MailRequest } from '../mail/mail-quota.service.js';
import { MailWriterService } from '../mail-templates/mail-writer.service.js';
import { isReachable } from '../one-time-tokens/one-time-links.service.js';
import type { EmailCodeChallenge } from './dto/email-code.response.js';

const KIND = 'email-code';

/** A code, and how it reaches the owner of the address. */
interface EmailCode {
  code: string;
  isShort: boolean;
  /** True for the code of test addresses, which is not sent. */
  isTest: boolean;
}

/** Sends codes that sign in the owners of email addresses. */
@Injectable()
export class EmailCodesService {
  constructor(
    private readonly codes: EmailCodesRepository,
    private readonly customers: CustomersRepository,
    private readonly mails: MailWriterService,
    private readonly quota: MailQuotaService,
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
    private readonly config: Config,
  ) {}

  /**
   * Creates a challenge and sends its code, unless the address receives no email. The response is the same in any case.
   * @throws GatehouseError `method_not_enabled`
   */
  async send(project: ProjectContext, email: string): Promise<EmailCodeChallenge> {
    assertMethodEnabled(project, 'emailCode');
    return (await respondUniformly(this.create(project, email)))!;
  }

  /** Returns the hashes of a code under each root secret. The code is useless with another token or project. */
  hash(project: ProjectContext, tokenHash: Buffer, code: string): Buffer[] {
    return this.keyring.macWithEachKey('email-code', `${project.id}:${tokenHash.toString('hex')}:${code}`);
  }

  private async create(project: ProjectContext, email: string): Promise<EmailCodeChallenge> {
    const { token, tokenHash } = newToken();
    const found = await this.customers.findByEmail(project.id, email);
    const { code, isShort, isTest } = await this.newCode(project, email);
    const canSend = isTest || (await this.consumeQuota(project, email, found));
    const expiresAt = await this.transactions.run(async (tx) => {
      const customer = found && (await this.customers.lockByEmail(tx, project.id, email));
      const isSent = canSend && (!found || isReachable(customer, email));
      if (isSent && !isTest)
        await this.mails.write(tx, { kind: KIND, recipient: email, customer, project, parameters: { code } });
      const codeHash = isSent ? this.hash(project, tokenHash, code)[0]! : null;
      const projectId = project.id;
      return this.codes.insert(tx, { tokenHash, projectId, email, codeHash, isShort, ttl: EMAIL_CODE_TTL });
    });
    return { token, expiresAt: expiresAt.toISOString() };
  }

  /** Returns a random code, which is longer while many codes of the project are guessed, or that of test addresses. */
  private async newCode(project: ProjectContext, email: string): Promise<EmailCode> {
    const { testEmailCode } = project.settings;
    const isGuessed = await this.codes.isGuessed(project.id);
    if (testEmailCode !== null && !this.config.production && isTestAddress(email))
      return { code: testEmailCode, isShort: false, isTest: true };
    return { code: secureDigits(isGuessed ? 8 : 6), isShort: !isGuessed, isTest: false };
  }

  /** Counts the email. Returns false if it must not be sent: no account can be created, or a limit is reached. */
  private async consumeQuota(
    project: ProjectContext,
    email: string,
    customer: Customer | null,
  ): Promise<boolean> {
    if (customer ? customer.disabledAt : !project.settings.signIn.allowSignUp) return false;
    const mail: MailRequest = customer
      ? { kind: KIND, recipient: email, isTrusted: customer.emailVerified }
      : { kind: KIND, purpose: 'signUp', recipient: email, isTrusted: false };
    const refusal = await this.quota.consume(project, mail);
    if (refusal && customer) await this.quota.recordDropped(project, customer.id, mail, refusal);
    return !refusal;
  }
}
