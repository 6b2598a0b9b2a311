import { Command } from 'commander';
import { VERSION, type Cli, type Flags } from './cli.js';
import { addCustomersCommand } from './commands/customers/customers.js';
import { addDeliveriesCommand } from './commands/deliveries/deliveries.js';
import { addDoctorCommand } from './commands/doctor/doctor.js';
import { addEventsCommand } from './commands/events.js';
import { addInitCommand } from './commands/init/init.js';
import { addKeysCommand } from './commands/keys.js';
import { addListenCommand } from './commands/listen/listen.js';
import { addTriggerCommand } from './commands/trigger.js';
import { hasColors } from './output.js';

const FOOTER = `
Settings, from flags, the environment, .env.local or .env:
  GATEHOUSE_URL         URL of Gatehouse, such as http://127.0.0.1:3000
  GATEHOUSE_SECRET_KEY  secret key (sk_…) of the project or organization
  GATEHOUSE_PROJECT_ID  id of the project, if the key can access several

Exit codes: 0 success, 1 the command failed, 2 wrong usage or settings, 130 interrupted`;

/** Creates the program with all commands. It throws a CommanderError instead of ending the process. */
export function createProgram(cli: Cli): Command {
  const program = new Command('gatehouse')
    .description('Manage customers, keys, events and webhooks of Gatehouse.')
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print the help')
    .helpCommand(false)
    .option('--url <url>', 'URL of Gatehouse')
    .option('--key-file <file>', 'file with the secret key; /dev/stdin reads it from standard input')
    .option('--project <id>', 'id of the project')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', FOOTER)
    .showHelpAfterError('Run the command with --help for its usage.')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => cli.stdout.write(text),
      writeErr: (text) => cli.stderr.write(text),
      getOutHelpWidth: () => cli.stdout.columns ?? 80,
      getErrHelpWidth: () => cli.stderr.columns ?? 80,
      getOutHasColors: () => hasColors(cli.env, cli.stdout),
      getErrHasColors: () => hasColors(cli.env, cli.stderr),
      outputError: (text, print) => print(text.replace(/^error: /, 'Error: ')),
    })
    .hook('preAction', (parsed) => {
      cli.flags = parsed.opts<Flags>();
    });
  // One line per command, in alphabetical order.
  addCustomersCommand(program, cli);
  addDeliveriesCommand(program, cli);
  addDoctorCommand(program, cli);
  addEventsCommand(program, cli);
  addInitCommand(program, cli);
  addKeysCommand(program, cli);
  addListenCommand(program, cli);
  addTriggerCommand(program, cli);
  return program;
}
