import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { endedAccess, type AccessAction, type EndedAccess, type AccessPart } from './ended-access.js';
import { accountSources, effectsOf, type AccountSource, type AdmissionRule } from './account-sources.js';

const page = fileURLToPath(new URL('../../../../docs/accounts.md', import.meta.url));

/** Descriptions of when each source creates an account. */
const sources: Record<AccountSource, string> = {
  registration: 'A customer registers with a password',
  server: 'A server or an operator creates a customer',
  invitation: 'A server or an operator creates a customer with `sendInvite`',
  email: 'A new customer signs in with an email code or link',
  provider: 'A new customer signs in with an identity provider',
  legacy: 'A customer signs in with the password from the previous system',
  import: 'An import adds a customer',
};

const rules: Record<AdmissionRule, string> = {
  sign_up:
    'the project and the provider allow sign-up, or a secret key registers the customer (`sign_up_not_allowed`)',
  required_provider: 'no other provider is required for the domain of the address (`sso_required`)',
};

const events = { always: '`customer.created`', on_request: '`customer.created` on request' };
const audits = { always: 'yes', by_secret_key: 'if a secret key registers the customer', never: 'no' };

/** Descriptions of when each action happens. */
const actions: Record<AccessAction, string> = {
  logout: 'The customer signs out everywhere, or everywhere except in the current session',
  revoked: 'A server or an operator revokes all sessions',
  factor_removed: 'A server or an operator removes a second factor or a passkey',
  identity_removed: 'A server or an operator removes an identity',
  password_changed: 'The customer changes the password. The current session stays',
  password_reset: 'The customer sets a password with a link that was sent to a verified address',
  address_claimed:
    'The owner of an address verifies it for an account that another person may have registered, or disowns the account',
  address_changed: 'A server, an operator or an import changes the address',
  address_change_confirmed: 'The customer confirms an address change with links in emails to both addresses',
  customer_disabled: 'A server, an operator or an import disables the customer',
  customer_deleted: 'A server, an operator or the customer deletes the account',
};

const parts: Record<AccessPart, string> = {
  password: 'the password',
  factors: 'second factors and passkeys',
  identities: 'identities, except one that verifies the address',
  links: 'links in emails',
  signInTokens: 'sign-in tokens',
  emailCodes: 'email codes',
  exchanges: 'exchange codes',
  addressRecords: 'failed sign-ins, email codes and exchange codes for the address',
  knownAddresses: 'known client IPs',
  proofs: 'all earlier proofs of identity, codes, flows and challenges',
  challenges: 'stored challenges',
  sessions: 'sessions',
  account: 'the customer, and all data that belongs only to them',
};

const code = (value: string): string => `\`${value}\``;

const table = (columns: string[], rows: string[][]): string =>
  [columns, columns.map(() => ':--'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function describeSource(source: AccountSource): string[] {
  const { rules: names, event, audit, auditDetails, mail } = effectsOf(source);
  const details = auditDetails ? `, with ${code(JSON.stringify(auditDetails))}` : '';
  const unverified = mail === 'verify-email' ? ' unless the address is verified' : '';
  return [
    ...[code(source), sources[source], names.map(code).join(', ') || 'none'],
    ...[events[event], audits[audit] + details, mail ? code(mail) + unverified : 'none'],
  ];
}

/** Returns an action's row in the table. */
function describeAction(action: AccessAction): string[] {
  const { parts: names, links }: EndedAccess = endedAccess[action];
  const kinds = links ? ` (${links.map(code).join(', ')})` : '';
  const ends = names.map((name) => parts[name] + (name === 'links' ? kinds : '')).join('; ');
  return [code(action), actions[action], ends];
}

it('matches the tables in docs/accounts.md', () => {
  const start =
    '<!-- tables: UPDATE_PAGE=1 npx jest --selectProjects unit --testPathPatterns accounts-page -->';
  const content = readFileSync(page, 'utf8');
  const sections = [
    content.slice(0, content.indexOf(start) + start.length),
    '## Where accounts come from',
    table(
      ['Source', 'When', 'Rules', 'Event', 'Audited', 'Email'],
      (Object.keys(accountSources) as AccountSource[]).map(describeSource),
    ),
    Object.entries(rules)
      .map(([rule, description]) => `- ${code(rule)}: ${description}`)
      .join('\n'),
    '## What each action ends or invalidates',
    table(
      ['Action', 'When', 'Ends or invalidates'],
      (Object.keys(endedAccess) as AccessAction[]).map(describeAction),
    ),
  ];
  const expected = `${sections.join('\n\n')}\n`;
  if (process.env['UPDATE_PAGE']) writeFileSync(page, expected);
  // oxfmt aligns the columns.
  const withoutAlignment = (text: string): string => text.replace(/ +/g, ' ').replace(/-{2,}/g, '--');
  expect(withoutAlignment(readFileSync(page, 'utf8'))).toBe(withoutAlignment(expected));
});
