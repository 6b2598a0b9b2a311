import { Body, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { OneTimeToken } from '@gatehouse/persistence';
import { formatTime } from '@gatehouse/platform';
import { DisownService } from '../email/disown.service.js';
import { RateLimit } from '../http/rate-limit.js';
import {
  projectBrand,
  readToken,
  resolveSubmission,
  sendInvalid,
  textsFor,
  withinLimit,
  type PageForm,
} from './one-time-page.js';
import { HostedPage } from './hosted-page.js';
import { postButton, sendPage, textLink } from './page.js';

const PATH = '/disown';

/**
 * The page on which the owner of an address disowns an account that another person created. Opening it changes
 * nothing, because email scanners also follow the links of pages (EV-03).
 */
@HostedPage('disown')
export class DisownPage {
  constructor(private readonly disowns: DisownService) {}

  @Get()
  @RateLimit('verify')
  async show(@Query('token') query: unknown, @Res() response: Response): Promise<void> {
    const token = readToken(query);
    const oneTimeToken = await withinLimit(response, await this.disowns.find(token));
    if (!oneTimeToken || !canDisown(oneTimeToken)) return sendEnded(response, oneTimeToken);
    const { language, disown } = textsFor(response, oneTimeToken);
    const { title, text, button } = disown.confirm;
    sendPage(response, 200, {
      language,
      title,
      text: text(oneTimeToken.email),
      hint: describeCreation(response, oneTimeToken),
      button: postButton(PATH, button, { token }),
      brand: projectBrand(oneTimeToken.project),
    });
  }

  @Post()
  @RateLimit('verify')
  async confirm(@Body() form: PageForm | undefined, @Res() response: Response): Promise<void> {
    const link = await resolveSubmission({
      form,
      response,
      links: this.disowns,
      isUsable: canDisown,
      sendEnded,
    });
    if (!link) return;
    await this.disowns.disown(link.token);
    sendText(response, 200, link.oneTimeToken, 'done');
  }
}

/** Returns when and with what device the account of a link was created. */
export function describeCreation(response: Response, oneTimeToken: OneTimeToken): string {
  const { language, disown } = textsFor(response, oneTimeToken);
  return disown.created(
    formatTime(language, oneTimeToken.customer.createdAt),
    oneTimeToken.registrationDevice,
  );
}

/** Returns a link to the page, or "" if the token cannot disown the account. */
export function disownLink(response: Response, oneTimeToken: OneTimeToken, token: string): string {
  if (!canDisown(oneTimeToken)) return '';
  const { disown } = textsFor(response, oneTimeToken);
  return textLink(`${PATH}?token=${encodeURIComponent(token)}`, disown.link);
}

/**
 * The address may have been verified with the link before: the owner may notice only afterwards. With the link of
 * a change, it is the address of the account only once the change is complete.
 */
const canDisown = ({ state, isClaimed, kind, email, customer }: OneTimeToken): boolean =>
  (state === 'live' || state === 'consumed') &&
  !isClaimed &&
  kind !== 'change-email-current' &&
  email === customer.email;

function sendEnded(response: Response, oneTimeToken: OneTimeToken | null): void {
  if (!oneTimeToken || oneTimeToken.state === 'voided' || oneTimeToken.email !== oneTimeToken.customer.email)
    return sendInvalid(response, oneTimeToken);
  if (oneTimeToken.state === 'expired') return sendText(response, 400, oneTimeToken, 'expired');
  sendText(response, 200, oneTimeToken, 'alreadyDone');
}

function sendText(
  response: Response,
  status: number,
  oneTimeToken: OneTimeToken,
  kind: 'done' | 'alreadyDone' | 'expired',
): void {
  const { language, disown } = textsFor(response, oneTimeToken);
  const { title, text } = disown[kind];
  const brand = projectBrand(oneTimeToken.project);
  sendPage(response, status, { language, title, text: text(oneTimeToken.email), brand });
}
