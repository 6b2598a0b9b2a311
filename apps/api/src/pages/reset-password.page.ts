import { Body, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { assertMethodEnabled, hasErrorCode, type PasswordWeakness } from '@gatehouse/domain';
import type { OneTimeToken } from '@gatehouse/persistence';
import { CurrentClient } from '../http/current-client.js';
import { RateLimit } from '../http/rate-limit.js';
import type { Client } from '../http/request-context.js';
import { PasswordResetService } from '../passwords/password-reset.service.js';
import {
  projectBrand,
  readToken,
  sendDone,
  sendExpired,
  sendInvalid,
  resolveSubmission,
  textsFor,
  withinLimit,
  type PageForm,
} from './one-time-page.js';
import { HostedPage } from './hosted-page.js';
import { passwordForm, sendPage } from './page.js';

/** The paths of the page and the names of its texts for each of its two kinds of link. */
const variants = {
  'reset-password': { path: '/reset-password', name: 'resetPassword' },
  'accept-invite': { path: '/accept-invite', name: 'acceptInvite' },
} as const;

const variantOf = ({ kind }: OneTimeToken) => variants[kind === 'accept-invite' ? kind : 'reset-password'];

/** The pages for the links in password reset and invitation emails. Both set a password. */
@HostedPage(['reset-password', 'accept-invite'])
export class ResetPasswordPage {
  constructor(private readonly resets: PasswordResetService) {}

  @Get()
  @RateLimit('verify')
  async show(@Query('token') query: unknown, @Res() response: Response): Promise<void> {
    const token = readToken(query);
    const oneTimeToken = await withinLimit(response, await this.resets.find(token));
    if (oneTimeToken?.state !== 'live') return sendEnded(response, oneTimeToken, token);
    assertMethodEnabled(oneTimeToken.project, 'password');
    sendForm(response, 200, token, oneTimeToken);
  }

  @Post()
  @RateLimit('reset')
  async submit(
    @Body() form: PageForm | undefined,
    @CurrentClient() client: Client,
    @Res() response: Response,
  ): Promise<void> {
    const link = await resolveSubmission({ form, response, links: this.resets, sendEnded });
    if (!link) return;
    const { token, oneTimeToken } = link;
    try {
      await this.resets.submit(token, form?.password ?? '', { ...client, origin: undefined });
    } catch (error) {
      if (hasErrorCode(error, 'invalid_token'))
        return sendEnded(response, await this.resets.find(token), token);
      if (!hasErrorCode(error, 'weak_password')) throw error;
      const weaknesses = error.details.errors!.map(({ code }) => code as PasswordWeakness);
      return sendForm(response, 422, token, oneTimeToken, weaknesses);
    }
    const texts = textsFor(response, oneTimeToken);
    const { done } = texts[variantOf(oneTimeToken).name];
    sendDone(response, oneTimeToken, done, texts.password.doneText(oneTimeToken.email));
  }
}

function sendForm(
  response: Response,
  status: number,
  token: string,
  oneTimeToken: OneTimeToken,
  weaknesses: PasswordWeakness[] = [],
): void {
  const texts = textsFor(response, oneTimeToken);
  const { path, name } = variantOf(oneTimeToken);
  const { title, text, button } = texts[name];
  const { label: inputLabel, hint, weakness } = texts.password;
  const { passwordMinLength: minLength } = oneTimeToken.project.settings;
  const form = { path, label: button, fields: { token }, email: oneTimeToken.email, inputLabel, minLength };
  const error = weaknesses.map((each) => weakness(each, minLength)).join(' ');
  sendPage(response, status, {
    language: texts.language,
    title,
    text: text(oneTimeToken.email),
    button: passwordForm({ ...form, hint: hint(minLength), error }),
    brand: projectBrand(oneTimeToken.project),
  });
}

function sendEnded(response: Response, oneTimeToken: OneTimeToken | null, token: string): void {
  if (!oneTimeToken || oneTimeToken.state === 'voided') return sendInvalid(response, oneTimeToken);
  const { path, name } = variantOf(oneTimeToken);
  if (oneTimeToken.state === 'expired') return sendExpired(response, path, token, oneTimeToken);
  const texts = textsFor(response, oneTimeToken);
  sendDone(response, oneTimeToken, texts[name].done, texts.alreadyUsed);
}
