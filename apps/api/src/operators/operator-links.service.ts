import { Injectable } from '@nestjs/common';
import { GatehouseError, type Operator } from '@gatehouse/domain';
import { OperatorLinksRepository, type Tx } from '@gatehouse/persistence';
import { Config, pageLink, secureBytes, sha256 } from '@gatehouse/platform';
import { SystemMailsService } from '../mail/system-mails.service.js';

/** One-time links into the console: one that sets the house up, and invitations. Only their hashes are kept. */
@Injectable()
export class OperatorLinksService {
  constructor(
    private readonly links: OperatorLinksRepository,
    private readonly mails: SystemMailsService,
    private readonly config: Config,
  ) {}

  /** A link by which somebody becomes the first operator of a house without any. */
  async createSetupLink(tx: Tx): Promise<string> {
    const token = newToken();
    await this.links.insert(tx, sha256(token), null);
    return pageLink(this.config.publicUrl, '/console/setup', token);
  }

  /** A link by which an operator chooses a password, mailed where mails are sent. Older ones are void. */
  async createInvitation(tx: Tx, { id: operatorId, email }: Operator): Promise<string> {
    const token = newToken();
    await this.links.insert(tx, sha256(token), operatorId);
    // Where mails are kept, whoever reads the mailbox would read the link as well.
    if (this.mails.isEnabled) await this.mails.create(tx, 'operator-invitation', email, token);
    return pageLink(this.config.publicUrl, '/console/invitation', token);
  }

  /** Whom a link is for, without using it; null for one that sets the house up. @throws GatehouseError `invalid_token` */
  async findOperatorId(token: string): Promise<string | null> {
    const found = await this.links.find(sha256(token));
    if (!found) throw new GatehouseError('invalid_token');
    return found.operatorId;
  }

  /** Uses a link up; of any number of parallel uses one succeeds. @throws GatehouseError `invalid_token` */
  async use(tx: Tx, token: string): Promise<void> {
    if (!(await this.links.consume(tx, sha256(token)))) throw new GatehouseError('invalid_token');
  }

  /** Voids the links of an operator, or with null those that set the house up. */
  async voidAll(tx: Tx, operatorId: string | null): Promise<void> {
    await this.links.voidAll(tx, operatorId);
  }
}

const newToken = (): string => secureBytes(32).toString('base64url');
