import { Body, Controller, Get, Headers, Post, Query, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { NoCredential } from '@gatehouse/auth';
import { GatehouseError } from '@gatehouse/domain';
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
  type PageForm,
} from './one-time-page.js';
import { PageFilter } from './page.filter.js';
import { passwordForm, sendPage } from './page.js';

/** Texts of the page for each of its two kinds of link. */
const texts = {
  'reset-password': {
    path: '/reset-password',
    title: 'Choose a new password',
    text: 'For your account',
    button: 'Set new password',
    done: 'Your password has been changed',
  },
  'accept-invite': {
    path: '/accept-invite',
    title: 'Welcome',
    text: 'Choose a password for your account',
    button: 'Set password',
    done: 'Your account is ready',
  },
};

const textsFor = ({ kind }: OneTimeToken) => texts[kind === 'accept-invite' ? kind : 'reset-password'];

/** The pages for the links in password reset and invitation emails. Both set a password. */
@ApiExcludeController()
@NoCredential()
@UseFilters(PageFilter)
@Controller(['reset-password', 'accept-invite'])
export class ResetPasswordPage {
  constructor(private readonly resets: PasswordResetService) {}

  @Get()
  @RateLimit('verify')
  async show(@Query('token') query: unknown, @Res() response: Response): Promise<void> {
    const token = readToken(query);
    const oneTimeToken = await this.resets.find(token);
    if (oneTimeToken?.state !== 'live') return sendEnded(response, oneTimeToken, token);
    sendForm(response, 200, token, oneTimeToken);
  }

  @Post()
  @RateLimit('reset')
  async submit(
    @Body() form: PageForm | undefined,
    @Headers('sec-fetch-site') site: string | undefined,
    @CurrentClient() client: Client,
    @Res() response: Response,
  ): Promise<void> {
    const link = await resolveSubmission({ form, fetchSite: site, response, links: this.resets, sendEnded });
    if (!link) return;
    const { token, oneTimeToken } = link;
    try {
      await this.resets.reset(token, form?.password ?? '', { ...client, origin: undefined });
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.code !== 'weak_password') throw error;
      const advice = error.details.errors!.map(({ message }) => message).join(' ');
      return sendForm(response, 422, token, oneTimeToken, advice);
    }
    sendDone(
      response,
      oneTimeToken,
      textsFor(oneTimeToken).done,
      `You can now sign in as ${oneTimeToken.email}.`,
    );
  }
}

function sendForm(
  response: Response,
  status: number,
  token: string,
  oneTimeToken: OneTimeToken,
  error: string | null = null,
): void {
  const { path, title, text, button } = textsFor(oneTimeToken);
  const { passwordMinLength } = oneTimeToken.project.settings;
  const form = { path, label: button, fields: { token }, email: oneTimeToken.email, error };
  sendPage(response, status, {
    title,
    text: `${text} ${oneTimeToken.email}`,
    button: passwordForm({ ...form, minLength: passwordMinLength }),
    brand: projectBrand(oneTimeToken.project),
  });
}

function sendEnded(response: Response, oneTimeToken: OneTimeToken | null, token: string): void {
  if (!oneTimeToken || oneTimeToken.state === 'voided') return sendInvalid(response, oneTimeToken);
  const { path, done } = textsFor(oneTimeToken);
  if (oneTimeToken.state === 'expired') return sendExpired(response, path, token, oneTimeToken);
  sendDone(response, oneTimeToken, done, 'This link has already been used.');
}
