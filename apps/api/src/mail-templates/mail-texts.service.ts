import { Injectable } from '@nestjs/common';
import { preferredLanguages, type ProjectContext } from '@gatehouse/domain';
import { MailTemplatesRepository, type Tx } from '@gatehouse/persistence';
import { builtInMailText, type CustomerMailKind, type MailParameters } from '@gatehouse/platform';
import { RequestLanguages } from '../http/request-languages.js';

/** Selects the language and the template for an email to a customer. */
@Injectable()
export class MailTextsService {
  constructor(
    private readonly templates: MailTemplatesRepository,
    private readonly languages: RequestLanguages,
  ) {}

  /**
   * Returns the template in the first preferred language in which the project or Gatehouse has one. The project's
   * template takes precedence over the built-in one.
   * @param locale the customer's locale, or null
   */
  async select(
    tx: Tx,
    kind: CustomerMailKind,
    locale: string | null,
    { id, settings: { defaultLocale } }: ProjectContext,
  ): Promise<Pick<MailParameters, 'locale' | 'text'>> {
    const languages = preferredLanguages({ locale, accepted: this.languages.current(), defaultLocale });
    const templates = await this.templates.listInLanguages(tx, id, kind, languages);
    for (const language of languages) {
      const template = templates.find((candidate) => candidate.language === language);
      if (template) return { locale: language, text: template.text };
      if (builtInMailText(kind, language)) return { locale: language };
    }
    throw new Error(`an email of kind ${kind} has no English text`);
  }
}
