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
  /** The customer whom the email concerns; null if no customer has the address. */
  customer: Customer | null;
  project: ProjectContext;
  /** Parameters that depend on the reason for the email. */
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
