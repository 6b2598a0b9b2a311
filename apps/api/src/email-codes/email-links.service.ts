import { Injectable } from '@nestjs/common';
import { isRedirectUrlAllowed } from '@gatehouse/domain';
import { EmailCodesRepository, Transactions, type EmailLink } from '@gatehouse/persistence';
import { secureBytes, sha256 } from '@gatehouse/platform';
import { ExchangeCodesService } from '../sign-in/exchange-codes.service.js';

/** A link, with the code of the same email. */
export interface EmailLinkWithCode extends EmailLink {
  code: string;
}

/**
 * Returns a token for a link. It contains the code of the same email, so that the page can show it: only hashes are
 * stored.
 */
export const newLinkToken = (code: string): string => `${secureBytes(32).toString('base64url')}.${code}`;

/** The links in emails with a code. They lead back to the application, which completes the sign-in. */
@Injectable()
export class EmailLinksService {
  constructor(
    private readonly codes: EmailCodesRepository,
    private readonly exchanges: ExchangeCodesService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Returns a link without consuming it, or null if it does not exist. It is not open if the project has turned off
   * email codes, or no longer allows the redirect URL.
   */
  async find(token: string): Promise<EmailLinkWithCode | null> {
    const link = await this.codes.findLink(sha256(token));
    if (!link) return null;
    const { settings } = link.project;
    const isAllowed = settings.signIn.emailCode && isRedirectUrlAllowed(settings, link.target.redirectUrl);
    return { ...link, isOpen: link.isOpen && isAllowed, code: token.slice(token.indexOf('.') + 1) };
  }

  /**
   * Consumes an open link together with its code.
   * @returns the redirect URL with the code of an exchange; null if link or code have been used in the meantime
   */
  async use(token: string, { project, email, target, createdAt }: EmailLink): Promise<string | null> {
    return this.transactions.run(async (tx) => {
      if (!(await this.codes.consumeLink(tx, sha256(token)))) return null;
      const proof = { kind: 'sign_in', method: 'email', email, requestedAt: createdAt } as const;
      return this.exchanges.issue(tx, { ...proof, ...target, projectId: project.id });
    });
  }
}
