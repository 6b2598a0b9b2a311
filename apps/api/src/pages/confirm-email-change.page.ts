import { EmailChangeService } from '../email/email-change.service.js';
import { describeCreation, disownLink } from './disown.page.js';
import { HostedPage } from './hosted-page.js';
import { isActive, isActiveOrRepeated, LinkPage, sendConfirmation, type TokenVisit } from './link-page.js';
import { postButton } from './page.js';

/** The page for the links that are sent to both addresses when a customer requests an email change. */
@HostedPage('confirm-email-change')
export class ConfirmEmailChangePage extends LinkPage({
  limit: 'verify',
  isOpen: isActive,
  isUsable: isActiveOrRepeated,
}) {
  constructor(protected readonly links: EmailChangeService) {
    super();
  }

  protected async sendForm(visit: TokenVisit): Promise<void> {
    const { link, token } = visit;
    const { title, text, button } = visit.texts.changeEmail;
    visit.send(200, {
      title,
      text: text(link.customer.email, await this.links.getNewEmail(link)),
      hint: link.kind === 'change-email-new' ? describeCreation(visit) : '',
      button: postButton('/confirm-email-change', button, { token }),
    });
  }

  protected async use(visit: TokenVisit): Promise<void> {
    const { link, token } = visit;
    const { oneMoreStep, oneMoreStepText, done, doneText } = visit.texts.changeEmail;
    if ((await this.links.submit(token)) !== 'changed')
      return sendConfirmation(visit, oneMoreStep, oneMoreStepText);
    const newEmail = await this.links.getNewEmail(link);
    const changed = (await this.links.find(token)) ?? link;
    sendConfirmation(visit, done, doneText(newEmail), disownLink(visit, changed));
  }

  protected sendUnusableLink(visit: TokenVisit): void {
    const { link, texts } = visit;
    if (link.state === 'voided') return visit.sendInvalidLink();
    if (link.state === 'consumed')
      return sendConfirmation(visit, texts.alreadyConfirmed, texts.alreadyUsed, disownLink(visit));
    visit.send(400, { title: texts.expiredLink.title, text: texts.changeEmail.expiredText });
  }
}
