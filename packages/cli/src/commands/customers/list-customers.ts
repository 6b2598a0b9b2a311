import type { components, Gatehouse } from '@gatehouse/server';
import { Option, type Command } from 'commander';
import type { Cli } from '../../cli.js';
import { parsePastTime } from '../../options.js';
import { formatTime } from '../../output.js';
import { addPageOptions, printPages, type PageOptions } from '../../print-pages.js';
import type { Column } from '../../table.js';

type Customer = components['schemas']['CustomerResponse'];
type Query = NonNullable<Parameters<Gatehouse['customers']['list']>[0]>;
type Options = PageOptions & Omit<Query, keyof PageOptions>;

const columns: Column<Customer>[] = [
  { title: 'Id', value: ({ id }) => id, isFixed: true },
  { title: 'Email', value: ({ email }) => email },
  { title: 'Name', value: ({ firstName, lastName }) => [firstName, lastName].filter(Boolean).join(' ') },
  { title: 'State', value: describeState, style: ({ disabledAt }) => (disabledAt ? 'red' : null) },
  { title: 'Last sign-in', value: ({ lastLoginAt }) => formatTime(lastLoginAt), isOptional: true },
  { title: 'Created', value: ({ createdAt }) => formatTime(createdAt), isOptional: true },
];

/** Returns a customer's state in one word. */
export function describeState({ disabledAt, emailVerified }: Customer): string {
  if (disabledAt) return 'disabled';
  return emailVerified ? 'verified' : 'unverified';
}

const flag = (name: string, description: string): Option =>
  new Option(`--${name} <true|false>`, description).choices(['true', 'false']);

/** Adds `gatehouse customers list`. */
export function addListCustomersCommand(customers: Command, cli: Cli): void {
  const command = customers
    .command('list')
    .summary('list customers')
    .description('List customers, newest first. Requires the scope customer:read.')
    .option('--email <email>', 'only the customer with exactly this email address')
    .option('--external-id <id>', 'only the customer with this external id')
    .option('--q <text>', 'only customers whose email address or name begins with this text')
    .addOption(flag('email-verified', 'filter by whether the email address is verified'))
    .addOption(flag('disabled', 'filter by whether the customer is disabled'))
    .option(
      '--created-after <time>',
      'only customers created after this time; accepts a duration such as 7d',
      parsePastTime,
    )
    .option('--created-before <time>', 'only customers created before this time', parsePastTime)
    .option(
      '--last-login-after <time>',
      'only customers whose last sign-in was after this time',
      parsePastTime,
    )
    .option(
      '--last-login-before <time>',
      'only customers whose last sign-in was before this time',
      parsePastTime,
    );
  addPageOptions(command).action(({ limit, cursor, all, ...filter }: Options) => {
    const { customers: resource } = cli.connect();
    const { projectId } = cli.settings();
    const pages = { ...(limit && { limit }), ...(cursor && { cursor }), ...(all && { all }) };
    return printPages(cli, pages, {
      read: (page) =>
        resource.list({ ...filter, ...(projectId && { projectId }), ...page }, { signal: cli.signal }).page(),
      columns,
      empty: 'No customers',
    });
  });
}
