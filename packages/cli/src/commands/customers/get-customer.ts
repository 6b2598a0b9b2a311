import type { components, Gatehouse } from '@gatehouse/server';
import type { Command } from 'commander';
import type { Cli } from '../../cli.js';
import { CliError } from '../../cli-error.js';
import { formatTime, printJson, printRecord } from '../../output.js';
import { describeState } from './list-customers.js';

type Customer = components['schemas']['CustomerResponse'];

/** Adds `gatehouse customers get`. */
export function addGetCustomerCommand(customers: Command, cli: Cli): void {
  customers
    .command('get')
    .summary('get a customer')
    .description('Get a customer. Requires the scope customer:read.')
    .argument('<id|email>', 'id or email address of the customer')
    .action(async (idOrEmail: string) => {
      const customer = await getCustomer(cli, cli.connect(), idOrEmail);
      if (cli.isJson) return printJson(cli, customer);
      await printRecord(cli, [
        ['Id', customer.id],
        ['Email', customer.email],
        ['First name', customer.firstName],
        ['Last name', customer.lastName],
        ['State', describeState(customer)],
        ['Project', customer.projectId],
        ['External id', customer.externalId],
        ['Second factor', customer.mfa],
        ['Locale', customer.locale],
        ['Created', formatTime(customer.createdAt)],
        ['Updated', formatTime(customer.updatedAt)],
        ['Last sign-in', formatTime(customer.lastLoginAt)],
        ['Disabled', formatTime(customer.disabledAt)],
        ['Public metadata', JSON.stringify(customer.publicMetadata)],
        ['Metadata', JSON.stringify(customer.metadata)],
      ]);
    });
}

/**
 * Returns the customer with this id or email address.
 * @throws CliError if no customer has the address, or customers in several projects have it
 */
async function getCustomer(cli: Cli, { customers }: Gatehouse, idOrEmail: string): Promise<Customer> {
  const options = { signal: cli.signal };
  if (!idOrEmail.includes('@')) return customers.get(idOrEmail, undefined, options);
  const { projectId } = cli.settings();
  const query = { email: idOrEmail, ...(projectId && { projectId }) };
  const found: Customer[] = [];
  for await (const customer of customers.list(query, options)) found.push(customer);
  const [first, ...others] = found;
  if (!first)
    throw new CliError(`No customer has the email address ${idOrEmail}.`, {
      fix: 'Check the address, and that the key can access the project of the customer.',
    });
  if (others.length > 0) {
    const projects = found.map((customer) => customer.projectId).join(', ');
    throw new CliError(`Customers of several projects have this email address: ${projects}.`, {
      fix: 'Pass --project <id>, or the id of the customer.',
    });
  }
  return first;
}
