import { Body, Controller, Get, Headers, Post, Query, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { NoCredential } from '@gatehouse/auth';
import type { OneTimeToken } from '@gatehouse/persistence';
import { DisownService } from '../email/disown.service.js';
import { RateLimit } from '../http/rate-limit.js';
import { projectBrand, readToken, sendInvalid, resolveSubmission, type PageForm } from './one-time-page.js';
import { PageFilter } from './page.filter.js';
import { postButton, sendPage, textLink } from './page.js';

const PATH = '/disown';

const texts = {
  link: "I didn't create this account",
  created: (time: string, device: string | null): string =>
    `This account was created on ${time}${device ? ` with ${device}` : ''}.`,
  confirm: {
    title: 'Remove all access to this account?',
    text: (email: string): string =>
      `If you did not create the account of ${email}, another person may know its password. Removing all access deletes the password and signs out all devices. Nothing else is deleted.`,
    button: 'Remove all access',
  },
  done: {
    title: 'All access has been removed',
    text: (email: string): string =>
      `To use the account, set a password with the link that we have sent to ${email}. If you do not want the account, you can ignore that email.`,
  },
  alreadyDone: {
    title: 'All access has already been removed',
    text: (email: string): string =>
      `Since this link was sent, the owner of ${email} has removed all earlier access to the account. To remove all access again, choose "Forgot password" where you sign in.`,
  },
  expired: {
    title: 'This link has expired',
    text: (email: string): string =>
      `To remove all access to the account of ${email}, choose "Forgot password" where you sign in. A new password signs out all devices.`,
  },
};

/**
 * The page on which the owner of an address disowns an account that another person created. Opening it changes
 * nothing, because email scanners also follow the links of pages (EV-03).
 */
@ApiExcludeController()
@NoCredential()
@UseFilters(PageFilter)
@Controller('disown')
export class DisownPage {
  constructor(private readonly disowns: DisownService) {}

  @Get()
  @RateLimit('verify')
  async show(@Query('token') query: unknown, @Res() response: Response): Promise<void> {
    const token = readToken(query);
    const oneTimeToken = await this.disowns.find(token);
    if (!oneTimeToken || !canDisown(oneTimeToken)) return sendEnded(response, oneTimeToken);
    const { title, text, button } = texts.confirm;
    sendPage(response, 200, {
      title,
      text: text(oneTimeToken.email),
      hint: describeCreation(oneTimeToken),
      button: postButton(PATH, button, { token }),
      brand: projectBrand(oneTimeToken.project),
    });
  }

  @Post()
  @RateLimit('verify')
  async confirm(
    @Body() form: PageForm | undefined,
    @Headers('sec-fetch-site') site: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const link = await resolveSubmission({
      form,
      fetchSite: site,
      response,
      links: this.disowns,
      isUsable: canDisown,
      sendEnded,
    });
    if (!link) return;
    await this.disowns.disown(link.token);
    sendText(response, 200, link.oneTimeToken, texts.done);
  }
}

/** Returns when and with what device the account of a link was created. */
export const describeCreation = ({ customer, registrationDevice }: OneTimeToken): string =>
  texts.created(formatTime(customer.createdAt), registrationDevice);

/** Returns a link to the page, or "" if the token cannot disown the account. */
export const disownLink = (oneTimeToken: OneTimeToken, token: string): string =>
  canDisown(oneTimeToken) ? textLink(`${PATH}?token=${encodeURIComponent(token)}`, texts.link) : '';

/** The address may have been verified with the link before: the owner may notice only afterwards. */
const canDisown = ({ state, isClaimed }: OneTimeToken): boolean =>
  (state === 'live' || state === 'consumed') && !isClaimed;

function sendEnded(response: Response, oneTimeToken: OneTimeToken | null): void {
  if (!oneTimeToken || oneTimeToken.state === 'voided') return sendInvalid(response, oneTimeToken);
  if (oneTimeToken.state === 'expired') return sendText(response, 400, oneTimeToken, texts.expired);
  sendText(response, 200, oneTimeToken, texts.alreadyDone);
}

const sendText = (
  response: Response,
  status: number,
  { email, project }: OneTimeToken,
  { title, text }: { title: string; text: (email: string) => string },
): void => sendPage(response, status, { title, text: text(email), brand: projectBrand(project) });

const timeFormat = new Intl.DateTimeFormat('en', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
  hourCycle: 'h23',
});

const formatTime = (time: Date): string => `${timeFormat.format(time)} UTC`;
