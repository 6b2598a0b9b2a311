import { assertMethodEnabled, hasErrorCode, type PasswordWeakness } from '@gatehouse/domain';
import type { OneTimeToken } from '@gatehouse/persistence';
import { getClient, type GatehouseRequest } from '../http/request-context.js';
import { PasswordResetService } from '../passwords/password-reset.service.js';
import { HostedPage } from './hosted-page.js';
import {
  isActive,
  isActiveOrRepeated,
  LinkPage,
  LinkVisit,
  sendConfirmation,
  sendExpired,
  type PageForm,
  type TokenVisit,
} from './link-page.js';
import { passwordForm } from './page.js';

/** Path of the page and key of its texts, for each of the two kinds of links. */
const variants = {
  'reset-password': { path: '/reset-password', name: 'resetPassword' },
  'accept-invite': { path: '/accept-invite', name: 'acceptInvite' },
} as const;

const variantOf = ({ kind }: OneTimeToken) => variants[kind === 'accept-invite' ? kind : 'reset-password'];

/** The pages for links in password reset and invitation emails. Both set a password. */
@HostedPage(['reset-password', 'accept-invite'])
export class ResetPasswordPage extends LinkPage({
  limit: 'verify',
  submitLimit: 'reset',
  isOpen: isActive,
  isUsable: isActiveOrRepeated,
}) {
  constructor(protected readonly links: PasswordResetService) {
    super();
  }

  protected sendForm(visit: TokenVisit): void {
    assertMethodEnabled(visit.link.project, 'password');
    sendPasswordForm(visit, 200);
  }

  protected async use(visit: TokenVisit, { password = '' }: PageForm): Promise<void> {
    const { response, token, link, texts } = visit;
    const client = getClient(response.req as GatehouseRequest);
    try {
      await this.links.submit(token, password, { ...client, origin: undefined });
    } catch (error) {
      if (hasErrorCode(error, 'invalid_token')) {
        const current = await this.links.find(token);
        return current
          ? this.sendUnusableLink(new LinkVisit(response, token, current))
          : this.sendUnknownLink(response);
      }
      if (!hasErrorCode(error, 'weak_password')) throw error;
      const weaknesses = error.details.errors!.map(({ code }) => code as PasswordWeakness);
      return sendPasswordForm(visit, 422, weaknesses);
    }
    sendConfirmation(visit, texts[variantOf(link).name].done, texts.password.doneText(link.email));
  }

  protected sendUnusableLink(visit: TokenVisit): void {
    const { link, texts } = visit;
    if (link.state === 'voided') return visit.sendInvalidLink();
    const { path, name } = variantOf(link);
    if (link.state === 'expired') return sendExpired(visit, path);
    sendConfirmation(visit, texts[name].done, texts.alreadyUsed);
  }
}

function sendPasswordForm(visit: TokenVisit, status: number, weaknesses: PasswordWeakness[] = []): void {
  const { token, link, texts } = visit;
  const { path, name } = variantOf(link);
  const { title, text, button } = texts[name];
  const { label: inputLabel, hint, weakness } = texts.password;
  const { passwordMinLength: minLength } = link.project.settings;
  const form = { path, label: button, fields: { token }, email: link.email, inputLabel, minLength };
  const error = weaknesses.map((each) => weakness(each, minLength)).join(' ');
  visit.send(status, {
    title,
    text: text(link.email),
    button: passwordForm({ ...form, hint: hint(minLength), error }),
  });
}
