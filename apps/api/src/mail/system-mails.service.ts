import { Injectable } from '@nestjs/common';
import { parseValidUrl } from '@gatehouse/domain';
import { MailsRepository, type Tx } from '@gatehouse/persistence';
import {
  Config,
  Keyring,
  newId,
  sealMailParameters,
  type MailKind,
  type MailParameters,
} from '@gatehouse/platform';

/** Creates emails from Gatehouse to operators. They do not belong to a project. */
@Injectable()
export class SystemMailsService {
  constructor(
    private readonly mails: MailsRepository,
    private readonly keyring: Keyring,
    private readonly config: Config,
  ) {}

  /** True if a mail server is configured. Captured emails to operators would not appear in any project's mailbox. */
  get isEnabled(): boolean {
    return this.config.mail.smtpUrl !== null;
  }

  /**
   * Inserts an email, which the worker sends.
   * @returns the email's id
   */
  async create(
    tx: Tx,
    kind: MailKind,
    recipient: string,
    content: Pick<MailParameters, 'token' | 'notice'> = {},
  ): Promise<string> {
    const id = newId();
    const projectName = `Gatehouse at ${parseValidUrl(this.config.publicUrl).hostname}`;
    const parameters = sealMailParameters(this.keyring, id, { projectName, ...content });
    await this.mails.insert(tx, { id, kind, recipient, parameters, projectId: null, customerId: null });
    return id;
  }
}
