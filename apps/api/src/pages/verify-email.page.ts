import { VerificationService } from '../email/verification.service.js';
import { describeCreation, disownLink } from './disown.page.js';
import { HostedPage } from './hosted-page.js';
import { isActive, LinkPage, sendConfirmation, sendExpired, type TokenVisit } from './link-page.js';
import { postButton } from './page.js';

const PATH = '/verify-email';

/** The page for verification links. */
@HostedPage('verify-email')
export class VerifyEmailPage extends LinkPage({
  limit: 'verify',
  isOpen: isActive,
}) {
  constructor(protected readonly links: VerificationService) {
    super();
  }

  protected sendForm(visit: TokenVisit): void {
    const { title, text, button } = visit.texts.verifyEmail;
    visit.send(200, {
      title,
      text: text(visit.link.email),
      hint: describeCreation(visit),
      button: postButton(PATH, button, { token: visit.token }) + disownLink(visit),
    });
  }

  protected async use(visit: TokenVisit): Promise<void> {
    await this.links.verify(visit.token);
    const { done, doneText } = visit.texts.verifyEmail;
    sendConfirmation(visit, done, doneText(visit.link.email), disownLink(visit));
  }

  protected sendUnusableLink(visit: TokenVisit): void {
    const { link, texts } = visit;
    // Another link, such as a password reset, may have confirmed the address. The customer must still have this
    // address.
    if (link.customer.emailVerified && link.customer.email === link.email)
      return sendConfirmation(
        visit,
        texts.alreadyConfirmed,
        texts.verifyEmail.alreadyDoneText(link.email),
        disownLink(visit),
      );
    if (link.state === 'voided') return visit.sendInvalidLink();
    sendExpired(visit, PATH);
  }
}
