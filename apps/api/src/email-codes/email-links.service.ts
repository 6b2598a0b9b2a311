import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isRedirectUrlAllowed } from '@gatehouse/domain';
import { EmailCodesRepository, Transactions, type EmailLink } from '@gatehouse/persistence';
import { secureBytes, sha256 } from '@gatehouse/platform';
import { ExchangeCodesService } from '../sign-in/exchange-codes.service.js';

/** A link, with the code from the same email. */
export interface EmailLinkWithCode extends EmailLink {
  code: string;
}

/**
 * Returns a token for a link. The token contains the code from the same email: the page displays the code, but only the
 * code's hash is stored.
 */
export const newLinkToken = (code: string): string => `${secureBytes(32).toString('base64url')}.${code}`;

/** Manages the links in emails with a code, which redirect to the application to complete the sign-in. */
@Injectable()
export class EmailLinksService {
  constructor(
    private readonly codes: EmailCodesRepository,
    private readonly exchanges: ExchangeCodesService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Returns a link without consuming it, or null if it does not exist. `isOpen` is false if the project has
   * turned off email codes, or no longer allows the redirect URL.
   */
  async find(token: string): Promise<EmailLinkWithCode | null> {
    const link = await this.codes.findLink(sha256(token));
    if (!link) return null;
    const code = token.slice(token.indexOf('.') + 1);
    return { ...link, isOpen: link.isOpen && isAllowed(link), code };
  }

  /**
   * Consumes a link together with its code. Further calls return the same URL until the exchange code is used
   * or has expired, because the browser follows the second response after a double click.
   * @returns the redirect URL with an exchange code; null if the link cannot be used
   */
  async use(token: string, link: EmailLink): Promise<string | null> {
    if (!isAllowed(link)) return null;
    const { project, email, target, createdAt } = link;
    const exchange = { kind: 'sign_in', ...target, projectId: project.id } as const;
    const code = exchangeCodeOf(token);
    return this.transactions.join(async (tx) => {
      if (!(await this.codes.consumeLink(tx, sha256(token))))
        return this.exchanges.findIssued(tx, exchange, code);
      return this.exchanges.issue(tx, { ...exchange, method: 'email', email, requestedAt: createdAt }, code);
    });
  }
}

const isAllowed = ({ project: { settings }, target }: EmailLink): boolean =>
  settings.signIn.emailCode && isRedirectUrlAllowed(settings, target.redirectUrl);

/** The code cannot be derived from the token's stored hash. */
const exchangeCodeOf = (token: string): string =>
  createHmac('sha256', token).update('exchange code').digest('base64url');
