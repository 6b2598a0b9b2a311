import { Injectable } from '@nestjs/common';
import {
  assertMethodEnabled,
  EMAIL_CODE_TTL,
  invalidField,
  testCode,
  type Customer,
  type ProjectContext,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  EmailCodesRepository,
  Transactions,
  type LinkTarget,
  type ProfileFlow,
  type Tx,
} from '@gatehouse/persistence';
import { Config, Keyring, newToken, now, secureDigits, sha256 } from '@gatehouse/platform';
import { flowHashOf, type Client } from '../http/request-context.js';
import { respondUniformly } from '../http/timing/respond-uniformly.js';
import { RequiredProvidersService } from '../identities/required-providers.service.js';
import { MailQuotaService, type MailRequest } from '../mail/mail-quota.service.js';
import { MailWriterService } from '../mail-templates/mail-writer.service.js';
import { assertRedirectUrl, isReachable } from '../one-time-tokens/one-time-links.service.js';
import { SignInFlowsService } from '../sign-in/sign-in-flows.service.js';
import type { EmailCodeRequest } from './dto/email-code.request.js';
import type { EmailCodeChallenge } from './dto/email-code.response.js';
import { newLinkToken } from './email-links.service.js';

const KIND = 'email-code';

/**
 * A challenge. If the hosted page has no flow yet, it also contains the secret of the new flow to which the challenge
 * is bound.
 */
type CreatedChallenge = EmailCodeChallenge & { flow?: string };

interface EmailCode {
  code: string;
  isShort: boolean;
  /** True for the test address's code, which is not sent. */
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
    private readonly required: RequiredProvidersService,
    private readonly flows: SignInFlowsService,
    private readonly transactions: Transactions,
    private readonly keyring: Keyring,
    private readonly config: Config,
  ) {}

  /**
   * Creates a challenge and emails its code. The email contains a link if the request contains a redirect URL. Sends
   * nothing if the address must not receive an email; the response is the same in every case. Customers whose provider
   * returned no email address can always verify one (sign-in contract, section 4).
   * @throws GatehouseError `method_not_enabled`, `sso_required`, `validation_failed`
   */
  async send(
    project: ProjectContext,
    { email, redirectUrl, codeChallenge }: EmailCodeRequest,
    client: EmailCodeClient,
  ): Promise<CreatedChallenge> {
    const account = findProfileWithoutEmail(client);
    if (!account) assertMethodEnabled(project, 'emailCode');
    const target = linkTarget(project, redirectUrl, codeChallenge);
    await this.required.assertAllowed(project, email, account ? { providerId: account.providerId } : {});
    return (await respondUniformly(this.create(project, email, target, client)))!;
  }

  /** Returns the hash of a code under each root secret. The code is useless with another token or project. */
  hash(project: ProjectContext, tokenHash: Buffer, code: string): Buffer[] {
    return this.keyring.macWithEachKey('email-code', `${project.id}:${tokenHash.toString('hex')}:${code}`);
  }

  private async create(
    project: ProjectContext,
    email: string,
    target: LinkTarget | null,
    client: EmailCodeClient,
  ): Promise<CreatedChallenge> {
    const { token, tokenHash } = newToken();
    // Computed before the insert: the insert time would reveal how much work the address has caused.
    const expiresAt = new Date(now().getTime() + EMAIL_CODE_TTL * 1_000);
    const found = await this.customers.findByEmail(project.id, email);
    const { code, isShort, isTest } = await this.newCode(project, email);
    const link = target && { token: newLinkToken(code), target };
    const canSend = isTest || (await this.consumeQuota(project, email, found));
    const flow = await this.transactions.join(async (tx) => {
      const startedFlow = await this.beginFlow(tx, project, client);
      const customer = found && (await this.customers.lockByEmail(tx, project.id, email));
      const isSent = canSend && (!found || isReachable(customer, email));
      const parameters = { code, token: link?.token };
      if (isSent && !isTest)
        await this.mails.write(tx, { kind: KIND, recipient: email, customer, project, parameters });
      const codeHash = isSent ? this.hash(project, tokenHash, code)[0]! : null;
      const projectId = project.id;
      await this.codes.insert(tx, {
        tokenHash,
        projectId,
        email,
        codeHash,
        isShort,
        addressBlock: client.addressBlock,
        flowHash: startedFlow?.secretHash ?? flowHashOf(client),
        link: link && { ...link.target, hash: sha256(link.token) },
        ttl: EMAIL_CODE_TTL,
      });
      return startedFlow;
    });
    return { token, expiresAt: expiresAt.toISOString(), ...(flow ? { flow: flow.secret } : {}) };
  }

  /** Begins the flow that a code on a hosted page is bound to, unless the page continues a provider sign-in. */
  private async beginFlow(tx: Tx, { id }: ProjectContext, client: EmailCodeClient) {
    if (!client.page || findProfileWithoutEmail(client)) return null;
    return this.flows.begin(tx, id, client.page.target);
  }

  /**
   * Returns the fixed code for a test address, otherwise a random code. Random codes are longer while the project
   * receives many wrong codes.
   */
  private async newCode(project: ProjectContext, email: string): Promise<EmailCode> {
    const isLong = await this.codes.exceedsGuessLimit(project.id);
    const fixed = testCode(project, email, this.config);
    if (fixed !== null) return { code: fixed, isShort: false, isTest: true };
    return { code: secureDigits(isLong ? 8 : 6), isShort: !isLong, isTest: false };
  }

  /**
   * Counts the email. Returns false if it must not be sent: the customer is disabled, no account can be
   * created, or a limit is reached.
   */
  private async consumeQuota(
    project: ProjectContext,
    email: string,
    customer: Customer | null,
  ): Promise<boolean> {
    if (customer ? customer.disabledAt : !project.settings.signIn.allowSignUp) return false;
    const mail: MailRequest = customer
      ? { kind: KIND, recipient: email, isTrusted: customer.emailVerified }
      : { kind: KIND, purpose: 'signUp', recipient: email, isTrusted: false };
    const rejection = await this.quota.consume(project, mail);
    if (rejection && customer) await this.quota.recordDropped(project, customer.id, mail, rejection);
    return !rejection;
  }
}

/** The client properties that a code depends on. */
export type EmailCodeClient = Pick<Client, 'addressBlock' | 'page'>;

/**
 * Returns the provider profile if the page continues the flow of a profile without an email address, or null.
 */
export function findProfileWithoutEmail({
  page,
}: Pick<Client, 'page'>): Pick<ProfileFlow, 'providerId' | 'profile'> | null {
  const { providerId = null, profile = null } = page?.flow ?? {};
  return providerId !== null && profile?.email === null ? { providerId, profile } : null;
}

/**
 * Returns an email link's target, or null for an email without a link.
 * @throws GatehouseError `validation_failed` for a URL that the project does not allow, or if only one of the
 *   fields is present
 */
function linkTarget(
  project: ProjectContext,
  redirectUrl: string | undefined,
  codeChallenge: string | undefined,
): LinkTarget | null {
  assertRedirectUrl(project, redirectUrl);
  if (redirectUrl !== undefined && codeChallenge !== undefined) return { redirectUrl, codeChallenge };
  if (redirectUrl === undefined && codeChallenge === undefined) return null;
  const missing = redirectUrl === undefined ? 'redirectUrl' : 'codeChallenge';
  throw invalidField(missing, 'required', 'redirectUrl and codeChallenge must be sent together');
}
