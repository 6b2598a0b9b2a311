import type { OneTimeToken } from '@gatehouse/persistence';
import { formatTime } from '@gatehouse/platform';
import { DisownService } from '../email/disown.service.js';
import { HostedPage } from './hosted-page.js';
import { LinkPage, type TokenVisit } from './link-page.js';
import { postButton, textLink } from './page.js';

const PATH = '/disown';

/**
 * Returns true if the link can disown the account. A used verification link can still do so, because the owner may
 * notice the account only after the verification. The link for an email change can do so only after the change is
 * complete.
 */
const canDisown = ({ state, isClaimed, kind, email, customer }: OneTimeToken): boolean =>
  (state === 'live' || state === 'consumed') &&
  !isClaimed &&
  kind !== 'change-email-current' &&
  email === customer.email;

/** The page on which the owner of an address disowns an account that another person created with it. */
@HostedPage('disown')
export class DisownPage extends LinkPage({
  limit: 'verify',
  isOpen: canDisown,
}) {
  constructor(protected readonly links: DisownService) {
    super();
  }

  protected sendForm(visit: TokenVisit): void {
    const { title, text, button } = visit.texts.disown.confirm;
    visit.send(200, {
      title,
      text: text(visit.link.email),
      hint: describeCreation(visit),
      button: postButton(PATH, button, { token: visit.token }),
    });
  }

  protected async use(visit: TokenVisit): Promise<void> {
    await this.links.disown(visit.token);
    sendText(visit, 200, 'done');
  }

  protected sendUnusableLink(visit: TokenVisit): void {
    const { link } = visit;
    if (link.state === 'voided' || link.email !== link.customer.email) return visit.sendInvalidLink();
    if (link.state === 'expired') return sendText(visit, 400, 'expired');
    sendText(visit, 200, 'alreadyDone');
  }
}

/** Returns the sentence that states when the account was created, and with which device. */
export const describeCreation = ({ texts, link }: TokenVisit): string =>
  texts.disown.created(formatTime(texts.language, link.customer.createdAt), link.registrationDevice);

/**
 * Returns a link to the page, or an empty string if the token cannot disown the account.
 * @param link the link's current state
 */
export const disownLink = ({ texts, token, link: visited }: TokenVisit, link = visited): string =>
  canDisown(link) ? textLink(`${PATH}?token=${encodeURIComponent(token)}`, texts.disown.link) : '';

function sendText(visit: TokenVisit, status: number, kind: 'done' | 'alreadyDone' | 'expired'): void {
  const { title, text } = visit.texts.disown[kind];
  visit.send(status, { title, text: text(visit.link.email) });
}
