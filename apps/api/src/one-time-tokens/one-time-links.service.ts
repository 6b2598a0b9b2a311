import { Injectable } from '@nestjs/common';
import {
  GatehouseError,
  invalidField,
  isRedirectUrlAllowed,
  oneTimeTokenTtl,
  type Customer,
  type CustomerNotice,
  type OneTimeTokenKind,
  type ProjectContext,
  type ProjectSettings,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  OneTimeTokensRepository,
  type CustomerWithPasswordHash,
  type NewEvent,
  type OneTimeToken,
  type Tx,
} from '@gatehouse/persistence';
import { newId, newToken, now, sha256 } from '@gatehouse/platform';
import { customerEvent } from '../events/customer-events.js';
import { assertWithinLimit } from '../http/limits/address-limit.js';
import { assertOriginAllowed } from '../http/origin.guard.js';
import type { LinkClient } from '../http/request-context.js';
import { MailQuotaService } from '../mail/mail-quota.service.js';
import { MailWriterService } from '../mail-templates/mail-writer.service.js';

export interface NewLink {
  kind: OneTimeTokenKind;
  customer: Customer;
  project: ProjectContext;
  /** Email recipient. Default: the customer's address. */
  email?: string;
  /** Target of the Continue button on the hosted page. */
  redirectUrl?: string | null;
  /** Groups the two tokens of an email change, one for each address. */
  groupId?: string;
  newEmail?: string;
}

/** A usable token that a caller has sent, with its customer locked for the change. */
export interface UsedToken {
  token: OneTimeToken;
  customer: CustomerWithPasswordHash;
  /** False if the token has already been used. */
  isFirstUse: boolean;
}

/** Project setting that contains the URL of the project's own page, for each kind of link that can have one. */
const projectPageSettings: Partial<Record<OneTimeTokenKind, keyof ProjectSettings & `${string}Url`>> = {
  'verify-email': 'verifyEmailUrl',
  'reset-password': 'resetPasswordUrl',
  'accept-invite': 'acceptInviteUrl',
};

/**
 * Creates and consumes one-time tokens, and creates the emails with their links. Token and email are inserted in the
 * same transaction as the change that requires them; the worker sends the emails.
 */
@Injectable()
export class OneTimeLinksService {
  constructor(
    private readonly tokens: OneTimeTokensRepository,
    private readonly customers: CustomersRepository,
    private readonly mails: MailWriterService,
    private readonly quota: MailQuotaService,
  ) {}

  /**
   * Creates a token, voids the customer's older tokens of the same kind, and emails the link. The caller must have
   * locked the customer unless the customer is new: every transaction locks the customer before the token, which
   * prevents deadlocks.
   */
  async send(tx: Tx, link: NewLink): Promise<void> {
    const { kind, customer, project, newEmail } = link;
    const token = await this.insertToken(tx, link);
    const page = projectPageSettings[kind];
    const pageUrl = page ? project.settings[page] : null;
    const parameters = { token, pageUrl, newEmail };
    await this.mails.write(tx, { kind, recipient: recipientOf(link), customer, project, parameters });
  }

  /**
   * Sends the link that verifies a customer's email address.
   * @returns the event to record in the same transaction
   */
  async sendVerification(
    tx: Tx,
    customer: Customer,
    project: ProjectContext,
    redirectUrl: string | null,
  ): Promise<NewEvent> {
    await this.send(tx, { kind: 'verify-email', customer, project, redirectUrl });
    const verification = { kind: 'email', email: customer.email, requestedAt: now().toISOString() };
    return customerEvent('verification.requested', customer, project, { verification });
  }

  /**
   * Creates a token as `send` does, but sends no email. The other tokens in its group behave as if the link had been
   * sent.
   */
  async createWithoutMail(tx: Tx, link: NewLink): Promise<void> {
    await this.insertToken(tx, link);
  }

  /** Returns the token of a link in any state, or null if it does not exist. Does not consume it. */
  find(kinds: readonly OneTimeTokenKind[], token: string): Promise<OneTimeToken | null> {
    return this.tokens.find(kinds, sha256(token));
  }

