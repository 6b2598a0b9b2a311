import type { Command } from 'commander';
import type { Cli } from '../../cli.js';
import { addCompareCustomersCommand } from './compare-customers.js';
import { addExportCustomersCommand } from './export-customers.js';
import { addGetCustomerCommand } from './get-customer.js';
import { addImportCustomersCommand } from './import-customers.js';
import { addListCustomersCommand } from './list-customers.js';

/** Adds `gatehouse customers`. */
export function addCustomersCommand(program: Command, cli: Cli): void {
  const customers = program
    .command('customers')
    .helpCommand(false)
    .summary('list, get, import, export and compare customers')
    .description('List, get, import, export and compare customers.');
  addListCustomersCommand(customers, cli);
  addGetCustomerCommand(customers, cli);
  addExportCustomersCommand(customers, cli);
  addImportCustomersCommand(customers, cli);
  addCompareCustomersCommand(customers, cli);
}
