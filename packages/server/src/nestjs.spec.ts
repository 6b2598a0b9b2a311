import 'reflect-metadata';
import { Injectable, Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Gatehouse } from './create-server.js';
import { CustomerGuard, GATEHOUSE, GatehouseModule } from './nestjs.js';

let context: INestApplicationContext | undefined;
afterEach(async () => context?.close());

class Settings {
  readonly secretKey = 'sk_test';
}
Injectable()(Settings);
class SettingsModule {}
Module({ providers: [Settings], exports: [Settings] })(SettingsModule);

it('provides a client with options from another provider', async () => {
  class AppModule {}
  Module({
    imports: [
      GatehouseModule.forRootAsync({
        imports: [SettingsModule],
        inject: [Settings],
        useFactory: async ({ secretKey }: Settings) => ({ url: 'https://auth', projectId: 'prj', secretKey }),
      }),
    ],
  })(AppModule);
  context = await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
  const gatehouse = context.get<Gatehouse>(GATEHOUSE, { strict: false });
  expect(gatehouse.vouchFor('203.0.113.7')['x-api-key']).toBe('sk_test');
  expect(context.get(CustomerGuard, { strict: false })).toBeInstanceOf(CustomerGuard);
});

it('does not start without a project', async () => {
  class AppModule {}
  Module({
    imports: [GatehouseModule.forRoot({ url: 'https://auth', projectId: '' })],
  })(AppModule);
  const options = { logger: false as const, abortOnError: false };
  await expect(NestFactory.createApplicationContext(AppModule, options)).rejects.toThrow('projectId');
});
