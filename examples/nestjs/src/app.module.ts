import { GatehouseModule } from '@gatehouse/server/nestjs';
import { Module } from '@nestjs/common';
import { HooksController } from './hooks.controller.js';
import { OrdersController } from './orders.controller.js';
import { SettingsController } from './settings.controller.js';

@Module({
  imports: [
    GatehouseModule.forRoot({
      url: process.env['GATEHOUSE_URL']!,
      projectId: process.env['GATEHOUSE_PROJECT_ID']!,
      webhookSecret: process.env['WEBHOOK_SECRET'],
    }),
  ],
  controllers: [HooksController, OrdersController, SettingsController],
})
export class AppModule {}
