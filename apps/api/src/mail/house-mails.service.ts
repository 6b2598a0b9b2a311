import { Injectable } from '@nestjs/common';
import { MailsRepository, type Tx } from '#persistence';
import { Config, Keyring, newId, sealMailParameters, type MailKind } from '#platform';

/** Mails of the house itself, which belong to no project. */
@Injectable()
export class HouseMails {
  constructor(
    private readonly mails: MailsRepository,
    private readonly keyring: Keyring,
    private readonly config: Config,
  ) {}

  /** Whether they are sent. Those that are kept nobody sees: they are in no project's mailbox. */
  get areSent(): boolean {
    return this.config.mail.smtpUrl !== null;
  }

  /** Writes a mail, which the worker sends. @param token in its link @returns its id */
  async write(tx: Tx, kind: MailKind, recipient: string, token?: string): Promise<string> {
    const id = newId();
    const projectName = `Gatehouse at ${new URL(this.config.publicUrl).hostname}`;
    const parameters = sealMailParameters(this.keyring, id, { projectName, ...(token && { token }) });
    await this.mails.insert(tx, { id, kind, recipient, parameters, projectId: null, customerId: null });
    return id;
  }
}