  /**
   * Consumes a token. Exactly one of several concurrent calls returns `isFirstUse: true`.
   * @param client the client that sent the token; undefined if a hosted page has checked it
   * @throws GatehouseError `rate_limited`, `invalid_token` with the same body for an unknown, expired or voided token,
   * `origin_not_allowed`
   */
  async use(
    tx: Tx,
    kinds: readonly OneTimeTokenKind[],
    token: string,
    client?: LinkClient,
  ): Promise<UsedToken> {
    const oneTimeToken = await this.tokens.find(kinds, sha256(token), tx);
    await assertWithinLimit(client?.counted, oneTimeToken?.project ?? null);
    if (!isUsable(oneTimeToken)) throw new GatehouseError('invalid_token');
    assertOriginAllowed(client?.origin, oneTimeToken.project.settings);
    const customer = await this.customers.lock(tx, oneTimeToken.project.id, oneTimeToken.customer.id);
    const isFirst = await this.tokens.consume(tx, oneTimeToken.id);
    const current = isFirst ? oneTimeToken : await this.tokens.find(kinds, sha256(token), tx);
    if (!customer || !isUsable(current)) throw new GatehouseError('invalid_token');
    return { token: current, customer, isFirstUse: isFirst };
  }

  /**
   * Sends a customer a notice, which requires no action. Notices to an unverified address are limited, because it may
   * belong to another person (requirement RL-08).
   */
  async notify(tx: Tx, notice: CustomerNotice, customer: Customer, project: ProjectContext): Promise<void> {
    const mail = { kind: notice, recipient: customer.email, isTrusted: customer.emailVerified };
    const rejection = await this.quota.consume(project, mail);
    if (rejection) await this.quota.recordDropped(project, customer.id, mail, rejection, tx);
    else await this.mails.write(tx, { kind: notice, recipient: customer.email, customer, project });
  }

  /**
   * Notifies the owner of an address that a client tried to register it again. Disabled customers are notified too,
   * because the response does not reveal their status. Does nothing if no customer has the address. The caller must
   * have counted the email.
   */
  async notifyOwner(tx: Tx, email: string, project: ProjectContext): Promise<void> {
    const owner = await this.customers.lockByEmail(tx, project.id, email);
    if (!owner) return;
    await this.mails.write(tx, { kind: 'already-registered', recipient: email, customer: owner, project });
  }

  /** Inserts a token and returns it. */
  private async insertToken(tx: Tx, link: NewLink): Promise<string> {
    const { token, tokenHash } = newToken();
    await this.tokens.insert(tx, {
      id: newId(),
      customerId: link.customer.id,
      kind: link.kind,
      email: recipientOf(link),
      tokenHash,
      redirectUrl: link.redirectUrl ?? null,
      groupId: link.groupId ?? null,
      ttl: oneTimeTokenTtl[link.kind],
    });
    return token;
  }
}

/**
 * Returns true if a link may still be sent to this address: an active customer exists and still has the
 * address.
 */
export const isReachable = (customer: Customer | null, email: string): customer is Customer =>
  customer !== null && customer.email === email && !customer.disabledAt;

/** @throws GatehouseError `validation_failed` for a URL that the project does not allow */
export function assertRedirectUrl({ settings }: ProjectContext, redirectUrl: string | undefined): void {
  if (redirectUrl !== undefined && !isRedirectUrlAllowed(settings, redirectUrl)) {
    throw invalidField(
      'redirectUrl',
      'not_allowed',
      "redirectUrl must match an entry of the project's redirectUrls exactly, except for a wildcard label or the port of a loopback address",
    );
  }
}

/**
 * Returns true if the token has just been consumed, so that a second submission of the same form may succeed: after a
 * double click, the browser shows the response to the second submission.
 */
export const isRepeatable = (token: OneTimeToken | null): token is OneTimeToken =>
  token?.state === 'consumed' && token.isJustConsumed;

const recipientOf = ({ email, customer }: NewLink): string => email ?? customer.email;

const isUsable = (token: OneTimeToken | null): token is OneTimeToken =>
  token?.state === 'live' || token?.state === 'consumed';
