import { Body, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  resolveBrand,
  parseAcceptLanguage,
  type Brand,
  type Customer,
  type ProjectContext,
} from '@gatehouse/domain';
import type { OneTimeToken } from '@gatehouse/persistence';
import { assertWithinLimit, type RouteLimit } from '../http/limits/address-limit.js';
import { RateLimit } from '../http/limits/rate-limit.js';
import type { GatehouseRequest } from '../http/request-context.js';
import { acceptedLanguages } from '../http/request-languages.js';
import { isRepeatable } from '../one-time-tokens/one-time-links.service.js';
import { linkButton, postButton, sendPage, type PageContent } from './page.js';
import { selectPageTexts, type PageTexts } from './page-texts.js';

/** Fields of the forms on pages for email links. */
export interface PageForm {
  token?: string;
  password?: string;
  /** Sent by the button that requests a new link. */
  renew?: string;
}

/** The project and the customer whom a page concerns. */
interface PageSubject {
  project: ProjectContext;
  customer: Pick<Customer, 'locale'>;
}

/** A link in an email. */
interface PageLink extends PageSubject {
  email: string;
  state?: OneTimeToken['state'];
}

/** Returns the branding for a project's pages. */
export const projectBrand = ({ name, settings }: ProjectContext): Brand =>
  resolveBrand(name, settings.branding);

/** Returns the page texts in the customer's language or, without a customer, in the browser's language. */
export const textsFor = (response: Response, subject: PageSubject | null = null): PageTexts =>
  selectPageTexts({
    locale: subject?.customer.locale ?? null,
    accepted: parseAcceptLanguage(acceptedLanguages(response.req as GatehouseRequest)),
    defaultLocale: subject?.project.settings.defaultLocale ?? null,
  });

/** A visit to a link's page. Sends pages in the customer's language and with the project's branding. */
export class LinkVisit<Link extends PageLink | null> {
  readonly texts: PageTexts;

  constructor(
    readonly response: Response,
    readonly token: string,
    readonly link: Link,
  ) {
    this.texts = textsFor(response, link);
  }

  send(status: number, content: Omit<PageContent, 'language' | 'brand'>): void {
    const brand = this.link && projectBrand(this.link.project);
    sendPage(this.response, status, { language: this.texts.language, brand, ...content });
  }

  /** Sends the page for an unknown or voided link. A newer link voids an older one, for example. */
  sendInvalidLink(): void {
    this.send(400, this.texts.invalidLink);
  }
}

/** A visit to a one-time link's page. */
export type TokenVisit = LinkVisit<OneTimeToken>;

/** Returns true if the link is valid and unused. */
export const isActive = ({ state }: OneTimeToken): boolean => state === 'live';

/** Returns true if the link is active, or if the form may be a resubmission of the form that used it. */
export const isActiveOrRepeated = (link: OneTimeToken): boolean => isActive(link) || isRepeatable(link);

interface LinkPageOptions<Link> {
  limit: RouteLimit;
  /** Rate limit for the form. Default: `limit` */
  submitLimit?: RouteLimit;
  /** Returns true if the page shows a form that uses the link. */
  isOpen: (link: Link) => boolean;
  /** Returns true if the form can be submitted with the link. Default: `isOpen` */
  isUsable?: (link: Link) => boolean;
}

/** The service that handles one kind of link. */
interface PageLinks<Link> {
  /** Returns the link with this token in any state, without consuming it. */
  find(token: string): Promise<Link | null>;
  /** Sends a new link to replace an expired one. Undefined if the page does not offer this. */
  resendExpired?(expired: Link): Promise<void>;
}

/**
 * Returns a base class for pages that a link in an email opens. Opening the page changes nothing, because email
 * scanners open links (EV-03). Only its form uses the link.
 */
export function LinkPage<Link extends PageLink>({
  limit,
  submitLimit = limit,
  isOpen,
  isUsable = isOpen,
}: LinkPageOptions<Link>) {
  abstract class Page {
    protected abstract readonly links: PageLinks<Link>;

    /** Sends the page with the form. */
    protected abstract sendForm(visit: LinkVisit<Link>): Promise<void> | void;

    /** Uses the link, and sends the confirmation page. */
    protected abstract use(visit: LinkVisit<Link>, form: PageForm): Promise<void>;

    /** Sends the page for a link that can no longer be used. */
    protected abstract sendUnusableLink(visit: LinkVisit<Link>): void;

    /** Sends the page for an unknown link. */
    protected sendUnknownLink(response: Response): void {
      new LinkVisit(response, '', null).sendInvalidLink();
    }

    @Get()
    @RateLimit(limit)
    async show(@Query('token') query: unknown, @Res() response: Response): Promise<void> {
      const visit = await this.open(response, query);
      if (!visit) return;
      if (isOpen(visit.link)) await this.sendForm(visit);
      else this.sendUnusableLink(visit);
    }

    @Post()
    @RateLimit(submitLimit)
    async submit(@Body() form: PageForm | undefined, @Res() response: Response): Promise<void> {
      const visit = await this.open(response, form?.token);
      if (!visit) return;
      const { link } = visit;
      if (isUsable(link)) await this.use(visit, form ?? {});
      else if (link.state === 'expired' && form?.renew && this.links.resendExpired) {
        await this.links.resendExpired(link);
        // The same page is sent if the quota has prevented a new email.
        const { title, text } = visit.texts.newLink;
        visit.send(200, { title, text: text(link.email) });
      } else this.sendUnusableLink(visit);
    }

    /**
     * Returns null for an unknown link, after sending the page for it.
     * @throws GatehouseError `rate_limited` if a limit of the link's project is exceeded
     */
    private async open(response: Response, value: unknown): Promise<LinkVisit<Link> | null> {
      const token = typeof value === 'string' ? value : '';
      const link = await this.links.find(token);
      await assertWithinLimit((response.req as GatehouseRequest).counted, link?.project ?? null);
      if (link) return new LinkVisit(response, token, link);
      this.sendUnknownLink(response);
      return null;
    }
  }
  return Page;
}

/** Sends the page for an expired link, with a button to request a new one. */
export function sendExpired(visit: TokenVisit, path: string): void {
  const { title, text, button } = visit.texts.expiredLink;
  visit.send(400, {
    title,
    text: text(visit.link.email),
    button: postButton(path, button, { token: visit.token, renew: '1' }),
  });
}

/**
 * Sends the final page, with a Continue button if the link has a redirect URL.
 * @param more HTML from `textLink`
 */
export function sendConfirmation(visit: TokenVisit, title: string, text: string, more = ''): void {
  const { redirectUrl } = visit.link;
  const { close, continueButton } = visit.texts;
  visit.send(200, {
    title,
    text: redirectUrl ? text : `${text} ${close}`,
    button: (redirectUrl ? linkButton(redirectUrl, continueButton) : '') + more,
  });
}
