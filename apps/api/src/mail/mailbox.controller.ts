import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, SecretKey, type SecretKeyCaller } from '#auth';
import { canonicalEmail, notFound } from '#domain';
import { MailsRepository } from '#persistence';
import { Config, CursorCodec, Keyring, renderMail } from '#platform';
import { ApiCamelList } from '../http/api-envelopes.js';
import { ApiProblems } from '../http/api-problems.js';
import { camelList, readPage } from '../http/paging.js';
import { MailboxQuery } from './dto/mailbox.request.js';
import { MailboxEntry } from './dto/mailbox.response.js';

@ApiTags('Mailbox')
@ApiBearerAuth('secretKey')
@Controller('api/v1/mailbox')
export class MailboxController {
  constructor(
    private readonly mails: MailsRepository,
    private readonly cursors: CursorCodec,
    private readonly keyring: Keyring,
    private readonly config: Config,
  ) {}

  /** The mails that are kept while no SMTP_URL is set, newest first. */
  @Get()
  @SecretKey('customer:read')
  @ApiCamelList(MailboxEntry)
  @ApiProblems('validation_failed', 'invalid_cursor', 'invalid_api_key', 'insufficient_scope', 'not_found')
  async list(@CurrentCaller() { reach }: SecretKeyCaller, @Query() query: MailboxQuery) {
    if (this.config.mail.smtpUrl) throw notFound();
    const filter = {
      projectId: query.projectId ?? null,
      email: query.email ? canonicalEmail(query.email) : null,
    };
    const { items, nextCursor } = await readPage(
      this.cursors,
      ['mailbox', reach, filter],
      query,
      (before, limit) => this.mails.list(reach, { ...filter, before }, limit),
    );
    const entries = items.map((mail) =>
      MailboxEntry.from(mail, renderMail(mail, this.keyring, this.config.publicUrl)),
    );
    return camelList(entries, nextCursor);
  }
}
