import { passwordHashings } from '../customers/password-policy.js';
import { declareEvents, ref } from '../events/event-declaration.js';
import { exampleOrganizationId, exampleProjectId, exampleTime } from '../events/event-example.js';
import { mfaPolicies } from '../factors/factor.js';
import {
  email,
  flag,
  nullable,
  object,
  openEnum,
  previousValues,
  seconds,
  text,
  strings,
  time,
  url,
  urls,
  uuid,
  type JsonSchema,
} from '../values/json-schema.js';
import { limitSettings } from '../limits/limit-catalog.js';
import { defaultSettings, signingAlgorithms, tokenSubjects } from './project-settings.js';

const branding = { displayName: nullable(text), logoUrl: nullable(url), color: nullable(text) };
const mail = { fromName: nullable(text), replyTo: nullable(email) };
const perHour: JsonSchema = { type: 'integer' };
const mailLimits = {
  signUp: perHour,
  passwordReset: perHour,
  emailChange: perHour,
  invitation: perHour,
  signIn: perHour,
  perRecipient: perHour,
};

const limits = Object.fromEntries(
  Object.entries(limitSettings).map(([name, { description }]) => [name, { type: 'integer', description }]),
);

const signIn = { password: flag, emailCode: flag, passkey: flag, allowSignUp: flag };
const legacySignIn = { url };
const passkeys = { rpId: text, rpName: nullable(text), origins: strings };
const orNull = (schema: JsonSchema): JsonSchema => ({ ...schema, type: ['object', 'null'] });

const settings = {
  allowedOrigins: urls,
  redirectUrls: urls,
  verifyEmailUrl: nullable(url),
  resetPasswordUrl: nullable(url),
  acceptInviteUrl: nullable(url),
  signIn: object(signIn),
  legacySignIn: orNull(object(legacySignIn)),
  passkeys: orNull(object(passkeys)),
  testEmailCode: nullable(text),
  requireVerifiedEmail: flag,
  enumerationProtection: flag,
  accessTokenTtl: seconds,
  refreshIdleTtl: seconds,
  refreshAbsoluteTtl: seconds,
  refreshGrace: {
    oneOf: [{ const: 'until_used' }, { type: 'integer' }],
    description: '`until_used`, or a duration in seconds',
  },
  mfa: openEnum('Whether customers can, or must, use a second factor', ...mfaPolicies),
  mfaGraceDays: { type: 'integer' },
  accessTokenClaims: strings,
  signingAlgorithm: openEnum('Algorithm of access tokens', ...signingAlgorithms),
  tokenSubject: openEnum('Field of a customer that is the `sub` of access tokens', ...tokenSubjects),
  passwordMinLength: { type: 'integer' },
  passwordHashing: openEnum('How passwords are hashed', ...passwordHashings),
  breachCheck: flag,
  defaultLocale: nullable(text),
  branding: object(branding),
  mail: object(mail),
  mailLimits: object(mailLimits),
  limits: object(limits),
};

export const projectResources = {
  project: object(
    {
      id: uuid,
      organizationId: uuid,
      name: text,
      slug: text,
      environment: openEnum('Environment of the project', 'development', 'staging', 'production'),
      settings: object(settings),
      archivedAt: nullable(time),
      createdAt: time,
      updatedAt: time,
    },
    'A project with its effective settings',
  ),
};

const previous = previousValues({
  name: text,
  settings: previousValues({
    ...settings,
    signIn: previousValues(signIn),
    legacySignIn: orNull(previousValues(legacySignIn)),
    passkeys: orNull(previousValues(passkeys)),
    branding: previousValues(branding),
    mail: previousValues(mail),
    mailLimits: previousValues(mailLimits),
    limits: previousValues(limits),
  }),
});

const project = ref('project');

const updatedExample = {
  id: exampleProjectId,
  organizationId: exampleOrganizationId,
  name: 'Difference Engine',
  slug: 'difference-engine',
  environment: 'production',
  settings: {
    ...defaultSettings,
    allowedOrigins: ['https://app.example.com'],
    passwordMinLength: 12,
    branding: { ...defaultSettings.branding, color: '#1d4ed8' },
  },
  archivedAt: null,
  createdAt: '2026-01-12T08:00:00.004Z',
  updatedAt: exampleTime('08:30:00.127'),
};
const createdExample = {
  ...updatedExample,
  name: 'Analytical Engine',
  slug: 'analytical-engine',
  environment: 'development',
  settings: defaultSettings,
  updatedAt: updatedExample.createdAt,
};
const archivedAt = exampleTime('19:00:00.250');

export const projectEvents = declareEvents({
  'project.created': {
    cause: 'a project was created',
    data: { project },
    example: [createdExample.createdAt, { project: createdExample }],
    action: 'project.created',
  },
  'project.updated': {
    cause: 'the name or the settings of a project changed',
    data: { project, previous },
    example: [
      updatedExample.updatedAt,
      {
        project: updatedExample,
        previous: { settings: { passwordMinLength: defaultSettings.passwordMinLength } },
      },
    ],
    action: 'project.updated',
  },
  'project.archived': {
    cause: 'a project was archived. Its API keys and the tokens of its customers are rejected',
    data: { project },
    example: [archivedAt, { project: { ...createdExample, archivedAt, updatedAt: archivedAt } }],
    action: 'project.archived',
  },
});

export const projectActions = [
  'project.exported',
  'project.mail_template_updated',
  'project.mail_template_deleted',
] as const;

export const signingKeyActions = ['signing_key.rotated'] as const;
