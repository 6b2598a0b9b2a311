import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { ManagementCaller, OperatorCaller } from '@gatehouse/auth';
import {
  auditChanges,
  canonicalLocale,
  GatehouseError,
  notFound,
  parsePathUuid,
  unknownPlaceholders,
  type AuditAction,
  type FieldError,
  type MailText,
  type Project,
} from '@gatehouse/domain';
import {
  MailsRepository,
  MailTemplatesRepository,
  ProjectsRepository,
  Transactions,
  type MailTemplate,
  type Tx,
} from '@gatehouse/persistence';
import {
  Config,
  CursorCodec,
  customerMailKinds,
  Keyring,
  mailPath,
  mailVariablesOf,
  newId,
  now,
  renderMailContent,
  sealMailParameters,
  builtInLanguages,
  builtInMailText,
  type CustomerMailKind,
  type MailParameters,
  type RenderedMail,
} from '@gatehouse/platform';
import { AuditService } from '../audit/audit.service.js';
import { DEFAULT_LIMIT, type Page, type PageQuery } from '../http/lists/paging.js';
import type { Precondition } from '../http/preconditions/precondition.js';
import type { MailTemplateRequest } from './dto/mail-template.request.js';
import { MailTemplateResponse, type EffectiveMailTemplate } from './dto/mail-template.response.js';

/** Maximum number of languages without built-in templates that a project can add. */
const MAX_ADDED_LANGUAGES = 20;

/** Identifies the template for one kind of email in one language. */
export interface TemplatePath {
  projectId: string;
  kind: CustomerMailKind;
  language: string;
}

/** Manages project email templates. */
@Injectable()
export class MailTemplatesService {
  constructor(
    private readonly templates: MailTemplatesRepository,
    private readonly projects: ProjectsRepository,
    private readonly mails: MailsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly cursors: CursorCodec,
    private readonly keyring: Keyring,
    private readonly config: Config,
  ) {}

  /** @throws GatehouseError `not_found`, `invalid_cursor` */
  async list(
    { accessScope }: ManagementCaller,
    projectId: string,
    { cursor, limit = DEFAULT_LIMIT }: PageQuery,
  ): Promise<Page<EffectiveMailTemplate>> {
    await this.projects.get(accessScope, projectId);
    const list = ['mail-templates', projectId];
    const after = cursor === undefined ? '' : this.cursors.decodeBytes(list, cursor).toString();
    const templates = effectiveTemplates(await this.templates.list(projectId));
    const rest = templates.filter((template) => sortKey(template) > after);
    const items = rest.slice(0, limit);
    const next = rest.length > limit ? Buffer.from(sortKey(items.at(-1)!)) : null;
    return { items, nextCursor: next && this.cursors.encodeBytes(list, next) };
  }

  /**
   * @throws GatehouseError `not_found` for another project, or for a language without a template
   */
  async get({ accessScope }: ManagementCaller, path: TemplatePath): Promise<EffectiveMailTemplate> {
    await this.projects.get(accessScope, path.projectId);
    const template = toEffective(path, await this.templates.list(path.projectId));
    if (!template) throw notFound();
    return template;
  }

  /**
   * Applies a merge patch. A patch without changes saves nothing.
   * @throws GatehouseError `not_found`, `project_archived`, `precondition_failed`, `validation_failed`, `conflict` if
   * the project has added too many languages
   */
  update(
    { accessScope }: ManagementCaller,
    path: TemplatePath,
    patch: MailTemplateRequest,
    precondition: Precondition,
  ): Promise<EffectiveMailTemplate> {
    return this.transactions.join(async (tx) => {
      // The lock prevents concurrent patches from overwriting each other's changes.
      const project = await this.projects.lock(tx, accessScope, path.projectId);
      if (project.archivedAt) throw new GatehouseError('project_archived');
      const templates = await this.templates.list(path.projectId, tx);
      assertLanguageLimit(path, templates);
      const current = toEffective(path, templates);
      // A template that does not exist has no ETag that could match.
      precondition.assert(current ? MailTemplateResponse.from(current) : {});
      const text = applyPatch(path, current, patch);
      if (current && isDeepStrictEqual(current.text, text)) return current;
      const { kind, language } = path;
      const saved = await this.templates.save(tx, path.projectId, { kind, language, text });
      const changes = auditChanges(current?.text ?? {}, text);
      this.record(tx, 'project.mail_template_updated', project, path, {
        changed: Object.keys(changes),
        changes,
      });
      return saved;
    });
  }

