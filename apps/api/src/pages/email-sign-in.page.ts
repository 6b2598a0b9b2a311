import { Body, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { EmailLinksService } from '../email-codes/email-links.service.js';
import { RateLimit } from '../http/rate-limit.js';
import type { EmailLink } from '@gatehouse/persistence';
import { projectBrand, readToken, textsFor, withinLimit, type PageForm } from './one-time-page.js';
import { HostedPage } from './hosted-page.js';
import { postButton, sendPage } from './page.js';

const PATH = '/email-sign-in';

/**
 * The page for the links in emails with a code. Opening it changes nothing, because email scanners open links (EV-03).
 * It opens no session: it leads back to the application, where the client that requested the email completes the sign-in.
 */
@HostedPage('email-sign-in')
export class EmailSignInPage {
  constructor(private readonly links: EmailLinksService) {}

  @Get()
  @RateLimit('email-code-verify')
  async show(@Query('token') query: unknown, @Res() response: Response): Promise<void> {
    const token = readToken(query);
    const link = await withinLimit(response, await this.links.find(token));
    if (!link?.isOpen) return sendEnded(response, link);
    const brand = projectBrand(link.project);
    const { language, emailSignIn } = textsFor(response, link);
    sendPage(response, 200, {
      language,
      title: emailSignIn.title,
      text: emailSignIn.text(brand.name, link.email),
      button: postButton(PATH, emailSignIn.button, { token }),
      hint: emailSignIn.hint(link.code),
      redirectUrl: link.target.redirectUrl,
      brand,
    });
  }

  @Post()
  @RateLimit('email-code-verify')
  async confirm(@Body() form: PageForm | undefined, @Res() response: Response): Promise<void> {
    const token = form?.token ?? '';
    const link = await withinLimit(response, await this.links.find(token));
    const redirectUrl = link && (await this.links.use(token, link));
    if (!redirectUrl) return sendEnded(response, link);
    response.redirect(303, redirectUrl);
  }
}

/** Sends the page for a link that cannot be used, whatever the reason. */
function sendEnded(response: Response, link: EmailLink | null): void {
  const { language, invalidLink, emailSignIn } = textsFor(response, link);
  const brand = link && projectBrand(link.project);
  sendPage(response, 400, { language, title: invalidLink.title, text: emailSignIn.endedText, brand });
}
