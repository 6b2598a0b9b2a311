import { Injectable } from '@nestjs/common';
import type { Customer, ProjectContext } from '@gatehouse/domain';
import { MailsRepository, type Tx } from '@gatehouse/persistence';
import {
  Keyring,
  newId,
  sealMailParameters,
  type CustomerMailKind,
  type MailParameters,
} from '@gatehouse/platform';
import { MailTextsService } from './mail-texts.service.js';

/** An email to a project's customer. */
export interface NewCustomerMail {
  kind: CustomerMailKind;
  recipient: string;
  /** The customer that the email concerns; null for an address that no customer has. */
  customer: Customer | null;
  project: ProjectContext;
  /** The email content that depends on its cause. */
  parameters?: Partial<MailParameters>;
}

/** Writes emails to customers. The worker sends them after the transaction has been committed. */
@Injectable()
export class MailWriterService {
  constructor(
    private readonly mails: MailsRepository,
    private readonly texts: MailTextsService,
    private readonly keyring: Keyring,
  ) {}

  async write(tx: Tx, { kind, recipient, customer, project, parameters }: NewCustomerMail): Promise<void> {
    const id = newId();
    const { branding, mail } = project.settings;
    await this.mails.insert(tx, {
      id,
      projectId: project.id,
      customerId: customer?.id ?? null,
      kind,
      recipient,
      parameters: sealMailParameters(this.keyring, id, {
        projectName: project.name,
        branding,
        ...mail,
        ...parameters,
        ...(await this.texts.select(tx, kind, customer?.locale ?? null, project)),
      }),
    });
  }
}
