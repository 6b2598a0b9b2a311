import { Catch } from '@nestjs/common';
import type { GatehouseError } from '@gatehouse/domain';
import type { PageTexts } from '../page-texts.js';
import { PageFilter } from '../page.filter.js';
import type { PageContent } from '../page.js';
import { signInTexts } from './sign-in-texts.js';

/**
 * Responds to requests that the hosted sign-in page cannot handle. An incorrect query results in a page for the
 * application developer, and never in a redirect, because its redirect URL cannot be trusted (FE-01).
 */
@Catch()
export class SignInPageFilter extends PageFilter {
  protected override describe(
    { code, details }: GatehouseError,
    texts: PageTexts,
  ): Omit<PageContent, 'language'> {
    const { request } = signInTexts(texts);
    const [invalidField] = details.errors ?? [];
    if (invalidField) return { title: request.title, text: request.text, hint: invalidField.message };
    return { title: texts.error.title, text: texts.error.texts[code] ?? request.returnText };
  }
}
