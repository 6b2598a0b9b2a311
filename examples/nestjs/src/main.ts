import 'reflect-metadata';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';

// `rawBody` keeps the raw bytes of the body, over which webhook signatures are computed.
const app = await NestFactory.create<NestExpressApplication>(AppModule, {
  rawBody: true,
  logger: ['warn', 'error'],
});
app.useStaticAssets(fileURLToPath(new URL('../public', import.meta.url)));
// The page imports this package without a bundler.
app.useStaticAssets(dirname(fileURLToPath(import.meta.resolve('@gatehouse/js'))), {
  prefix: '/gatehouse-js',
});

const port = Number(process.env['PORT'] ?? 4100);
await app.listen(port, '127.0.0.1');
process.stdout.write(`Open http://localhost:${port}\n`);
