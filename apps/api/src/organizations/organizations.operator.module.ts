import { Module } from '@nestjs/common';
import { OrganizationsModule } from './organizations.module.js';
import { OrganizationsOperatorController } from './organizations.operator.controller.js';

@Module({
  imports: [OrganizationsModule],
  controllers: [OrganizationsOperatorController],
})
export class OrganizationsOperatorModule {}
