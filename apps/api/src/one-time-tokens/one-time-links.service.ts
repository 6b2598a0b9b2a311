import { Injectable } from '@nestjs/common';
import {
  GatehouseError,
  invalidField,
  oneTimeTokenTtl,
  type Customer,
  type OneTimeTokenKind,
  type ProjectContext,
  type ProjectSettings,
} from '@gatehouse/domain';
import {
  CustomersRepository,
  MailsRepository,
  OneTimeTokensRepository,
  type CustomerWithPasswordHash,
  type OneTimeToken,
  type Tx,
} from '@gatehouse/persistence';
import {
  Keyring,
  newId,
  sealMailParameters,
  secureBytes,
  sha256,
  type MailKind,
  type MailParameters,
  type Notice,
} from '@gatehouse/platform';
import { assertOriginAllowed } from '../http/origin.guard.js';

export interface NewLink {
  kind: OneTimeTokenKind;
  customer: Customer;
  project: ProjectContext;
  /** Where the mail goes; default: the customer's address. */
  email?: string;
  /** Where the hosted page's "Continue" leads. */
  redirectUrl?: string | null;
  /** Both addresses of an e-mail change. */
  groupId?: string;
  newEmail?: string;
}

/** A token that somebody holds, with its customer locked for the change. */
export interface UsedToken {
  token: OneTimeToken;
  customer: CustomerWithPasswordHash;
  /** False when the token had taken effect before. */
  isFirstUse: boolean;
}

/** The project's own page for the link of a mail, where it has one. */
const projectPageSettings: Partial<Record<OneTimeTokenKind, keyof ProjectSettings & `${string}Url`>> = {
  'verify-email': 'verifyEmailUrl',
  'reset-password': 'resetPasswordUrl',
  'accept-invite': 'acceptInviteUrl',
};

/**
 * One-time tokens and the mails whose links carry them. Both are written with the change that asks for them;
 * the worker sends the mails.
 */
@Injectable()
export class OneTimeLinksService {
  constructor(
    private readonly tokens: OneTimeTokensRepository,
    private readonly customers: CustomersRepository,
    private readonly mails: MailsRepository,
    private readonly keyring: Keyring,
  ) {}

  /**
   * Makes a token, voids the older ones of its kind, and mails its link. Before that the caller locks the customer,
   * unless they are new: the customer comes before the token everywhere, so that no two transactions wait for each
   * other.
   */
  async send(tx: Tx, link: NewLink): Promise<void> {
    const { kind, customer, project, newEmail } = link;
    const token = await this.insertToken(tx, link);
    const page = projectPageSettings[kind];
    const pageUrl = page ? project.settings[page] : null;
    await this.writeMail(tx, kind, recipientOf(link), customer, project, { token, pageUrl, newEmail });
  }

  /** As `send`, but nobody gets the link: what else is of its group looks as if somebody had. */
  async createWithoutMail(tx: Tx, link: NewLink): Promise<void> {
    await this.insertToken(tx, link);
  }

  /** The token of a link, whatever its state, without using it; null when there is none. */
  find(kinds: readonly OneTimeTokenKind[], token: string): Promise<OneTimeToken | null> {
    return this.tokens.find(kinds, sha256(token));
  }

  /**
   * Spends a token. Of any number of parallel callers one is the first.
   * @param origin of the page that asks, if it is not ours
   * @throws GatehouseError `invalid_token`, one body whether it is unknown, expired or voided; `origin_not_allowed`
   */
  async use(
    tx: Tx,
    kinds: readonly OneTimeTokenKind[],
    token: string,
    origin: string | undefined,
  ): Promise<UsedToken> {
    const found = await this.tokens.find(kinds, sha256(token), tx);
    if (!isUsable(found)) throw new GatehouseError('invalid_token');
    assertOriginAllowed(origin, found.project.settings);
    const customer = await this.customers.lock(tx, found.project.id, found.customer.id);
    const isFirst = await this.tokens.consume(tx, found.id);
    const still = isFirst ? found : await this.tokens.find(kinds, sha256(token), tx);
    if (!customer || !isUsable(still)) throw new GatehouseError('invalid_token');
    return { token: found, customer, isFirstUse: isFirst };
  }

  /** Tells a customer something that asks for nothing. */
  async notify(tx: Tx, notice: Notice, customer: Customer, project: ProjectContext): Promise<void> {
    await this.writeMail(tx, notice, customer.email, customer, project, {});
  }

  /** Tells whoever has an address that it has an account, after somebody else asked for it. Nobody may have it. */
  async notifyOwner(tx: Tx, email: string, project: ProjectContext): Promise<void> {
    const owner = await this.customers.lockByEmail(tx, project.id, email);
    if (owner && !owner.disabledAt) await this.notify(tx, 'already-registered', owner, project);
  }

  /** @returns the token: 256 random bits, of which only the hash is kept */
  private async insertToken(tx: Tx, link: NewLink): Promise<string> {
    const token = secureBytes(32).toString('base64url');
    await this.tokens.insert(tx, {
      id: newId(),
      customerId: link.customer.id,
      kind: link.kind,
      email: recipientOf(link),
      tokenHash: sha256(token),
      redirectUrl: link.redirectUrl ?? null,
      groupId: link.groupId ?? null,
      ttl: oneTimeTokenTtl[link.kind],
    });
    return token;
  }

  private async writeMail(
    tx: Tx,
    kind: MailKind,
    recipient: string,
    customer: Customer,
    project: ProjectContext,
    parameters: Partial<MailParameters>,
  ): Promise<void> {
    const id = newId();
    const { branding, mail } = project.settings;
    await this.mails.insert(tx, {
      id,
      projectId: project.id,
      customerId: customer.id,
      kind,
      recipient,
      parameters: sealMailParameters(this.keyring, id, {
        projectName: project.name,
        branding,
        ...mail,
        ...parameters,
      }),
    });
  }
}

/** Whether a link may still go to this address: it is that of a customer who is let in. */
export const isReachable = (customer: Customer | null, email: string): customer is Customer =>
  customer !== null && customer.email === email && !customer.disabledAt;

/** @throws GatehouseError `validation_failed` for a URL that the project does not allow */
export function assertRedirectUrl({ settings }: ProjectContext, redirectUrl: string | undefined): void {
  if (redirectUrl !== undefined && !settings.redirectUrls.includes(redirectUrl)) {
    throw invalidField(
      'redirectUrl',
      'not_allowed',
      "redirectUrl must exactly match an entry of the project's redirectUrls",
    );
  }
}

const recipientOf = ({ email, customer }: NewLink): string => email ?? customer.email;

const isUsable = (token: OneTimeToken | null): token is OneTimeToken =>
  token?.state === 'live' || token?.state === 'consumed';