  /**
   * @throws GatehouseError `not_found` if the project has not changed the template, `project_archived`
   */
  async delete({ accessScope }: ManagementCaller, path: TemplatePath): Promise<void> {
    await this.transactions.join(async (tx) => {
      const project = await this.projects.lock(tx, accessScope, path.projectId);
      if (project.archivedAt) throw new GatehouseError('project_archived');
      const wasDeleted = await this.templates.delete(tx, path.projectId, path.kind, path.language);
      if (!wasDeleted) throw notFound();
      this.record(tx, 'project.mail_template_deleted', project, path);
    });
  }

  /** Renders an email with sample values. @throws GatehouseError `not_found`, `validation_failed` */
  async preview(
    { accessScope }: ManagementCaller,
    path: TemplatePath,
    patch: MailTemplateRequest,
  ): Promise<RenderedMail> {
    const project = await this.projects.get(accessScope, path.projectId);
    const current = toEffective(path, await this.templates.list(path.projectId));
    const text = applyPatch(path, current, patch);
    const parameters = { ...sampleParameters(project, path, text), at: now().toISOString() };
    return renderMailContent({ kind: path.kind, recipient: SAMPLE_EMAIL }, parameters, this.config.publicUrl);
  }

  /**
   * Sends an email with sample values to the operator.
   * @throws GatehouseError `not_found`, `project_archived`, `validation_failed`
   */
  async sendTest(
    { accessScope, email }: OperatorCaller,
    path: TemplatePath,
    patch: MailTemplateRequest,
  ): Promise<void> {
    const { projectId, kind } = path;
    const project = await this.projects.get(accessScope, projectId);
    if (project.archivedAt) throw new GatehouseError('project_archived');
    const current = toEffective(path, await this.templates.list(projectId));
    const text = applyPatch(path, current, patch);
    await this.transactions.join(async (tx) => {
      const id = newId();
      const parameters = sealMailParameters(this.keyring, id, sampleParameters(project, path, text));
      // With a mail server, the email does not belong to a project, because the project's API keys must not read an
      // operator's address. Without a mail server, it belongs to the project, so that the project's mailbox shows it.
      const owner = this.config.mail.smtpUrl ? null : projectId;
      await this.mails.insert(tx, {
        id,
        kind,
        recipient: email,
        parameters,
        projectId: owner,
        customerId: null,
      });
      const { organizationId } = project;
      const details = { kind, language: path.language };
      this.audit.record(tx, {
        action: 'mail.tested',
        organizationId,
        projectId,
        targetId: id,
        details,
      });
    });
  }

  private record(
    tx: Tx,
    action: Extract<AuditAction, `project.mail_template_${string}`>,
    { organizationId }: Project,
    { projectId, kind, language }: TemplatePath,
    changes: Record<string, unknown> = {},
  ): void {
    const details = { kind, language, ...changes };
    this.audit.record(tx, { action, organizationId, projectId, targetId: projectId, details });
  }
}

/**
 * Parses the path parameters. Accepts any form of the language tag.
 * @throws GatehouseError `not_found` for an invalid id or tag, or an unknown kind
 */
export function parseTemplatePath(projectId: string, kindName: string, tag: string): TemplatePath {
  const kind = customerMailKinds.find((known) => known === kindName);
  const language = canonicalLocale(tag);
  if (!kind || !language) throw notFound();
  return { projectId: parsePathUuid(projectId), kind, language };
}

const sortKey = ({ kind, language }: Pick<TemplatePath, 'kind' | 'language'>): string =>
  `${kind} ${language}`;

const isBuiltIn = (language: string): boolean => (builtInLanguages as readonly string[]).includes(language);

/** Returns the project's template or, if it has none, the built-in one; null if neither exists. */
function toEffective(
  { kind, language }: Pick<TemplatePath, 'kind' | 'language'>,
  templates: readonly MailTemplate[],
): EffectiveMailTemplate | null {
  const own = templates.find((template) => template.kind === kind && template.language === language);
  if (own) return own;
  const text = builtInMailText(kind, language);
  return text && { kind, language, text, updatedAt: null };
}

