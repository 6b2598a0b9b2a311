import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Database } from '#persistence';
import { ConfigError, createLogger, loadConfig, NestLogger } from '#platform';
import { ApiModule } from './api.module.js';
import { FirstBoot } from './bootstrap/first-boot.js';
import { StartupService } from './bootstrap/startup.service.js';

const usage = `Usage: npm run gatehouse -- <command>

  migrate     bring the database schema up to date
  bootstrap   on an empty database make the first organization, project, keys and operator, and print them
`;

/** The commands of `npm run gatehouse`. */
async function run(command: string | undefined): Promise<number> {
  if (command !== 'migrate' && command !== 'bootstrap') {
    process.stderr.write(usage);
    return command === undefined ? 0 : 2;
  }
  const config = { ...loadConfig(), migrate: true };
  const logger = createLogger({ logLevel: 'warn' }, 'gatehouse');
  const app = await NestFactory.createApplicationContext(ApiModule.for(config, logger), {
    logger: new NestLogger(logger),
  });
  try {
    await app.get(Database).connect();
    await app.get(StartupService).prepareSchema();
    if (command === 'bootstrap') {
      const credentials = await app.get(FirstBoot).run();
      process.stdout.write(
        credentials
          ? `${JSON.stringify(credentials, null, 2)}\n`
          : 'The database has an organization already; nothing was made.\n',
      );
    }
    return 0;
  } finally {
    await app.close();
  }
}

process.exitCode = await run(process.argv[2]).catch((error: unknown) => {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  return 78;
});
