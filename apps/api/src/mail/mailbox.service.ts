import { Injectable } from '@nestjs/common';
import { canonicalEmail, notFound, type AccessScope } from '@gatehouse/domain';
import { MailsRepository, type CappedCount, type MailFilter, type ProjectMail } from '@gatehouse/persistence';
import { Config, CursorCodec, Keyring, renderMail, UnreadableValues } from '@gatehouse/platform';
import { readPage, type Page } from '../http/lists/paging.js';
import type { CountMailboxQuery, MailboxQuery } from './dto/mailbox.request.js';
import { MailboxEntry, type RenderedContent } from './dto/mailbox.response.js';

/** Reads the emails that are captured while no mail server is configured. */
@Injectable()
export class MailboxService {
  constructor(
    private readonly mails: MailsRepository,
    private readonly cursors: CursorCodec,
    private readonly keyring: Keyring,
    private readonly unreadable: UnreadableValues,
    private readonly config: Config,
  ) {}

  /** @throws GatehouseError `not_found` if a mail server is configured, `invalid_cursor` */
  async list(accessScope: AccessScope, query: MailboxQuery): Promise<Page<MailboxEntry>> {
    this.assertCapturing();
    const filter = mailFilter(query);
    const { items, nextCursor } = await readPage(
      this.cursors,
      ['mailbox', accessScope, filter],
      query,
      (before, limit) => this.mails.list(accessScope, { ...filter, before }, limit),
    );
    return { items: items.map((mail) => this.toEntry(mail)), nextCursor };
  }

  /** @throws GatehouseError `not_found` if a mail server is configured */
  async count(accessScope: AccessScope, query: CountMailboxQuery): Promise<CappedCount> {
    this.assertCapturing();
    return this.mails.count(accessScope, mailFilter(query));
  }

  /** @throws GatehouseError `not_found` if the email does not exist or a mail server is configured */
  async get(accessScope: AccessScope, id: string): Promise<MailboxEntry> {
    this.assertCapturing();
    return this.toEntry(await this.mails.get(accessScope, id));
  }

  private assertCapturing(): void {
    if (this.config.mail.smtpUrl) throw notFound();
  }

  private toEntry(mail: ProjectMail): MailboxEntry {
    const rendered = this.unreadable.readOrNull({ mailId: mail.id }, () =>
      renderMail(mail, this.keyring, this.config.publicUrl),
    );
    return MailboxEntry.from(mail, rendered ?? unreadableContent);
  }
}

/** Content of an email that was encrypted with an entry that is no longer in GATEHOUSE_SECRET. */
const unreadableContent: RenderedContent = {
  subject: 'This email cannot be decrypted',
  text: 'The entry that encrypted it is no longer in GATEHOUSE_SECRET.',
  html: '<p>The entry that encrypted it is no longer in GATEHOUSE_SECRET.</p>',
  link: null,
};

const mailFilter = ({ projectId, email }: CountMailboxQuery): MailFilter => ({
  projectId: projectId ?? null,
  email: email ? canonicalEmail(email) : null,
});
