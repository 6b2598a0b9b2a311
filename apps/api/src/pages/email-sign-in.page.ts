import type { Response } from 'express';
import { EmailLinksService, type EmailLinkWithCode } from '../email-codes/email-links.service.js';
import { HostedPage } from './hosted-page.js';
import { LinkPage, LinkVisit, projectBrand } from './link-page.js';
import { postButton } from './page.js';

/**
 * The page for links in emails with a code. It opens no session, but redirects to the application, where the client
 * that requested the email completes the sign-in.
 */
@HostedPage('email-sign-in')
export class EmailSignInPage extends LinkPage<EmailLinkWithCode>({
  limit: 'email-code-verify',
  isOpen: ({ isOpen }) => isOpen,
  // Submitting the form again redirects to the application again.
  isUsable: () => true,
}) {
  constructor(protected readonly links: EmailLinksService) {
    super();
  }

  protected sendForm(visit: LinkVisit<EmailLinkWithCode>): void {
    const { link, token } = visit;
    const { title, text, button, hint } = visit.texts.emailSignIn;
    visit.send(200, {
      title,
      text: text(projectBrand(link.project).name, link.email),
      button: postButton('/email-sign-in', button, { token }),
      hint: hint(link.code),
      redirectUrl: link.target.redirectUrl,
    });
  }

  protected async use(visit: LinkVisit<EmailLinkWithCode>): Promise<void> {
    const redirectUrl = await this.links.use(visit.token, visit.link);
    if (!redirectUrl) return this.sendUnusableLink(visit);
    visit.response.redirect(303, redirectUrl);
  }

  protected override sendUnknownLink(response: Response): void {
    this.sendUnusableLink(new LinkVisit(response, '', null));
  }

  /** Sends the same page for every reason why a link cannot be used. */
  protected sendUnusableLink(visit: LinkVisit<EmailLinkWithCode | null>): void {
    const { invalidLink, emailSignIn } = visit.texts;
    visit.send(400, { title: invalidLink.title, text: emailSignIn.endedText });
  }
}