/** Returns the effective templates for all kinds, in all languages that have one. */
function effectiveTemplates(templates: readonly MailTemplate[]): EffectiveMailTemplate[] {
  const languages = new Set([...builtInLanguages, ...templates.map(({ language }) => language)]);
  return customerMailKinds
    .flatMap((kind) => [...languages].flatMap((language) => toEffective({ kind, language }, templates) ?? []))
    .sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
}

/** @throws GatehouseError `conflict` if the language would exceed the limit */
function assertLanguageLimit({ language }: TemplatePath, templates: readonly MailTemplate[]): void {
  const added = new Set(templates.map((template) => template.language).filter((other) => !isBuiltIn(other)));
  if (isBuiltIn(language) || added.has(language) || added.size < MAX_ADDED_LANGUAGES) return;
  const detail = `A project can add texts in at most ${MAX_ADDED_LANGUAGES} languages. Delete the texts in another language first.`;
  throw new GatehouseError('conflict', { detail });
}

/** Returns the effective text with a patch applied. @throws GatehouseError `validation_failed` */
function applyPatch(
  { kind, language }: TemplatePath,
  before: EffectiveMailTemplate | null,
  patch: MailTemplateRequest,
): MailText {
  const current: Partial<MailText> = before?.text ?? {};
  const builtIn: Partial<MailText> = builtInMailText(kind, language) ?? {};
  const merge = <Name extends keyof MailText>(name: Name): MailText[Name] | undefined => {
    const value = patch[name] as MailText[Name] | null | undefined;
    return value === undefined ? current[name] : (value ?? builtIn[name]);
  };
  const merged = {
    subject: merge('subject'),
    heading: merge('heading'),
    paragraphs: merge('paragraphs'),
    button: merge('button') ?? null,
    linkLabel: merge('linkLabel') ?? null,
    closing: merge('closing'),
  };
  const errors = Object.entries(merged).flatMap(([name, value]) => fieldErrors(kind, name, value));
  if (errors.length > 0) throw new GatehouseError('validation_failed', { errors });
  return merged as MailText;
}

/** Returns the errors in one field of a merged template. */
function fieldErrors(
  kind: CustomerMailKind,
  field: string,
  value: string | string[] | null | undefined,
): FieldError[] {
  const isLinkField = field === 'button' || field === 'linkLabel';
  const hasLink = mailPath(kind) !== null;
  if (isLinkField && !hasLink) {
    if (value === null) return [];
    return [
      {
        field,
        code: 'not_allowed',
        message: `${field} must be null, because emails of this kind have no link`,
      },
    ];
  }
  if (value === undefined || value === null) {
    const message = `${field} is required, because Gatehouse contains no text in this language`;
    return [{ field, code: 'required', message }];
  }
  const variables = mailVariablesOf(kind);
  if (
    field === 'paragraphs' &&
    variables.includes('code') &&
    !/\{\{ *code *\}\}/.test([value].flat().join('\n'))
  )
    return [{ field, code: 'required', message: `${field} must contain {{code}}` }];
  const unknown = [value].flat().flatMap((text) => unknownPlaceholders(text, variables));
  const known = variables.map((variable) => `{{${variable}}}`).join(', ');
  return unknown.slice(0, 1).map((placeholder) => ({
    field,
    code: 'unknown_variable',
    message: `${field} contains ${truncate(placeholder)}, but emails of this kind have only the variables ${known}`,
  }));
}

const truncate = (text: string): string =>
  text.length > 60 ? `${text.slice(0, 60).replace(/[\ud800-\udbff]$/, '')}…` : text;

const SAMPLE_EMAIL = 'ada@example.com';

/** Returns an email's parameters with sample values. The token is not valid. */
function sampleParameters(
  { name, settings: { branding, mail } }: Project,
  { kind, language }: TemplatePath,
  text: MailText,
): MailParameters {
  const token = mailPath(kind) ? { token: 'preview' } : {};
  const code = '123456';
  return {
    projectName: name,
    branding,
    ...mail,
    ...token,
    code,
    newEmail: 'new@example.com',
    locale: language,
    text,
  };
}
