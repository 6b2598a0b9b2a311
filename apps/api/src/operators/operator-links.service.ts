import { Injectable } from '@nestjs/common';
import { GatehouseError, operatorLinkTtl, type Operator } from '@gatehouse/domain';
import { OperatorLinksRepository, type Tx } from '@gatehouse/persistence';
import { Config, newToken, pageLink, sha256 } from '@gatehouse/platform';
import { SystemMailsService } from '../mail/system-mails.service.js';

/**
 * Prefix of the tokens in links that the command prints. No other token contains a full stop, and only Gatehouse
 * creates tokens, so the prefix proves a valid token's origin.
 */
const COMMAND_PREFIX = 'command.';

/** Returns true if a valid token is from a link that the `operator-link` command has printed. */
export const isCommandToken = (token: string): boolean => token.startsWith(COMMAND_PREFIX);

/**
 * Creates and consumes one-time links to the console: setup links and invitations. Only their hashes are
 * stored.
 */
@Injectable()
export class OperatorLinksService {
  constructor(
    private readonly links: OperatorLinksRepository,
    private readonly mails: SystemMailsService,
    private readonly config: Config,
  ) {}

  /**
   * Creates a link for the command to print. Voids older links.
   * @param operatorId the operator who sets a password, or null to create the first operator of the installation
   */
  async createCommandLink(tx: Tx, operatorId: string | null): Promise<string> {
    const token = `${COMMAND_PREFIX}${newToken().token}`;
    await this.links.insert(tx, sha256(token), operatorId, operatorLinkTtl.command);
    return this.toUrl(operatorId, token);
  }

  /**
   * Creates a link with which an operator sets a password. Voids older links. With a mail server, only the operator
   * receives the link, so that an attacker with an admin's session cannot use it.
   * @returns the link, or null if it is sent by email
   */
  async createInvitation(tx: Tx, { id: operatorId, email }: Operator): Promise<string | null> {
    const { token, tokenHash } = newToken();
    await this.links.insert(tx, tokenHash, operatorId, operatorLinkTtl.invitation);
    // A captured email would reveal the link to everyone who can read a mailbox.
    if (!this.mails.isEnabled) return this.toUrl(operatorId, token);
    await this.mails.create(tx, 'operator-invitation', email, { token });
    return null;
  }

  /**
   * Returns a link's operator without consuming the link, or null for a setup link.
   * @throws GatehouseError `invalid_token`
   */
  async getOperatorId(token: string): Promise<string | null> {
    const link = await this.links.find(sha256(token));
    if (!link) throw new GatehouseError('invalid_token');
    return link.operatorId;
  }

  /**
   * Consumes a link. Only one of several concurrent calls succeeds.
   * @throws GatehouseError `invalid_token`
   */
  async use(tx: Tx, token: string): Promise<void> {
    if (!(await this.links.consume(tx, sha256(token)))) throw new GatehouseError('invalid_token');
  }

  /** Voids an operator's links, or the setup links if the id is null. */
  async voidAll(tx: Tx, operatorId: string | null): Promise<void> {
    await this.links.voidAll(tx, operatorId);
  }

  private toUrl(operatorId: string | null, token: string): string {
    const path = operatorId === null ? '/console/setup' : '/console/invitation';
    return pageLink(this.config.publicUrl, path, token);
  }
}
